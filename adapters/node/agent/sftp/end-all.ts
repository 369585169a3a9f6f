import { setTimeout as delay } from 'node:timers/promises'

const LIMIT_MS = 5000
const LOOK_EVERY_MS = 10

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // ended meanwhile
    }
  }
}

/**
 * Ends what `list` answers until it answers nothing. All of it is stopped before any of it is
 * ended, so that what starts itself anew all the time comes to no end of it. Throws where
 * some of it does not end.
 */
export const endAll = async (list: () => Promise<readonly number[]>): Promise<void> => {
  const deadlineMs = performance.now() + LIMIT_MS
  const stopped = new Set<number>()
  for (;;) {
    const pids = await list()
    if (pids.length === 0) return
    if (performance.now() > deadlineMs) {
      signal(pids, 'SIGKILL')
      throw new Error(`sessions do not end: processes ${pids.slice(0, 10).join(', ')}`)
    }
    const fresh = pids.filter((pid) => !stopped.has(pid))
    if (fresh.length > 0) {
      signal(fresh, 'SIGSTOP')
      for (const pid of fresh) stopped.add(pid)
      continue
    }
    signal(pids, 'SIGKILL')
    stopped.clear()
    await delay(LOOK_EVERY_MS)
  }
}
