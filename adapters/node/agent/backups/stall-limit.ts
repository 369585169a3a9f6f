import { Transform } from 'node:stream'
import { unavailable } from '#handlers/errors.ts'

/** Passes everything on; fails with 503 when nothing has come for `limitMs`: a tenant can halt its own processes. */
export const stallLimit = (limitMs: number, what: string): Transform => {
  const timer = setTimeout(
    () => limit.destroy(unavailable(`${what} stopped for ${Math.round(limitMs / 1000)} seconds.`)),
    limitMs,
  )
  const limit: Transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      done(null, chunk)
    },
    destroy(error, done) {
      clearTimeout(timer)
      done(error)
    },
  })
  return limit
}
