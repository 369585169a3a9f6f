import type { RawLine, ReadAt } from './lines-back.ts'
import { MAX_LINE_BYTES } from './lines-back.ts'

const LINE_END = 0x0a

/** Whole lines, and where the next begins. */
export interface LinesOn {
  lines: RawLine[]
  next: number
}

/**
 * The whole lines from `start` on, within `maxBytes`. What has no line end yet
 * is left for the next time, unless it fills all of `maxBytes`.
 */
export const linesOn = async (
  readAt: ReadAt,
  start: number,
  maxBytes: number,
): Promise<LinesOn> => {
  const block = await readAt(start, maxBytes)
  const lines: RawLine[] = []
  const add = (from: number, to: number): void => {
    if (to === from) return
    const end = Math.min(to, from + MAX_LINE_BYTES)
    lines.push({ start: start + from, bytes: block.subarray(from, end), cut: end < to })
  }
  let from = 0
  for (let at = block.indexOf(LINE_END); at !== -1; at = block.indexOf(LINE_END, from)) {
    add(from, at)
    from = at + 1
  }
  if (from === 0 && block.length === maxBytes) {
    add(0, block.length)
    from = block.length
  }
  return { lines, next: start + from }
}
