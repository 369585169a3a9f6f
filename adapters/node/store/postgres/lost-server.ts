import { unavailable } from '#handlers/errors.ts'

// Class 08: the connection; 57P: the server ends or starts; 25006: it is a standby now.
const OF_THE_SERVER = /^(08|57P|25006)/
const SQLSTATE = /^[0-9A-Z]{5}$/

/** Whether the server, or the way to it, failed, and not the statement. */
export const isLost = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError) return false
  const code = 'code' in error ? String(error.code) : ''
  // `pg` gives no code where the connection ends, and the system's, e.g. ECONNRESET, where it fails.
  return OF_THE_SERVER.test(code) || !SQLSTATE.test(code)
}

/** 503, for a statement that changed nothing. */
export const away = (error: unknown): Error =>
  unavailable(
    `The database of the panel does not answer: ${error instanceof Error ? error.message : String(error)}. Nothing was changed; try again.`,
    error,
  )
