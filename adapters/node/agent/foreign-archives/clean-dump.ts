/** What newer clients write first, and older ones take for a fault. */
const SANDBOX = /^\/\*M?!999999\\- enable the sandbox mode \*\/\s*$/

/** A first line that is longer than this is none of a dump's. */
const MAX_FIRST_LINE = 256

/** The bytes of a dump without the line that keeps it from being read elsewhere; nothing else of it is touched. */
export async function* cleanDump(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0)
  for await (const chunk of source) {
    if (first === null) {
      yield chunk
      continue
    }
    const begun: Buffer = Buffer.concat([first, chunk])
    const end = begun.indexOf(0x0a)
    if (end === -1 && begun.length <= MAX_FIRST_LINE) {
      first = begun
      continue
    }
    first = null
    const line = begun.toString('latin1', 0, end === -1 ? 0 : end)
    const rest = SANDBOX.test(line) ? begun.subarray(end + 1) : begun
    if (rest.length > 0) yield rest
  }
  if (first !== null && first.length > 0 && !SANDBOX.test(first.toString('latin1'))) yield first
}
