import { Writable } from 'node:stream'

/** A stream whose bytes are taken in pieces by whoever asks. */
export interface Outlet {
  stream: Writable
  /** Bytes that are there. */
  have(): number
  /** Whether no more will come. */
  ended(): boolean
  /** Until something comes of it, or an end; `ms` at most. */
  stirred(ms: number): Promise<void>
  /** Wakes who waits. */
  stir(): void
  /** The next bytes. */
  take(mostBytes: number): Buffer
}

/** Takes what is written until `fullBytes` are there, then waits until some were taken. */
export const createOutlet = (fullBytes: number): Outlet => {
  let held: Buffer[] = []
  let haveBytes = 0
  let isEnded = false
  let goOn: (() => void) | null = null
  let wake = (): void => undefined
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      held.push(chunk)
      haveBytes += chunk.length
      if (haveBytes < fullBytes) done()
      else goOn = done
      wake()
    },
    final(done) {
      isEnded = true
      done()
      wake()
    },
    destroy(error, done) {
      done(error)
      wake()
    },
  })
  return {
    stream,
    have: () => haveBytes,
    ended: () => isEnded,
    stirred: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    stir: () => wake(),
    take(mostBytes) {
      const all = Buffer.concat(held)
      const piece = all.subarray(0, mostBytes)
      const rest = all.subarray(mostBytes)
      held = rest.length === 0 ? [] : [rest]
      haveBytes = rest.length
      if (goOn !== null && haveBytes < fullBytes) {
        const next = goOn
        goOn = null
        next()
      }
      return piece
    },
  }
}
