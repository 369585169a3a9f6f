/** Tells who waits that something has changed. */
export interface Changes {
  /** Number of changes in this process; taken before the store is read. */
  readonly seen: number
  /** Wakes all who wait. */
  changed(): void
  /** Resolves at a change after `seen`, after `timeoutMs`, or when `signal` aborts. */
  next(seen: number, timeoutMs: number, signal: AbortSignal): Promise<void>
}

export const createChanges = (): Changes => {
  let seen = 0
  const waiting = new Set<() => void>()
  return {
    get seen() {
      return seen
    },
    changed() {
      seen += 1
      for (const wake of [...waiting]) wake()
    },
    next: (before, timeoutMs, signal) =>
      new Promise((resolve) => {
        if (before !== seen || signal.aborted) return resolve()
        const wake = (): void => {
          clearTimeout(timer)
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, timeoutMs)
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      }),
  }
}
