import type { ServerHttp2Stream } from 'node:http2'
import { sourceOf } from '../../files/file-source.ts'
import { pumpBody, drained } from '../../http1/write/pump-body.ts'
import { planResponse } from '../../http1/write/response-head.ts'
import { isFramedBy } from '../../http1/write/write-file.ts'
import type { Trailers } from '../../http1/general/write-response.ts'
import type { StreamState } from '../http2-services.ts'
import { pumpFileStream } from './pump-file-stream.ts'
import { SLICE_BYTES } from '../frames/slice-bytes.ts'

const WITH_BODY = {}
const NO_BODY = { endStream: true }
const MAY_TRAIL = { waitForTrailers: true }

/** Writes bytes in slices, each when the client took the one before. */
export const writeSlices = async (
  stream: ServerHttp2Stream,
  bytes: Uint8Array,
  onProgress: () => void,
): Promise<void> => {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
    if (!stream.write(bytes.subarray(at, at + SLICE_BYTES))) await drained(stream)
    onProgress()
  }
}

/** Sends status and fields that are ready to be sent; `mayTrail`: fields may follow the body. False when the stream is gone. */
export const respond = (
  stream: ServerHttp2Stream,
  fields: string[],
  ends: boolean,
  mayTrail = false,
): boolean => {
  if (stream.destroyed || stream.closed || stream.headersSent) return false
  stream.respond(fields, ends ? NO_BODY : mayTrail ? MAY_TRAIL : WITH_BODY)
  return true
}

/** Resets a stream whose response has begun. Closing it would end the response as if it were whole. */
export const breakOff = (stream: ServerHttp2Stream): void => {
  stream.destroy(new Error('The answer broke off.'))
}

/** Ends a response that was begun with `MAY_TRAIL`. Without fields the session sends an empty DATA frame. */
const endWithTrailers = (stream: ServerHttp2Stream, trailers: Trailers): void => {
  stream.once('wantTrailers', () => {
    if (stream.destroyed || stream.closed) return
    const fields: Record<string, string[]> = {}
    for (const [name, value] of trailers) (fields[name] ??= []).push(value)
    stream.sendTrailers(fields)
  })
  stream.end()
}

/**
 * Sends `response` as the response to `method`. Rejects when its body fails or the
 * client goes away; the caller resets the stream then, so that a truncated body
 * is seen as truncated. Answers the body bytes.
 */
export const sendResponse = async (
  stream: ServerHttp2Stream,
  response: Response,
  options: {
    method: string
    httpDate: string
    state: StreamState
    nowMs: () => number
    /** Fields that follow the body, asked for at its end. */
    trailers: () => Trailers | null
  },
): Promise<number> => {
  const plan = planResponse(response, options.method, options.httpDate)
  const fields = [':status', String(plan.status)]
  for (const [name, value] of plan.fields) fields.push(name, value)
  const { body } = response
  const ends = !plan.hasBody || body === null
  const mayTrail = plan.lengthBytes === null && options.trailers() !== null
  if (!respond(stream, fields, ends, mayTrail)) throw new Error('The client closed the stream.')
  if (ends) {
    body?.cancel().catch(() => undefined)
    return 0
  }
  const onProgress = (): void => {
    options.state.progressMs = options.nowMs()
  }
  const source = sourceOf(body)
  if (source !== null && isFramedBy(plan, source)) {
    const fileBytes = await pumpFileStream(stream, source, onProgress)
    stream.end()
    return fileBytes
  }
  const sent = await pumpBody(body, stream, plan.lengthBytes, (chunk) => {
    onProgress()
    if (chunk.byteLength <= SLICE_BYTES) return stream.write(chunk)
    return writeSlices(stream, chunk, onProgress)
  })
  if (mayTrail) endWithTrailers(stream, options.trailers() ?? [])
  else stream.end()
  return sent
}
