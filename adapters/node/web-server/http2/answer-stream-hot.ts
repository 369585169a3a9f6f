import type { ServerHttp2Stream } from 'node:http2'
import { isSameTag } from '../http1/hot-facts.ts'
import type { ConnectionFacts } from '../http1/site-context-of.ts'
import type { Http2Services, StreamState } from './http2-services.ts'
import { respond, SLICE_BYTES, writeSlices } from './stream-answer.ts'
import type { StreamHead } from './stream-head.ts'

/**
 * Answers a request without a body from the same prebuilt entries as HTTP/1.
 * False: nothing was sent, the request goes the cold way. `host` is the judged
 * authority, `tail` the repeating part of the log line.
 */
export const answerStreamHot = (
  stream: ServerHttp2Stream,
  connection: ConnectionFacts,
  services: Http2Services,
  head: StreamHead,
  host: string,
  tail: () => string,
  state: StreamState,
): boolean => {
  const { method, path, etag } = head
  const isHead = method === 'HEAD'
  if (head.special || head.scheme !== 'https' || !(isHead || method === 'GET')) return false
  if (head.hostField !== null && head.authority !== null) return false
  if (!head.isSimple) return false
  const lookedUp = head.isPlain ? path : services.normalizePath(path)
  if (lookedUp === null) return false
  const entry = services.hot.find(
    {
      host,
      acceptEncoding: head.acceptEncoding,
      device: () => head.device(),
      hasBypassCookie: (list) => head.hasBypassCookie(list),
    },
    lookedUp,
    connection.secure,
  )
  if (entry === null) return false
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (entry.etag === null || !isSameTag(etag, entry.etag))) return false
  const kind = etag !== null ? 'not-modified' : isHead ? 'head' : 'get'
  const answer = services.answers.getFields(entry, kind)
  const { body } = answer
  if (!respond(stream, answer.fields, body === null)) return true
  const bodyBytes = body === null ? 0 : body.byteLength
  if (body !== null && bodyBytes <= SLICE_BYTES) stream.end(body)
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
  services.counters.hotHits++
  services.counters.hotBytes += bodyBytes
  services.accessLog.hit(
    connection.clientAddress,
    method,
    path,
    answer.status,
    bodyBytes,
    tail(),
    host,
    'HTTP/2.0',
  )
  return true
}
