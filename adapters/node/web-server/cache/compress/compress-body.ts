import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { ContentCoding } from '#edge-cache/index.ts'

/** 6 of 9, 5 of 11: what is beyond costs several times more and saves some percent. */
const GZIP_LEVEL = 6
const BROTLI_QUALITY = 5

/** Window of the smallest size that takes the whole body, so that small pages do not cost megabytes. */
const brotliWindow = (sizeBytes: number): number =>
  Math.min(Math.max(Math.ceil(Math.log2(sizeBytes + 16)), 16), 22)

/** The body in a coding, in memory of its own; the same bytes in every process of a release. */
export const compressBody = (body: Uint8Array, coding: ContentCoding): Uint8Array<ArrayBuffer> => {
  const made =
    coding === 'gzip'
      ? gzipSync(body, { level: GZIP_LEVEL })
      : brotliCompressSync(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
            [constants.BROTLI_PARAM_LGWIN]: brotliWindow(body.byteLength),
            [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
          },
        })
  // A copy of the exact size: zlib's buffers are larger than what is in them.
  return new Uint8Array(made)
}
