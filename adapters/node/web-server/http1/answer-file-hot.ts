import type { Socket } from 'node:net'
import type { ConnectionServices } from './connection-services.ts'
import { isSameTag } from './hot-facts.ts'
import type { HotAsked } from './hot-asked.ts'
import type { RequestReader } from './request-reader.ts'
import type { ConnectionFacts } from './site-context-of.ts'
import { writeAnswer } from './wire-answer.ts'

/** Answers from a remembered file; see `answerHot`, which has judged all that files and pages have in common. */
export const answerFileHot = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  { head, facts }: RequestReader,
  asked: HotAsked,
): boolean | null => {
  const { files, clock } = services
  if (files === null) return null
  const { host, etag, acceptEncoding, hasBypassCookie } = facts
  const { path, query, bytes, lineStart } = asked
  const file = files.find({ host, acceptEncoding, hasBypassCookie, query }, path, connection.secure)
  if (file === null) return null
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (file.etag === null || !isSameTag(etag, file.etag))) return null
  const kind = etag !== null ? 'not-modified' : head.isHead ? 'head' : 'get'
  const answer = file.answer(kind, clock)
  writeAnswer(socket, answer)
  files.count(file)
  services.accessLog.hitLine(
    connection.addressBytes,
    bytes,
    lineStart,
    head.blockStart,
    etag !== null ? 304 : 200,
    answer.bodyBytes,
    facts.hitTail,
    host,
    file.logEnding,
  )
  // What the kernel took at once needs no waiting, however much it was.
  return socket.writableLength === 0 || !socket.writableNeedDrain
}
