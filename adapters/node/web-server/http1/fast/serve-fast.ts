import type { Socket } from 'node:net'
import { serveFileFast } from './serve-file.ts'
import { serveMissingFast } from './serve-missing.ts'
import type { ConnectionServices } from '../connection-services.ts'
import { isSameTag } from './fast-facts.ts'
import type { RequestReader } from '../head/request-reader.ts'
import type { ConnectionFacts } from '../slow/site-context-of.ts'
import { writeResponseBytes } from '../write/wire-response.ts'
import { fitsLine } from '../write/write-pieces.ts'

/** Of a request line, before its target. */
const GET_BYTES = 'GET '.length
const HEAD_BYTES = 'HEAD '.length

/**
 * Answers the request just read from prebuilt bytes. True: answered; false:
 * answered, but the client must take it before more is written; null: nothing
 * was written, the request goes the slow path.
 */
export const serveFast = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  reader: RequestReader,
  bytes: Buffer,
): boolean | null => {
  const { head, facts } = reader
  if (facts.special || facts.close || services.draining()) return null
  // Whether the connection was made to this site is judged there.
  if (connection.serverName !== null && connection.serverName !== facts.host) return null
  const known = reader.known(bytes)
  const target = known === null ? reader.target(bytes) : known.text
  const mark = head.hasQuery ? target.indexOf('?') : -1
  const rawPath = mark === -1 ? target : target.slice(0, mark)
  const path = head.plainPath ? target : services.normalizePath(rawPath)
  if (path === null) return null
  const lineStart = head.targetStart - (head.isHead ? HEAD_BYTES : GET_BYTES)
  const { etag } = facts
  const entry = mark === -1 ? services.fast.find(facts, path, connection, known) : null
  if (entry === null) {
    const query = mark === -1 ? null : target.slice(mark + 1)
    const { host, acceptEncoding, hasBypassCookie } = facts
    const request = { host, acceptEncoding, hasBypassCookie, query }
    const asked = { request, path, bytes, lineStart, known, target }
    const file = serveFileFast(socket, connection, services, reader, asked)
    return file ?? serveMissingFast(socket, connection, services, reader, asked)
  }
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (entry.etag === null || !isSameTag(etag, entry.etag))) return null
  const kind = etag !== null ? 'not-modified' : head.isHead ? 'head' : 'get'
  // The slow path sends it in pieces.
  if (kind === 'get' && !fitsLine(socket, entry.body)) return null
  if (!services.limits.passes(facts.host, path, head.plainPath, connection.clientAddress))
    return null
  const answer = services.answers.get(entry, kind)
  const more = writeResponseBytes(socket, answer)
  if (socket.writableLength === 0) services.answers.written(answer)
  services.counters.fastHits++
  services.counters.fastBytes += answer.bodyBytes
  services.accessLog.hitLine(
    connection.addressBytes,
    bytes,
    lineStart,
    head.blockStart,
    etag !== null ? 304 : 200,
    answer.bodyBytes,
    facts.hitTail,
    facts.host,
  )
  const status = etag !== null ? 304 : 200
  const { figures } = services.accessLog
  figures?.hit(facts.visitor, known, target, status, answer.bodyBytes, 'HIT')
  return more
}
