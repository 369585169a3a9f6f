import type { Log } from '#handlers/ports/log.ts'
import { repeatAfter } from './repeat-after.ts'

const PAUSE_MS = 2000
/** After that it is said once more that the host does not answer. */
const SAID_AGAIN_MS = 600_000

/** Looks every two seconds what was pushed to repositories of applications; the next look waits for the one before. */
export const startPushes = (take: () => Promise<void>, log: Log): { stop(): void } => {
  let saidMs = -Infinity
  return repeatAfter(PAUSE_MS, take, (error) => {
    if (performance.now() - saidMs <= SAID_AGAIN_MS) return
    saidMs = performance.now()
    log.warn('what was pushed could not be asked for', { error: String(error) })
  })
}
