import type { SiteContext } from '#handlers/sites/site-context.ts'
import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import { isSameTag } from '../../http1/fast/fast-facts.ts'
import type { FastFile } from '../../http1/fast/fast-file.ts'
import type { FastConnection } from '../../http1/fast/fast-path.ts'
import type { Visitor } from '../../figures/visitor.ts'
import type { Http2Services } from '../http2-services.ts'
import type { StreamHead } from '../streams/stream-head.ts'

/** A response that is ready to be sent. */
export interface FoundResponse {
  answer: FieldResponse
  /** The file that it is of; null for a page. */
  file: FastFile | null
}

/**
 * The ready answer to a request without a body, from the same pages and files as
 * over HTTP/1; null: the request goes the slow path. `host` is the judged
 * authority. Asked once for each request: to have asked for a file may oblige to renew it,
 * and a limit counts what was found.
 */
export const findStreamResponse = (
  head: StreamHead,
  host: string,
  connection: FastConnection & Pick<SiteContext, 'clientAddress'>,
  services: Http2Services,
): FoundResponse | null => {
  const { method, path: target, etag } = head
  const isHead = method === 'HEAD'
  if (head.special || head.scheme !== 'https' || !(isHead || method === 'GET')) return null
  if (head.hostField !== null && head.authority !== null) return null
  if (!head.isSimple) return null
  const mark = target.indexOf('?')
  const rawPath = mark === -1 ? target : target.slice(0, mark)
  const path = head.isPlain ? target : services.normalizePath(rawPath)
  if (path === null) return null
  const request = head.fastRequest(host)
  const entry = mark === -1 ? services.fast.find(request, path, connection) : null
  const { acceptEncoding, hasBypassCookie } = request
  const query = mark === -1 ? null : target.slice(mark + 1)
  const file =
    entry === null
      ? (services.files?.find(
          { host, acceptEncoding, hasBypassCookie, query },
          path,
          connection.secure,
        ) ?? null)
      : null
  const found = entry ?? file
  if (found === null) return null
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (found.etag === null || !isSameTag(etag, found.etag))) return null
  if (!services.limits.passes(host, path, head.isPlain, connection.clientAddress)) return null
  const kind = etag !== null ? 'not-modified' : isHead ? 'head' : 'get'
  if (file !== null) return { answer: file.fieldResponse(kind, services.clock), file }
  if (entry === null) return null
  return { answer: services.answers.getFields(entry, kind), file: null }
}

/** Counts and logs a response of the fast path. */
export const recordHit = (
  { answer, file }: FoundResponse,
  head: StreamHead,
  log: { host: string; tail: string; visitor: Visitor },
  services: Http2Services,
): void => {
  const bodyBytes = answer.body === null ? 0 : answer.body.byteLength
  if (file !== null) services.files?.count(file)
  else {
    services.counters.fastHits++
    services.counters.fastBytes += bodyBytes
  }
  const cached = file === null ? 'HIT' : file.xCache === null ? null : 'MISS'
  const { figures } = services.accessLog
  figures?.hit(log.visitor, null, head.path, answer.status, bodyBytes, cached)
  services.accessLog.hit(
    log.visitor.address,
    head.method,
    head.path,
    answer.status,
    bodyBytes,
    log.tail,
    log.host,
    'HTTP/2.0',
    ...(file === null ? [] : [file.xCache]),
  )
}
