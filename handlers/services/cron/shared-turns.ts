/** Of all accounts at once; later ones wait for their turn. */
const MOST_AT_ONCE = 20
/** Of one account, so that none holds back all others by programs that sleep. */
const MOST_OF_ONE = 5

interface Waiting {
  accountId: number
  runId: string
  go: (itsTurn: boolean) => void
}

/**
 * Turns of runs: so many at once, and so many of one account. One of which none runs never
 * waits, whatever others do.
 */
export const createSharedTurns = () => {
  const running = new Map<number, number>()
  const queue: Waiting[] = []
  let all = 0

  const mayRun = (accountId: number): boolean => {
    const own = running.get(accountId) ?? 0
    return own === 0 || (own < MOST_OF_ONE && all < MOST_AT_ONCE)
  }
  const enter = (accountId: number): void => {
    running.set(accountId, (running.get(accountId) ?? 0) + 1)
    all += 1
  }
  const leave = (accountId: number): void => {
    const rest = (running.get(accountId) ?? 1) - 1
    if (rest === 0) running.delete(accountId)
    else running.set(accountId, rest)
    all -= 1
    for (;;) {
      const at = queue.findIndex((one) => mayRun(one.accountId))
      const [next] = at === -1 ? [] : queue.splice(at, 1)
      if (next === undefined) return
      enter(next.accountId)
      next.go(true)
    }
  }

  return {
    /** Does the work when its turn comes; false where it was dropped before. */
    async take(accountId: number, runId: string, work: () => Promise<void>): Promise<boolean> {
      if (mayRun(accountId)) enter(accountId)
      else if (!(await new Promise<boolean>((go) => queue.push({ accountId, runId, go }))))
        return false
      try {
        await work()
      } finally {
        leave(accountId)
      }
      return true
    },
    /** False where it does not wait. */
    drop(runId: string): boolean {
      const at = queue.findIndex((one) => one.runId === runId)
      const [dropped] = at === -1 ? [] : queue.splice(at, 1)
      dropped?.go(false)
      return dropped !== undefined
    },
  }
}
