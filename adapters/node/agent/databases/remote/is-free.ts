import type { Log } from '#handlers/ports/log.ts'
import { bindListener, ListenError } from '../../../process/bind-listener.ts'

/** Whether nobody has the port on any address of this machine. */
export const isFree = (port: number, log: Log): boolean => {
  try {
    for (const address of [`0.0.0.0:${port}`, `[::]:${port}`]) {
      try {
        bindListener(address).close()
      } catch (error) {
        // A machine without IPv6 is no reason.
        if (!(error instanceof ListenError) || error.code === 'EADDRINUSE') throw error
      }
    }
    return true
  } catch (error) {
    log.warn('databases are not reachable from elsewhere', {
      why: error instanceof Error ? error.message : String(error),
    })
    return false
  }
}
