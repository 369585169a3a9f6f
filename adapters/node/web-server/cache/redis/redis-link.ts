import { randomBytes } from 'node:crypto'
import {
  createRedisMarks,
  parsePublished,
  type Purge,
  type PurgeScope,
  type SharedMarks,
} from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { RedisConnection } from './redis-connection.ts'
import { monotonicMs } from './monotonic-ms.ts'
import type { RedisOutbox } from './redis-outbox.ts'
import { createStrictPurges } from './strict-purges.ts'

/** State of the shared layer, as workers are told it. */
export type RedisEpoch = string | null

export interface RedisLinkDeps {
  connection: RedisConnection
  outbox: RedisOutbox
  /** Of the database, since publishing knows none. */
  channel: string
  log: Log
  /** Why the server must not be used; rejects when it cannot be reached. */
  exposure(): Promise<string | null>
  /** Greatest purge number known here, of whatever origin. */
  current(): number
  /** Applies purges here and in every worker, in this order; resolves when all have them. */
  apply(purges: readonly Purge[]): Promise<void>
  /** A message of another kind on the channel. */
  onMessage(message: string): void
  /**
   * Tells every worker until when stored pages may be shown, milliseconds of CLOCK_MONOTONIC;
   * absent: they are shown while Redis is away, too.
   */
  onLease?(untilMs: number): void
  /** Tells every worker whether pages in Redis may be used; resolves when all know. */
  onEpoch(epoch: RedisEpoch): Promise<void>
}

/** The primary's part of the shared layer: purges come and go, and the layer is trusted only while none is missed. */
export interface RedisLink {
  /** Null while the layer is off. */
  readonly epoch: RedisEpoch
  /** The history before this one, whose pages are still there; '' where none is known. */
  readonly former: string
  /** Why the layer is off. */
  readonly fault: string | null
  /** Until when stored pages may be shown; null: always. */
  readonly leaseMs: number | null
  /**
   * Resolves when the purge has its shared number and is in force here under it (where there are
   * leases: everywhere), or is kept for later.
   */
  purge(scopes: readonly PurgeScope[]): Promise<'shared' | 'kept'>
  /** Somebody saw a number that is not known here. */
  check(): void
  close(): void
}

/** Numbers are compared this often: a purge is known in time also when its notice was lost. */
const GLANCE_MS = 100
/** Pause between two attempts to begin. */
const BEGIN_MS = 500
/** Questions in a row that may go unanswered. */
const MAX_FAILURES = 5

/**
 * Numbers of purges come from Redis. Between two of them an instance counts in
 * fractions (see the sequencer), so whatever was purged or filled while Redis was
 * away is older than the next shared number, which every purge gets as soon as
 * Redis is back: first those kept here are handed over, then all marks are read,
 * and only then pages from Redis are used again.
 */
export const openRedisLink = (deps: RedisLinkDeps): RedisLink => {
  const { connection, outbox, log } = deps
  const nowMs = (): number => Date.now()
  const marks = createRedisMarks(connection, { channel: deps.channel, nowMs })
  const { onLease } = deps
  const strict = onLease === undefined ? null : createStrictPurges({ marks, onLease })
  /** What this instance took part in last. */
  let known = { epoch: '', sequence: 0 }
  let epoch: RedisEpoch = null
  /** The same, also while it is off. */
  let adopted = ''
  let former = ''
  let fault: string | null = 'not connected yet'
  let reported: string | null = null
  let failures = 0
  let glancing = false
  let beginAtMs = 0
  let closed = false
  let syncing = false
  let again = false
  /** Purges are applied one after the other. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  const off = async (error: unknown): Promise<void> => {
    fault = error instanceof Error ? error.message : String(error)
    if (reported === null && !closed) {
      const then = strict === null ? 'pages come from memory' : 'no stored page is shown'
      log.warn(`the Redis cache is off for now; ${then}`, { error: fault })
      reported = fault
    }
    if (epoch === null) return
    epoch = null
    await deps.onEpoch(null)
  }
  const take = async (state: SharedMarks): Promise<void> => {
    const newer = state.purges.filter((purge) => purge.sequence > known.sequence)
    await deps.apply([...newer, { sequence: state.sequence, scopes: [], atMs: nowMs() }])
    known = { epoch: state.epoch, sequence: state.sequence }
  }
  /** Whether numbers known here may be compared with those of the server. */
  const continues = (state: SharedMarks): boolean => {
    if (known.epoch === '') return true
    if (state.epoch === known.epoch) return state.sequence >= known.sequence
    return state.before === known.epoch && state.start === known.sequence
  }
  const read = (): Promise<SharedMarks> => marks.read(randomBytes(6).toString('hex'), known)
  const handOver = async (name: string, scopes: readonly PurgeScope[]): Promise<number> => {
    const sequence = await marks.purge(name, scopes, deps.current())
    if (sequence === null) throw new Error('Redis lost its data just now.')
    return sequence
  }
  const applyNext = async (sequence: number, scopes: readonly PurgeScope[]): Promise<void> => {
    await deps.apply([{ sequence, scopes, atMs: nowMs() }])
    known.sequence = sequence
    // Somebody waits to hear of it.
    if (strict !== null) void glance().catch(() => undefined)
  }
  const sync = async (): Promise<void> => {
    if (epoch === null) {
      const exposed = await deps.exposure()
      if (exposed !== null) throw new Error(exposed)
    }
    let state = await read()
    if (!continues(state)) {
      // Marks were lost with the server's data, or may have been; nobody can tell which pages they had hit.
      log.warn('Redis lost purges; all cached pages are made anew')
      // A history may have begun with a purge of everything, which hits what is here if it is younger.
      if (state.floor <= deps.current()) await handOver(state.epoch, [{ kind: 'all' }])
      known = { epoch: state.epoch, sequence: 0 }
    }
    const name = state.epoch
    former = state.former
    // Until none came meanwhile: pages in Redis are older than a purge that is still kept here.
    do {
      const waiting = [...outbox.waiting]
      for (const scopes of waiting) await handOver(name, scopes)
      if (waiting.length > 0) outbox.done(waiting)
      state = await read()
      if (state.epoch !== name) throw new Error('Redis lost its data just now.')
      await take(state)
    } while (outbox.waiting.length > 0)
    if (closed) return
    if (epoch !== state.epoch) {
      epoch = state.epoch
      if (state.epoch !== adopted) strict?.adopted()
      adopted = state.epoch
      await deps.onEpoch(epoch)
      if (reported !== null) log.info('the Redis cache is back')
    }
    fault = reported = null
    failures = 0
  }
  const check = (): void => {
    again = true
    if (syncing || closed) return
    syncing = true
    void inTurn(async () => {
      while (again && !closed) {
        again = false
        try {
          await sync()
        } catch (error) {
          await off(error)
        }
      }
    }).finally(() => (syncing = false))
  }
  const receive = (message: string): void => {
    const published = parsePublished(message)
    if (published === null) return deps.onMessage(message)
    void inTurn(async () => {
      const { sequence, scopes } = published
      if (epoch === null || published.epoch !== known.epoch || sequence <= known.sequence) return
      if (sequence > known.sequence + 1) return check()
      await applyNext(sequence, scopes)
    }).catch(() => undefined)
  }
  connection.subscribe(deps.channel, receive, check)

  const glance = async (): Promise<void> => {
    if (epoch === null) {
      if (nowMs() < beginAtMs) return
      beginAtMs = nowMs() + BEGIN_MS
      return check()
    }
    if (glancing) return
    glancing = true
    try {
      const sentMs = monotonicMs()
      const seen = await marks.glance(strict?.report(known))
      failures = 0
      if (seen.epoch !== known.epoch || seen.sequence !== known.sequence) check()
      if (seen.epoch === known.epoch && seen.sequence <= known.sequence) strict?.answered(sentMs)
    } catch (error) {
      if (++failures >= MAX_FAILURES) await inTurn(() => off(error))
    } finally {
      glancing = false
    }
  }
  const timer = setInterval(() => void glance().catch(() => undefined), GLANCE_MS)
  timer.unref()

  return {
    get epoch() {
      return epoch
    },
    get former() {
      return former
    },
    get fault() {
      return fault
    },
    get leaseMs() {
      return strict?.untilMs ?? null
    },
    async purge(scopes) {
      const name = epoch
      if (name !== null) {
        try {
          const sequence = await handOver(name, scopes)
          const settled = strict?.settled(name, sequence)
          // In force here once everything up to it is, of other instances too.
          await inTurn(async () => {
            if (known.epoch !== name) throw new Error('Redis lost its data just now.')
            if (sequence === known.sequence + 1) await applyNext(sequence, scopes)
            else if (sequence > known.sequence) {
              const state = await read()
              if (state.epoch !== name) throw new Error('Redis lost its data just now.')
              await take(state)
            }
          })
          await settled
          return 'shared'
        } catch (error) {
          await inTurn(() => off(error))
        }
      }
      outbox.add(scopes)
      check()
      return 'kept'
    },
    check,
    close: () => {
      closed = true
      clearInterval(timer)
      strict?.close()
      connection.close()
    },
  }
}
