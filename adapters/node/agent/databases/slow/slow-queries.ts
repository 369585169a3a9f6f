import { maskedStatement } from '#handlers/domain/databases/masked-statement.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { SlowQuery } from '#handlers/ports/host/databases.ts'
import type { Registry } from '../../registry/types.ts'
import type { Engine } from '../engine.ts'
import type { RunningStatement } from './running-statement.ts'

/** From here on a statement is slow. */
export const SLOW_MS = 2000
const EVERY_MS = 2000
/** A server that did not answer is left alone for so long. */
const PAUSE_MS = 30_000
/** Of one account; the one that was seen longest ago goes first. */
const MOST_OF_ACCOUNT = 200

/** What slow statements of accounts there were since the agent began, in memory. */
export interface SlowQueries {
  of(username: string): SlowQuery[]
  /** Looks once at what runs. */
  sample(): Promise<void>
  start(): void
  stop(): void
}

/**
 * Looks every two seconds at what the servers run, and keeps what takes long: no setting of
 * a server, no log that a tenant could fill, and what is kept has no values in it.
 */
export const createSlowQueries = (deps: {
  registry: Pick<Registry, 'account' | 'databases' | 'databaseUsers'>
  engines: readonly Engine[]
  nowMs?: () => number
  overMs?: number
}): SlowQueries => {
  const { registry, engines, nowMs = Date.now, overMs = SLOW_MS } = deps
  const accounts = new Map<string, Map<string, SlowQuery>>()
  /** How long each statement ran when it was seen last. */
  let seen = new Map<string, number>()
  const pausedUntil = new Map<Engine, number>()
  let timer: NodeJS.Timeout | undefined
  let busy = false

  const keep = (username: string, engine: Engine, one: RunningStatement, before: number): void => {
    const kind = engine.name === 'postgresql' ? 'postgresql' : 'mariadb'
    const statement = maskedStatement(one.text, kind)
    const own = accounts.get(username) ?? new Map<string, SlowQuery>()
    accounts.set(username, own)
    const key = `${engine.name} ${one.database ?? ''} ${one.user} ${statement}`
    const known = own.get(key)
    // Behind the others again: the first one is that which was seen longest ago.
    own.delete(key)
    own.set(key, {
      ...{ engine: engine.name, database: one.database, user: one.user, statement },
      count: (known?.count ?? 0) + (before === 0 ? 1 : 0),
      longest_ms: Math.max(known?.longest_ms ?? 0, one.ms),
      total_ms: (known?.total_ms ?? 0) + Math.max(0, one.ms - before),
      last_at: timestamp(nowMs()),
    })
    const [oldest] = own.keys()
    if (own.size > MOST_OF_ACCOUNT && oldest !== undefined) own.delete(oldest)
  }

  const look = async (
    engine: Engine,
    owners: ReadonlyMap<string, string>,
    now: Map<string, number>,
  ): Promise<void> => {
    if ((pausedUntil.get(engine) ?? 0) > nowMs()) return
    try {
      for (const one of await engine.running(overMs)) {
        const username = owners.get(`${engine.name} ${one.user}`)
        if (username === undefined) continue
        const id = `${engine.name} ${one.id}`
        const own = one.database?.startsWith(`${username}_`) === true ? one.database : null
        keep(username, engine, { ...one, database: own }, seen.get(id) ?? 0)
        now.set(id, one.ms)
      }
    } catch {
      // It is starting or away, which others tell.
      pausedUntil.set(engine, nowMs() + PAUSE_MS)
    }
  }

  const sample = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      const users = [...registry.databases(), ...registry.databaseUsers()]
      const owners = new Map(users.map((row) => [`${row.engine} ${row.user}`, row.username]))
      const now = new Map<string, number>()
      for (const engine of engines)
        if (users.some((row) => row.engine === engine.name)) await look(engine, owners, now)
      seen = now
      for (const username of accounts.keys())
        if (registry.account(username) === null) accounts.delete(username)
    } finally {
      busy = false
    }
  }

  return {
    of: (username) =>
      registry.account(username) === null ? [] : [...(accounts.get(username)?.values() ?? [])],
    sample,
    start() {
      timer ??= setInterval(() => void sample().catch(() => undefined), EVERY_MS).unref()
    },
    stop() {
      clearInterval(timer)
    },
  }
}
