import type { ServerHttp2Stream } from 'node:http2'
import type { Http2Services, StreamState } from '../http2-services.ts'
import { isWaiting, sweepStream } from './sweep-stream.ts'

/** How many times as long a stream may take that shares a slow line with others. */
const MAX_SHARES = 8

/** The streams of a connection that are not over. */
export class OpenStreams {
  readonly #states = new Map<ServerHttp2Stream, StreamState>()

  get size(): number {
    return this.#states.size
  }

  /** `receiving`: the request's body is still to come. */
  begin(stream: ServerHttp2Stream, receiving: boolean, nowMs: number): StreamState {
    const state: StreamState = {
      startedMs: nowMs,
      progressMs: nowMs,
      receiving,
      closeAtMs: null,
      closedByUs: false,
    }
    this.#states.set(stream, state)
    return state
  }

  end(stream: ServerHttp2Stream): void {
    this.#states.delete(stream)
  }

  /** How many wait for the client. */
  waiting(): number {
    let waiting = 0
    for (const stream of this.#states.keys()) if (isWaiting(stream)) waiting++
    return waiting
  }

  /**
   * Ends those whose time is up. Of a line that `sharing` streams share each gets
   * its share, so each has as many times as long, within reason.
   */
  sweep(nowMs: number, sharing: number, services: Http2Services): void {
    const shares = Math.min(Math.max(1, sharing), MAX_SHARES)
    for (const [stream, state] of this.#states) {
      sweepStream(stream, state, nowMs, shares, services)
    }
  }
}
