import type { Socket } from 'node:net'
import type { ConnectionServices } from '../connection-services.ts'
import { isSameTag } from './fast-facts.ts'
import type { FastTarget } from './fast-request.ts'
import type { RequestReader } from '../head/request-reader.ts'
import type { ConnectionFacts } from '../slow/site-context-of.ts'
import { writeFast } from './write-fast.ts'

/** Answers from a remembered file; see `serveFast`, which has judged all that files and pages have in common. */
export const serveFileFast = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  reader: RequestReader,
  asked: FastTarget,
): boolean | null => {
  const { files, clock } = services
  if (files === null) return null
  const { head, facts } = reader
  const { etag } = facts
  const file = files.find(asked.request, asked.path, connection.secure)
  if (file === null) return null
  // Lists and foreign tags are judged where all conditions are.
  if (etag !== null && (file.etag === null || !isSameTag(etag, file.etag))) return null
  const kind = etag !== null ? 'not-modified' : head.isHead ? 'head' : 'get'
  if (!services.limits.passes(facts.host, asked.path, head.plainPath, connection.clientAddress))
    return null
  const answer = file.answer(kind, clock)
  files.count(file)
  const status = etag !== null ? 304 : 200
  const { logEnding } = file
  const isMiss = file.xCache !== null
  return writeFast(socket, connection, services, reader, asked, {
    answer,
    status,
    logEnding,
    isMiss,
  })
}
