import { randomId } from '#handlers/domain/access/random-id.ts'
import { CallRefused } from '#adapters/shared/host-rpc/signed-call.ts'

const IDLE_MS = 10 * 60_000
/** Calls of a session, whose ids are remembered; whoever has made as many is given another one. */
const MAX_CALLS = 20_000
/** Sessions of a panel at once: a restarted panel knows none of its former ones. */
const MAX_SESSIONS = 8

interface Session {
  panel: string
  lastMs: number
  calls: Set<string>
}

/** Sessions in which signed calls count once. */
export interface CallSessions {
  /** A new session of the panel; where it has too many, the one that rested longest ends. */
  open(panel: string): string
  /** Counts a call. Throws `CallRefused`: `stale-session` for one that is none of the panel's, `replayed` for a call that counted before. */
  take(input: { panel: string; session: string | null; call: string }): void
  /** Ends all sessions of a panel that is one of ours no more. */
  forget(panel: string): void
}

/**
 * Keeps replayed calls from counting without clocks that agree and without anything on disk:
 * a session is random and known to this process alone, so that after a restart no call of
 * before counts, and it ends after ten minutes without a call.
 * `nowMs` must be monotonic, `performance.now` by default: a clock that is set back would let sessions live on.
 */
export const createCallSessions = (
  nowMs: () => number = () => performance.now(),
  bounds: { maxCalls?: number; maxSessions?: number } = {},
): CallSessions => {
  const maxCalls = bounds.maxCalls ?? MAX_CALLS
  const maxSessions = bounds.maxSessions ?? MAX_SESSIONS
  const sessions = new Map<string, Session>()

  const living = (id: string | null): Session | undefined => {
    const session = id === null ? undefined : sessions.get(id)
    if (id === null || session === undefined) return undefined
    if (nowMs() - session.lastMs < IDLE_MS) return session
    sessions.delete(id)
    return undefined
  }
  /** Those of a panel, the one that rested longest first. */
  const of = (panel: string): string[] =>
    [...sessions]
      .filter(([id, session]) => session.panel === panel && living(id) !== undefined)
      .sort(([, a], [, b]) => a.lastMs - b.lastMs)
      .map(([id]) => id)

  return {
    open(panel) {
      const held = of(panel)
      for (const id of held.slice(0, Math.max(0, held.length - maxSessions + 1)))
        sessions.delete(id)
      const id = randomId()
      sessions.set(id, { panel, lastMs: nowMs(), calls: new Set() })
      return id
    },
    take({ panel, session: id, call }) {
      const session = living(id)
      if (session?.panel !== panel) throw new CallRefused('stale-session')
      if (session.calls.has(call)) throw new CallRefused('replayed')
      if (session.calls.size >= maxCalls) throw new CallRefused('stale-session')
      session.calls.add(call)
      session.lastMs = nowMs()
    },
    forget(panel) {
      for (const id of of(panel)) sessions.delete(id)
    },
  }
}
