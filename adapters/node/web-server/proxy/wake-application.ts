import type { Socket } from 'node:net'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { openConnection } from './upstreams/open-connection.ts'

/** Starts the application of a virtual host; resolves once it answers. */
export type EnsureApplication = (domain: string) => Promise<void>

/** What sleeps without visitors is told this often that there are some. */
const TELL_EVERY_MS = 10_000
const MOST_DOMAINS = 10_000

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
  connect(domain: string, connect: () => Socket, signal: AbortSignal): Promise<Socket>
  /**
   * The same for what several instances listen for: `ask` chooses among them, and is asked again
   * after a start where its rejection says that nobody listened, so that nothing was sent.
   */
  ask<Answer>(domain: string, ask: (woken: boolean) => Promise<Answer>): Promise<Answer>
}

export const createWakeApplication = (
  ensure: EnsureApplication,
  nowMs: () => number = () => performance.now(),
): WakeApplication => {
  const toldMs = new Map<string, number>()
  const starting = new Map<string, Promise<void>>()

  const start = (domain: string): Promise<void> => {
    const under = starting.get(domain)
    if (under !== undefined) return under
    const work = ensure(domain)
      .catch((error: unknown) => {
        throw new OriginError(503, 'the application does not run', error)
      })
      .finally(() => starting.delete(domain))
    starting.set(domain, work)
    return work
  }
  /** That it is in use, which nobody waits for. */
  const tell = (domain: string): void => {
    const now = nowMs()
    if (now - (toldMs.get(domain) ?? -Infinity) < TELL_EVERY_MS) return
    if (toldMs.size >= MOST_DOMAINS) toldMs.clear()
    toldMs.set(domain, now)
    void start(domain).catch(() => undefined)
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
    async connect(domain, connect, signal) {
      try {
        const socket = await reached(connect, signal)
        tell(domain)
        return socket
      } catch (error) {
        if (!isAway(error)) throw error
      }
      await start(domain)
      try {
        return await reached(connect, signal)
      } catch (error) {
        if (error instanceof OriginError) throw error
        throw new OriginError(502, 'the application cannot be reached', error)
      }
    },
    async ask(domain, ask) {
      try {
        const answer = await ask(false)
        tell(domain)
        return answer
      } catch (error) {
        if (!isAway(error)) throw error
      }
      await start(domain)
      return ask(true)
    },
  }
}
