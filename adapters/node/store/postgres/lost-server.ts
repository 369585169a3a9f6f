import pg from 'pg'
import { unavailable } from '#handlers/errors.ts'

// Class 08: the connection; 57P: the server ends or starts; 25006: it is a standby now; 25P03: a batch
// stood still for longer than it lets; 55P03: the writer's lock was not had, whose holder waits for a standby.
const OF_THE_SERVER = /^(08|57P|25006|25P03|55P03)/

/** Whether the server, or the way to it, failed, and not the statement. */
export const isLost = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError) return false
  // Whatever is no answer of the server is the connection's end, or the system's fault with it.
  return !(error instanceof pg.DatabaseError) || OF_THE_SERVER.test(error.code ?? '')
}

/** 503, for a statement that changed nothing. */
export const away = (error: unknown): Error =>
  unavailable(
    `The database of the panel does not answer: ${error instanceof Error ? error.message : String(error)}. Nothing was changed; try again.`,
    error,
  )
