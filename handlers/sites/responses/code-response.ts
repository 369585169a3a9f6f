import {
  acceptsCoding,
  boundedMemo,
  type ContentCoding,
  isFixedBody,
  isTextType,
  MIN_CODED_BYTES,
  preferredCoding,
  weak,
  withAcceptEncoding,
} from '../../../edge-cache/index.ts'
import type { Plan } from '../htaccess/plan.ts'
import { servedFileOf } from './served-file.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteFiles } from '../site-files.ts'

/** Changes a response's fields to those of its body in a coding, of `sizeBytes` (null: not known yet). */
export type Dress = (headers: Headers, sizeBytes: number | null) => void

/** Puts bodies into codings on their way to the client. */
export interface ResponseCoder {
  /**
   * The response with its body in the coding and its fields dressed; null where that
   * would not help, or everything that could do it is occupied: the response is then
   * untouched. A body that is a stream goes on whenever its origin pauses. `site`
   * is the primary domain, since no site may occupy all.
   */
  code(
    response: Response,
    coding: ContentCoding,
    dress: Dress,
    site: string,
  ): Response | null | Promise<Response | null>
}

/** Environment variables by which rules keep answers as they are (mod_deflate, mod_brotli). */
export const forbidsCoding = ({ env }: Plan): boolean => env.has('no-gzip')

/** Statuses without a body, or with one that is a part. */
const UNCODED = new Set([204, 205, 206, 304])
/** Endings of files that hold another file in a coding. */
const SIBLINGS: readonly (readonly [coding: ContentCoding, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

const lengthOf = (headers: Headers): number | null => {
  const field = headers.get('content-length')
  return field !== null && /^\d{1,15}$/.test(field) ? Number(field) : null
}

interface MediaType {
  /** Without parameters, lower case. */
  type: string
  isText: boolean
}

const mediaTypeOf = boundedMemo(
  (field): MediaType => {
    const type = (field.split(';', 1)[0] ?? '').trim().toLowerCase()
    return { type, isText: isTextType(type) }
  },
  { maxTexts: 200, maxLength: 100 },
)

const vary = (headers: Headers): void => {
  const own = headers.get('vary')
  headers.set('vary', own === null || own === '' ? 'Accept-Encoding' : withAcceptEncoding(own))
}

const dressOf =
  (coding: ContentCoding): Dress =>
  (headers, sizeBytes) => {
    headers.set('content-encoding', coding)
    // Ranges are of the body as it is.
    headers.delete('accept-ranges')
    if (sizeBytes === null) headers.delete('content-length')
    else headers.set('content-length', String(sizeBytes))
    const etag = headers.get('etag')
    if (etag !== null) headers.set('etag', weak(etag))
  }

/** Whether a response is of a kind that is sent in codings at all, whoever asks. */
const isCodable = ({ status, headers }: Response, call: SiteCall): boolean => {
  const { plan, vhost } = call
  if (status < 200 || UNCODED.has(status)) return false
  const { type, isText } = mediaTypeOf(headers.get('content-type') ?? '')
  const coded = plan?.settings?.coded
  if (!isText && !coded) return false
  if (headers.has('content-encoding') || headers.has('content-range')) return false
  // Stored pages have their codings; what http mode stores is as its origin coded it.
  if (headers.get('x-cache') === 'HIT' && vhost.cache.mode !== 'http') return false
  if ((lengthOf(headers) ?? MIN_CODED_BYTES) < MIN_CODED_BYTES || isFixedBody(headers)) return false
  if (plan && forbidsCoding(plan)) return false
  if (plan?.env.has('gzip-only-text/html') && type !== 'text/html') return false
  if (isText) return true
  if (!coded || type === 'text/event-stream') return false
  const extension = /\.([^./]+)$/.exec(plan.target.file ?? '')?.[1] ?? ''
  return coded.all || coded.types.has(type) || coded.extensions.has(extension.toLowerCase())
}

/** The coding to make, where rules allow it. */
const codingFor = (field: string | null, { plan }: SiteCall): ContentCoding | null => {
  const coding = preferredCoding(field)
  if (coding !== 'br' || plan?.env.has('no-brotli') !== true) return coding
  return acceptsCoding(field, 'gzip') ? 'gzip' : null
}

/**
 * A client that has the response in a coding knows it by a weak tag (see `Dress`), and
 * is told by the same that it did not change (RFC 9110, 15.4.5).
 */
const tagAsKnown = (request: Request, { headers }: Response): void => {
  const etag = headers.get('etag')
  const known = request.headers.get('if-none-match')
  if (etag === null || etag.startsWith('W/') || !known?.includes(weak(etag))) return
  headers.set('etag', weak(etag))
  vary(headers)
}

/** The file beside a served one that holds it in a coding that the client accepts, where it is not older. */
const sibling = async (
  response: Response,
  field: string | null,
  files: SiteFiles,
): Promise<Response | null> => {
  const served = servedFileOf(response)
  if (served === null) return null
  const { place, mtimeMs } = served
  for (const [coding, ending] of SIBLINGS) {
    if (!acceptsCoding(field, coding)) continue
    // Whatever is wrong with it, there is still the file itself.
    const file = await files
      .open({ ...place, path: `${place.path}${ending}` })
      .catch(() => 'missing' as const)
    if (typeof file !== 'object') continue
    if (file.mtimeMs < mtimeMs || file.sizeBytes === 0) {
      file.close()
      continue
    }
    response.body?.cancel().catch(() => undefined)
    dressOf(coding)(response.headers, file.sizeBytes)
    const { status, headers } = response
    return new Response(file.stream(), { status, headers })
  }
  return null
}

const inCoding = async (
  request: Request,
  response: Response,
  coding: ContentCoding,
  site: string,
  { coder, files }: { coder: ResponseCoder; files: SiteFiles },
): Promise<Response> => {
  const there = await sibling(response, request.headers.get('accept-encoding'), files)
  return there ?? (await coder.code(response, coding, dressOf(coding), site)) ?? response
}

/**
 * The response as its client gets it: text in a coding that it accepts. Everything
 * passes here on its way out, so nothing is coded twice, and what is stored on the
 * way is as its origin made it.
 */
export const codeResponse = (
  request: Request,
  response: Response,
  call: SiteCall,
  by: { coder: ResponseCoder; files: SiteFiles },
): Response | Promise<Response> => {
  const { headers } = response
  if (response.status === 304 && headers.get('x-cache') !== 'HIT') tagAsKnown(request, response)
  if (!isCodable(response, call)) return response
  const isHead = request.method === 'HEAD'
  // A response of unknown length may be too short for a coding; of a body there is more to see.
  if (isHead && lengthOf(headers) === null) return response
  vary(headers)
  if (request.headers.has('range')) return response
  const coding = codingFor(request.headers.get('accept-encoding'), call)
  if (coding === null) return response
  if (!isHead) return inCoding(request, response, coding, call.vhost.domain, by)
  dressOf(coding)(headers, null)
  return response
}
