import type { Socket } from 'node:net'
import type { ConnectionServices } from '../connection-services.ts'
import type { FastTarget } from './fast-request.ts'
import type { RequestReader } from '../head/request-reader.ts'
import type { ConnectionFacts } from '../slow/site-context-of.ts'
import { writeFast } from './write-fast.ts'

/** Answers where there is no site, or nothing at a site's path; see `serveFast`, which has judged the rest. */
export const serveMissingFast = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  reader: RequestReader,
  asked: FastTarget,
): boolean | null => {
  const { nothing, clock } = services
  if (nothing === null) return null
  const { head, facts } = reader
  const { request, path } = asked
  const failure = nothing.find(request, path, head.plainPath, connection.secure)
  if (failure === null) return null
  if (!services.limits.passes(facts.host, path, head.plainPath, connection.clientAddress))
    return null
  if (failure.cacheStatus !== null) nothing.count(facts.host, failure)
  const answer = failure.answer(head.isHead, clock)
  const { logEnding } = failure
  const isMiss = failure.cacheStatus !== null
  return writeFast(socket, connection, services, reader, asked, {
    answer,
    status: 404,
    logEnding,
    isMiss,
  })
}
