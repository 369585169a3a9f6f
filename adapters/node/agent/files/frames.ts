/**
 * Messages between the agent and a file helper, both ways:
 * `uint32be total`, `uint32be header length`, header (JSON), body (raw bytes);
 * `total` counts all that follows it.
 */
export interface Frame {
  header: unknown
  body: Buffer
}

const WORD = 4
/** A pipe brings 64 KiB at a time; whoever sends single bytes wants our memory. */
const MAX_PIECES = 65_536

export const encodeFrame = (header: unknown, body: Uint8Array = new Uint8Array()): Buffer => {
  const json = Buffer.from(JSON.stringify(header))
  const frame = Buffer.allocUnsafe(2 * WORD + json.length + body.length)
  frame.writeUInt32BE(WORD + json.length + body.length, 0)
  frame.writeUInt32BE(json.length, WORD)
  frame.set(json, 2 * WORD)
  frame.set(body, 2 * WORD + json.length)
  return frame
}

/**
 * Collects chunks into frames. Throws at a frame that announces more than
 * `maxBytes` (before it takes memory for it) or whose header is no JSON; after
 * that the stream is of no use any more.
 */
export const createFrameReader = (maxBytes: number, onFrame: (frame: Frame) => void) => {
  let chunks: Buffer[] = []
  let haveBytes = 0
  let needBytes = WORD

  const parse = (frame: Buffer): Frame => {
    const headerBytes = frame.readUInt32BE(0)
    if (headerBytes > frame.length - WORD) throw new Error('the header is longer than its frame')
    const json = frame.toString('utf8', WORD, WORD + headerBytes)
    return { header: JSON.parse(json) as unknown, body: frame.subarray(WORD + headerBytes) }
  }

  return (chunk: Buffer): void => {
    chunks.push(chunk)
    if (chunks.length > MAX_PIECES) throw new Error('a frame in too many pieces')
    haveBytes += chunk.length
    while (haveBytes >= needBytes) {
      const all = chunks.length === 1 ? (chunks[0] ?? chunk) : Buffer.concat(chunks)
      const total = all.readUInt32BE(0)
      if (total > maxBytes) throw new Error(`a frame of ${total} bytes is over ${maxBytes}`)
      if (total < WORD) throw new Error('a frame without header')
      needBytes = WORD + total
      chunks = [all]
      if (haveBytes < needBytes) return
      onFrame(parse(all.subarray(WORD, needBytes)))
      const rest = all.subarray(needBytes)
      chunks = rest.length > 0 ? [rest] : []
      haveBytes = rest.length
      needBytes = WORD
    }
  }
}
