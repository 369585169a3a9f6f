/** Bytes of a line that are kept; what is longer is cut. */
export const MAX_LINE_BYTES = 8192
/** Of tiny lines there are tens of thousands in it, which are judged before others have their turn. */
const BLOCK_BYTES = 64 * 1024
const LINE_END = 0x0a
const NOTHING = Buffer.alloc(0)

/** Reads `length` bytes from `position` on; fewer only at the end of the file. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>

export interface RawLine {
  /** Where it begins. */
  start: number
  /** At most `MAX_LINE_BYTES`. */
  bytes: Buffer
  cut: boolean
}

/** Text of a line; what is no UTF-8, a character that was cut in two as well, becomes U+FFFD. */
export const lineText = ({ bytes, cut }: RawLine): string => {
  const text = bytes.toString('utf8')
  return cut ? text.replace(/\ufffd{1,3}$/, '') : text
}

/** What of a line lies in later blocks: its first bytes and its length. */
interface Rest {
  bytes: Buffer
  length: number
}

const joined = (head: Buffer, rest: Rest): Rest => ({
  bytes:
    rest.length === 0
      ? head.subarray(0, MAX_LINE_BYTES)
      : Buffer.concat([head, rest.bytes]).subarray(0, MAX_LINE_BYTES),
  length: head.length + rest.length,
})

/** Lines of a stretch, last first. */
export interface LinesBack {
  lines: RawLine[]
  /** Where the first of them begins: everything behind it has been gone through. */
  reached: number
}

/**
 * The lines between `floor` and `end`, last first, a block at a time. A line that
 * begins before `floor` is left out, unless nothing else is there: then its part
 * is a line, so that a log without line ends can be gone through, too.
 */
export const linesBack = async function* (
  readAt: ReadAt,
  { end, floor }: { end: number; floor: number },
): AsyncGenerator<LinesBack> {
  let position = end
  let reached = end
  let rest: Rest = { bytes: NOTHING, length: 0 }
  while (position > floor) {
    const from = Math.max(floor, position - BLOCK_BYTES)
    const block = await readAt(from, position - from)
    const lines: RawLine[] = []
    const add = (start: number, head: Buffer): void => {
      const { bytes, length } = joined(head, rest)
      rest = { bytes: NOTHING, length: 0 }
      reached = start
      // A copy: the block must not stay in memory for one line's sake.
      if (length > 0) lines.push({ start, bytes: Buffer.from(bytes), cut: length > bytes.length })
    }
    let until = block.length
    for (let at = last(block, until); at !== -1; at = last(block, until)) {
      add(from + at + 1, block.subarray(at + 1, until))
      until = at
    }
    rest = joined(block.subarray(0, until), rest)
    position = from
    // The byte at `end - 1` is a line end, which alone is no line gone through.
    if (position === floor && (floor === 0 || reached >= end)) add(floor, NOTHING)
    yield { lines, reached }
  }
}

const last = (block: Buffer, until: number): number =>
  until === 0 ? -1 : block.lastIndexOf(LINE_END, until - 1)
