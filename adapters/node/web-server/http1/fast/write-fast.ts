import type { Socket } from 'node:net'
import type { ConnectionServices } from '../connection-services.ts'
import type { FastTarget } from './fast-request.ts'
import type { RequestReader } from '../head/request-reader.ts'
import type { ConnectionFacts } from '../slow/site-context-of.ts'
import { writeResponseBytes, type FastResponse } from '../write/wire-response.ts'

/** Writes a ready answer and its line in the log. False: the client must take it before more is written. */
export const writeFast = (
  socket: Socket,
  connection: ConnectionFacts,
  services: ConnectionServices,
  { head, facts }: RequestReader,
  { bytes, lineStart, known, target }: FastTarget,
  ready: {
    answer: FastResponse
    status: 200 | 304 | 404
    logEnding: Uint8Array
    /** Whether it says that it is no page of the cache. */
    isMiss: boolean
  },
): boolean => {
  const { answer, status, logEnding, isMiss } = ready
  writeResponseBytes(socket, answer)
  services.accessLog.hitLine(
    connection.addressBytes,
    bytes,
    lineStart,
    head.blockStart,
    status,
    answer.bodyBytes,
    facts.hitTail,
    facts.host,
    logEnding,
  )
  const cached = isMiss ? 'MISS' : null
  services.accessLog.figures?.hit(facts.visitor, known, target, status, answer.bodyBytes, cached)
  // What the kernel took at once needs no waiting, however much it was.
  return socket.writableLength === 0 || !socket.writableNeedDrain
}
