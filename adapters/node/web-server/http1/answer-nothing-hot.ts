import type { Socket } from 'node:net'
import type { ConnectionServices } from './connection-services.ts'
import type { HotAsked } from './hot-asked.ts'
import type { RequestReader } from './request-reader.ts'
import type { ConnectionFacts } from './site-context-of.ts'
import { writeAnswer } from './wire-answer.ts'

/** Answers where there is no site, or nothing at a site's path; see `answerHot`, which has judged the rest. */
export const answerNothingHot = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  { head, facts }: RequestReader,
  asked: HotAsked,
): boolean | null => {
  const { nothing, clock } = services
  if (nothing === null) return null
  const { host, acceptEncoding, hasBypassCookie } = facts
  const { path, query, bytes, lineStart } = asked
  const request = { host, acceptEncoding, hasBypassCookie, query }
  const failure = nothing.find(request, path, head.plainPath, connection.secure)
  if (failure === null) return null
  const answer = failure.answer(head.isHead, clock)
  writeAnswer(socket, answer)
  if (failure.cacheStatus !== null) nothing.count(host, failure)
  services.accessLog.hitLine(
    connection.addressBytes,
    bytes,
    lineStart,
    head.blockStart,
    404,
    answer.bodyBytes,
    facts.hitTail,
    host,
    failure.logEnding,
  )
  return socket.writableLength === 0 || !socket.writableNeedDrain
}
