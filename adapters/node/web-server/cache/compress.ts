import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BodyEncoder } from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'

const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)

/** 6 of 9, 5 of 11: what is beyond costs several times more and saves some percent. */
const GZIP_LEVEL = 6
const BROTLI_QUALITY = 5

/** A worker whose event loop is occupied for more than this part of the time is busy. */
const BUSY_UTILIZATION = 0.9
/** Over what time the occupation is measured, at least. */
const MEASURE_MS = 200

/** Window of the smallest size that takes the whole body, so that small pages do not cost megabytes. */
const brotliWindow = (sizeBytes: number): number =>
  Math.min(Math.max(Math.ceil(Math.log2(sizeBytes + 16)), 16), 22)

/**
 * Compresses in Node's thread pool, aside of the event loop; busy while the
 * loop is. The same body gives the same bytes in every process of a release.
 */
export const createCompressor = (log: Log): BodyEncoder => {
  let since = performance.eventLoopUtilization()
  let measuredMs = performance.now()
  let busy = false
  return {
    async encode(body, coding) {
      try {
        const made =
          coding === 'gzip'
            ? await toGzip(body, { level: GZIP_LEVEL })
            : await toBrotli(body, {
                params: {
                  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
                  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
                  [constants.BROTLI_PARAM_LGWIN]: brotliWindow(body.byteLength),
                  [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
                },
              })
        // A copy of the exact size: zlib's buffers are larger than what is in them.
        return new Uint8Array(made)
      } catch (error) {
        log.warn('a page could not be compressed', { coding, error: String(error) })
        return null
      }
    },
    isBusy() {
      const nowMs = performance.now()
      if (nowMs - measuredMs < MEASURE_MS) return busy
      busy = performance.eventLoopUtilization(since).utilization > BUSY_UTILIZATION
      since = performance.eventLoopUtilization()
      measuredMs = nowMs
      return busy
    },
  }
}
