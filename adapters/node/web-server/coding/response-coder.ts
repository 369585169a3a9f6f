import type { ResponseCoder, Dress } from '#handlers/sites/responses/code-response.ts'
import type { ContentCoding } from '#edge-cache/index.ts'
import { sourceOf } from '../files/file-source.ts'
import { fieldsOf, QuickHeaders } from '../../messages/quick-headers.ts'
import { QuickResponse, wholeBodyOf } from '../../messages/quick-response.ts'
import { codedStream } from './coded-stream.ts'
import { encodeAside, encodeNow } from './coding-options.ts'
import { createFileCopies, type FileCopy } from './file-copies.ts'

/** Up to this a body is coded at once, in about 0.3 ms: the way through a thread costs as much. */
const AT_ONCE_BYTES = 32 * 1024
/** Bodies being made in threads at a time; what comes on top goes out as it is. */
const MAX_ASIDE = 16
/** Bodies being coded while they are sent; each holds up to a megabyte, for as long as its client is slow. */
const MAX_STREAMS = 64
/** Of these, for one site: the clients of one may all be slow. */
const SITE_SHARE = 1 / 4
/** Longer ones are downloads: who wants them small has a file beside them. */
const MAX_STREAM_BYTES = 16 * 2 ** 20
const COPIES_BYTES = 32 * 2 ** 20

type Body = Uint8Array<ArrayBuffer>

/** The responses of one worker in codings, as many at a time as its processor and memory bear. */
export const createResponseCoder = (
  limits: { streams?: number; aside?: number; copiesBytes?: number } = {},
): ResponseCoder => {
  const { streams = MAX_STREAMS, aside = MAX_ASIDE, copiesBytes = COPIES_BYTES } = limits
  const copies = createFileCopies(copiesBytes)
  const streaming = new Map<string, number>()
  let open = 0
  let running = 0

  const answer = (
    { status, headers }: Response,
    body: Body | ReadableStream<Body>,
    dress: Dress | null,
  ): Response => {
    const own = new QuickHeaders([...fieldsOf(headers)])
    dress?.(own, body instanceof Uint8Array ? body.byteLength : null)
    return new QuickResponse(body, status, own)
  }
  const smaller = (response: Response, made: Body, whole: Body, dress: Dress): Response | null =>
    made.byteLength < whole.byteLength ? answer(response, made, dress) : null

  const codeWhole = (
    response: Response,
    whole: Body,
    coding: ContentCoding,
    dress: Dress,
  ): Response | null | Promise<Response | null> => {
    if (whole.byteLength <= AT_ONCE_BYTES)
      return smaller(response, encodeNow(whole, coding), whole, dress)
    if (running >= aside) return null
    running++
    return encodeAside(whole, coding, 'once')
      .finally(() => running--)
      .then((made) => smaller(response, made, whole, dress))
  }
  const codeStream = (
    response: Response,
    body: ReadableStream<Uint8Array>,
    coding: ContentCoding,
    dress: Dress,
    site: string,
  ): Response | null => {
    const declared = Number(response.headers.get('content-length') ?? 0)
    const own = streaming.get(site) ?? 0
    if (declared > MAX_STREAM_BYTES || open >= streams || own >= streams * SITE_SHARE) return null
    open++
    streaming.set(site, own + 1)
    const done = (): void => {
      open--
      const left = (streaming.get(site) ?? 1) - 1
      if (left > 0) streaming.set(site, left)
      else streaming.delete(site)
    }
    return answer(response, codedStream(body, coding, done), dress)
  }

  return {
    code(response, coding, dress, site) {
      const whole = wholeBodyOf(response)
      if (whole !== null) return codeWhole(response, whole, coding, dress)
      const { body } = response
      if (body === null || body.locked) return null
      const source = sourceOf(body)
      const copy = source === null ? null : copies.get(source, coding)
      const give = ({ isCoded, body: bytes }: FileCopy): Response =>
        answer(response, bytes, isCoded ? dress : null)
      if (copy !== null) return copy instanceof Promise ? copy.then(give) : give(copy)
      return codeStream(response, body, coding, dress, site)
    },
  }
}
