import { multipartRanges, REVALIDATE_HEADER } from '../../../edge-cache/index.ts'
import { selectPart } from './conditional.ts'
import type { Validators } from './conditional.ts'
import { contentTypeOf } from './content-type.ts'
import type { SiteFile } from '../site-files.ts'

/** Below this age a file may change again without a new time stamp, so its ETag is weak (RFC 9110, 8.8.3.1). */
const SETTLED_MS = 1000

const validatorsOf = (file: SiteFile, nowMs: number): Validators => {
  const micros = Math.round(file.mtimeMs * 1000)
  const tag = `"${[file.sizeBytes, micros, file.inode].map((part) => part.toString(16)).join('-')}"`
  return {
    etag: nowMs - file.mtimeMs < SETTLED_MS ? `W/${tag}` : tag,
    lastModifiedMs: Math.floor(Math.min(file.mtimeMs, nowMs) / 1000) * 1000,
  }
}

/**
 * Answers GET or HEAD with an open file: whole, a part, or the news that it did
 * not change. Takes over the file. The page cache is told to look again after a
 * second, so that an edit shows; it removes that header.
 */
export const serveFile = (
  request: Request,
  file: SiteFile,
  name: string,
  nowMs = Date.now(),
): Response => {
  const validators = validatorsOf(file, nowMs)
  const part = selectPart(request.method, request.headers, validators, file.sizeBytes)
  const type = contentTypeOf(name)
  const headers = new Headers({
    etag: validators.etag,
    'last-modified': new Date(validators.lastModifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    [REVALIDATE_HEADER]: '1',
  })
  if (part.status === 304 || part.status === 412 || part.status === 416) {
    file.close()
    if (part.status === 416) headers.set('content-range', `bytes */${file.sizeBytes}`)
    if (part.status !== 304) headers.set('content-length', '0')
    return new Response(null, { status: part.status, headers })
  }
  headers.set('content-type', type)
  if (part.status === 206 && part.ranges.length > 1) {
    const framed = multipartRanges(part.ranges, type, file.sizeBytes)
    headers.set('content-type', framed.contentType)
    headers.set('content-length', String(framed.lengthBytes))
    return new Response(file.parts(framed, part.ranges), { status: 206, headers })
  }
  const range = part.status === 206 ? part.ranges[0] : undefined
  headers.set('content-length', String(range ? range.end - range.start + 1 : file.sizeBytes))
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
  if (request.method === 'HEAD') {
    file.close()
    return new Response(null, { status: part.status, headers })
  }
  return new Response(file.stream(range), { status: part.status, headers })
}
