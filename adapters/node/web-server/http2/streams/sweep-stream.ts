import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Http2Services, StreamState } from '../http2-services.ts'
import { breakOff, respond } from './stream-response.ts'

const REQUEST_TIMEOUT = [':status', '408', 'content-length', '0']

/** Whether something waits for the client; otherwise it is the site that takes its time. */
export const isWaiting = (stream: ServerHttp2Stream): boolean =>
  stream.writableLength > 0 || stream.writableEnded

/**
 * Ends a stream whose time is up: the client takes nothing of its response, its
 * body does not come to an end, or nobody wants the rest of that body. `shares`:
 * among how many streams the client's line is shared.
 */
export const sweepStream = (
  stream: ServerHttp2Stream,
  state: StreamState,
  nowMs: number,
  shares: number,
  { times, requestMs }: Http2Services,
): void => {
  if (!isWaiting(stream)) state.progressMs = nowMs
  const stalled = nowMs >= state.progressMs + times.stallMs * shares
  const late = state.receiving && nowMs >= state.startedMs + requestMs
  if (late && respond(stream, REQUEST_TIMEOUT, true)) state.closeAtMs = nowMs
  if (!stalled && !late && (state.closeAtMs === null || nowMs < state.closeAtMs)) return
  state.closedByUs = true
  if (stalled || !stream.writableEnded) breakOff(stream)
  else stream.close(constants.NGHTTP2_NO_ERROR)
}
