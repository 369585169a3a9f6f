import type { ServerHttp2Stream } from 'node:http2'
import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import type { Http2Services, StreamState } from '../http2-services.ts'
import { SLICE_BYTES } from '../frames/slice-bytes.ts'
import { respond, writeSlices } from '../streams/stream-response.ts'

/**
 * Sends a ready answer over the session: one that is too long to be sent at
 * once, or whose client takes nothing now. False: the stream is gone.
 */
export const serveStreamFast = (
  stream: ServerHttp2Stream,
  answer: FieldResponse,
  services: Http2Services,
  state: StreamState,
): boolean => {
  const { body } = answer
  if (!respond(stream, answer.fields, body === null)) return false
  if (body !== null && body.byteLength <= SLICE_BYTES) stream.end(body)
  else if (body !== null) {
    const onProgress = (): void => {
      state.progressMs = services.clock.nowMs
    }
    // A client that leaves half-way is its own business.
    writeSlices(stream, body, onProgress).then(
      () => stream.end(),
      () => undefined,
    )
  }
  return true
}
