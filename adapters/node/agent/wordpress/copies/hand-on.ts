import { PassThrough } from 'node:stream'
import type { Readable, Writable } from 'node:stream'

const BUFFER_BYTES = 2 ** 20
/** What a runner says whose other side ended too early; the other side knows why. */
const CUT_OFF = /is not whole|has ended/

/**
 * Lets one runner send what another takes, both at once: they may belong to different accounts,
 * and neither gets a descriptor of the other. Rejects with what made it fail first.
 */
export const handOn = async (
  from: (send: Writable) => Promise<unknown>,
  to: (take: Readable) => Promise<unknown>,
): Promise<void> => {
  const between = new PassThrough({ highWaterMark: BUFFER_BYTES })
  between.on('error', () => undefined)
  const failures: unknown[] = []
  const side = async (run: Promise<unknown>): Promise<void> => {
    try {
      await run
    } catch (error) {
      failures.push(error)
      between.destroy()
    }
  }
  await Promise.all([side(from(between)), side(to(between))])
  if (failures.length === 0) return
  throw failures.find((error) => !CUT_OFF.test(String(error))) ?? failures[0]
}
