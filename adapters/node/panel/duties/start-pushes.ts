import type { Log } from '#handlers/ports/log.ts'

const PAUSE_MS = 2000
/** After that it is said once more that the host does not answer. */
const SAID_AGAIN_MS = 600_000

/** Looks every two seconds what was pushed to repositories of applications; the next look waits for the one before. */
export const startPushes = (take: () => Promise<void>, log: Log): { stop(): void } => {
  let stopped = false
  let saidMs = -Infinity
  let timer: NodeJS.Timeout | undefined
  const plan = (): void => {
    timer = setTimeout(() => void turn(), PAUSE_MS)
    timer.unref()
  }
  const turn = async (): Promise<void> => {
    try {
      await take()
    } catch (error) {
      if (performance.now() - saidMs > SAID_AGAIN_MS) {
        saidMs = performance.now()
        log.warn('what was pushed could not be asked for', { error: String(error) })
      }
    }
    if (!stopped) plan()
  }
  plan()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
