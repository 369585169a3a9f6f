import { ProtocolError } from '../fastcgi/records.ts'

/** Two numbers, the count of fields and the status, before the fields' lengths in 16 bits each. */
const COUNTS_BYTES = 8

/**
 * Turns the content of a response head into the head of a CGI answer (RFC 3875,
 * 6.3), which is judged like any script's. Throws `ProtocolError` when lengths
 * do not fit.
 */
export const cgiHeadOf = (content: Buffer): Buffer<ArrayBuffer> => {
  const misfit = (): ProtocolError => new ProtocolError('LSAPI response head of the wrong size')
  if (content.length < COUNTS_BYTES) throw misfit()
  const count = content.readInt32LE(0)
  const status = content.readInt32LE(4)
  let at = COUNTS_BYTES + count * 2
  if (count < 0 || at > content.length) throw misfit()
  const lines = status === 0 ? [] : [`Status: ${status}`]
  for (let field = 0; field < count; field++) {
    const size = content.readUInt16LE(COUNTS_BYTES + field * 2)
    // Each text is counted with the zero byte that ends it.
    if (size === 0 || at + size > content.length || content[at + size - 1] !== 0) throw misfit()
    lines.push(content.toString('latin1', at, at + size - 1))
    at += size
  }
  if (at !== content.length) throw misfit()
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
