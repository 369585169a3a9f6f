import type { Socket } from 'node:net'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { openConnection } from './upstreams/open-connection.ts'

/** An application of an account, by the virtual host that passes requests on to it. */
export interface Sleeper {
  domain: string
  application: string
}

/** Starts an application; resolves once it answers. */
export type EnsureApplication = (sleeper: Sleeper) => Promise<void>

/** What sleeps without visitors is told this often that there are some. */
const TELL_EVERY_MS = 10_000
const MOST_TOLD = 10_000

const keyOf = ({ domain, application }: Sleeper): string => `${domain} ${application}`

const codeOf = (error: unknown): unknown => {
  const at = error instanceof OriginError ? error.cause : error
  return at instanceof Error && 'code' in at ? at.code : null
}

/** Whether nobody listens. */
const isAway = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED'].includes(String(codeOf(error)))

/** Connects to applications that may sleep. */
export interface WakeApplication {
  /**
   * A connection that stands, to an application that is started for it where it does not
   * listen. Rejects with `OriginError`: 502 it cannot be reached, 503 it does not start.
   */
  connect(sleeper: Sleeper, connect: () => Socket, signal: AbortSignal): Promise<Socket>
  /**
   * The same for what several instances listen for: `ask` chooses among them, and is asked again
   * after a start where its rejection says that nobody listened, so that nothing was sent.
   */
  ask<Answer>(sleeper: Sleeper, ask: (woken: boolean) => Promise<Answer>): Promise<Answer>
}

export const createWakeApplication = (
  ensure: EnsureApplication,
  nowMs: () => number = () => performance.now(),
): WakeApplication => {
  const toldMs = new Map<string, number>()
  const starting = new Map<string, Promise<void>>()

  const start = (sleeper: Sleeper): Promise<void> => {
    const key = keyOf(sleeper)
    const under = starting.get(key)
    if (under !== undefined) return under
    const work = ensure(sleeper)
      .catch((error: unknown) => {
        throw new OriginError(503, 'the application does not run', error)
      })
      .finally(() => starting.delete(key))
    starting.set(key, work)
    return work
  }
  /** That it is in use, which nobody waits for. */
  const tell = (sleeper: Sleeper): void => {
    const key = keyOf(sleeper)
    const now = nowMs()
    if (now - (toldMs.get(key) ?? -Infinity) < TELL_EVERY_MS) return
    if (toldMs.size >= MOST_TOLD) toldMs.clear()
    toldMs.set(key, now)
    void start(sleeper).catch(() => undefined)
  }
  const reached = async (connect: () => Socket, signal: AbortSignal): Promise<Socket> => {
    try {
      return await openConnection(connect, signal)
    } catch (error) {
      if (error instanceof OriginError || isAway(error)) throw error
      throw new OriginError(502, 'the application cannot be reached', error)
    }
  }

  return {
    async connect(sleeper, connect, signal) {
      try {
        const socket = await reached(connect, signal)
        tell(sleeper)
        return socket
      } catch (error) {
        if (!isAway(error)) throw error
      }
      await start(sleeper)
      try {
        return await reached(connect, signal)
      } catch (error) {
        if (error instanceof OriginError) throw error
        throw new OriginError(502, 'the application cannot be reached', error)
      }
    },
    async ask(sleeper, ask) {
      try {
        const answer = await ask(false)
        tell(sleeper)
        return answer
      } catch (error) {
        if (!isAway(error)) throw error
      }
      await start(sleeper)
      return ask(true)
    },
  }
}
