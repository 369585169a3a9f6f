import type { Log } from '#handlers/ports/log.ts'
import type { OperationKey } from '../registry/types.ts'

const FIRST_PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 300_000

export interface RollbackRetriesDeps {
  /** One more attempt; rejects when it failed too. */
  attempt(key: OperationKey, reason: unknown): Promise<void>
  log: Log
  /** Before the first attempt, doubled before each one after it up to five minutes. Default 5000. */
  firstPauseMs?: number
}

/** Tries again what could not be put back, for as long as the agent lives. */
export interface RollbackRetries {
  /** `reason` is why the restore had failed; null after a crash. */
  add(key: OperationKey, reason: unknown): void
  /** No more attempts; resolves when those that run have ended. */
  stop(): Promise<void>
}

/**
 * A database server that is away when a restore fails comes back by itself, and
 * until then the account holds half of the backup: so it is tried again here, in
 * pauses that grow, and not only by the next agent.
 */
export const createRollbackRetries = ({
  attempt,
  log,
  firstPauseMs = FIRST_PAUSE_MS,
}: RollbackRetriesDeps): RollbackRetries => {
  const waiting = new Map<string, NodeJS.Timeout>()
  const running = new Map<string, Promise<void>>()
  let stopped = false

  const tryOnce = async (key: OperationKey, reason: unknown, pauseMs: number): Promise<void> => {
    const about = { username: key.subject, operation: key.id }
    try {
      await attempt(key, reason)
      log.info('an earlier restore was put back', about)
    } catch (error) {
      log.warn('a restore could still not be put back', { ...about, error: String(error) })
      wait(key, reason, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
    } finally {
      running.delete(key.id)
    }
  }
  const wait = (key: OperationKey, reason: unknown, pauseMs: number): void => {
    if (stopped) return
    const timer = setTimeout(() => {
      waiting.delete(key.id)
      running.set(key.id, tryOnce(key, reason, pauseMs))
    }, pauseMs)
    timer.unref()
    waiting.set(key.id, timer)
  }

  return {
    add(key, reason) {
      if (!waiting.has(key.id) && !running.has(key.id)) wait(key, reason, firstPauseMs)
    },
    async stop() {
      stopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}
