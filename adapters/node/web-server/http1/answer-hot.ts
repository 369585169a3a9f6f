import type { Socket } from 'node:net'
import type { ConnectionServices } from './connection-services.ts'
import { isSameTag } from './hot-facts.ts'
import type { RequestReader } from './request-reader.ts'
import type { ConnectionFacts } from './site-context-of.ts'

/**
 * Answers the request just read from prebuilt bytes. True: answered; false:
 * answered, but the client must take it before more is written; null: nothing
 * was written, the request goes the cold way.
 */
export const answerHot = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  reader: RequestReader,
  bytes: Buffer,
): boolean | null => {
  const { head, facts } = reader
  if (facts.special || head.hasQuery || facts.close || services.draining()) return null
  // Whether the connection was made to this site is judged there.
  if (connection.serverName !== null && connection.serverName !== facts.host) return null
  const target = reader.target(bytes)
  const path = head.plainPath ? target : services.normalizePath(target)
  if (path === null) return null
  const entry = services.hot.find(facts, path, connection.secure)
  if (entry === null) return null
  const { etag } = facts
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (entry.etag === null || !isSameTag(etag, entry.etag))) return null
  const kind = etag !== null ? 'not-modified' : head.isHead ? 'head' : 'get'
  const answer = services.answers.get(entry, kind)
  let more = socket.write(answer.bytes)
  if (answer.rest !== null) more = socket.write(answer.rest)
  services.counters.hotHits++
  services.counters.hotBytes += answer.bodyBytes
  services.accessLog.hit(
    connection.clientAddress,
    head.isHead ? 'HEAD' : 'GET',
    target,
    etag !== null ? 304 : 200,
    answer.bodyBytes,
    facts.tail,
    facts.host,
  )
  return more
}
