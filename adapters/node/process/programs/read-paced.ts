import type { Readable } from 'node:stream'

/** After so much of its output a program waits, or one that writes without end would keep us busy for it. */
const READ_BYTES = 2 * 2 ** 20
const READ_PAUSE_MS = 100

/** Hands on what a program writes, no faster than 20 MiB a second. */
export const readPaced = (source: Readable, take: (chunk: Buffer) => void): void => {
  let untilPause = READ_BYTES
  source.on('error', () => undefined)
  source.on('data', (chunk: Buffer) => {
    take(chunk)
    untilPause -= chunk.length
    if (untilPause > 0) return
    untilPause = READ_BYTES
    source.pause()
    setTimeout(() => source.resume(), READ_PAUSE_MS)
  })
}
