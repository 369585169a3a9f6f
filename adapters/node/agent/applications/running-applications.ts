import { setTimeout as delay } from 'node:timers/promises'
import { AppError, unavailable, unprocessable } from '#handlers/errors.ts'
import type { ApplicationState } from '#handlers/ports/host/applications.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import type { RegisteredAccount, RegisteredApplication } from '../registry/types.ts'
import { askKeeper, endKeeper } from './keeper-process.ts'
import type { KeeperAnswer } from './keeper/keeper-messages.ts'
import type { KeptApplication } from './kept-applications.ts'
import { digestOf, startApplication } from './start-application.ts'
import type { StartDeps } from './start-application.ts'

/** For requests that are under way when a newer start takes over. */
const DRAIN_MS = 30_000
/** A keeper says within 25 s how far it is; between, who waits looks again. */
const ASK_AGAIN_MS = 50
/** One that is there says so in that time, however much is left. */
const LEAST_ANSWER_MS = 25_000
/** Visitors come again sooner than an application that just failed would be well. */
const RETRY_AFTER_MS = 10_000
/** Without visitors it is tried less often. */
const REVIVE_AFTER_MS = 60_000

/**
 * What to start, asked when the turn comes: throws where nothing may be started any more, e.g.
 * since the account was suspended while others were at it.
 */
export type Current = () => { account: RegisteredAccount; application: RegisteredApplication }

/** How an application is, but for what its records say. */
export type ShownState = Omit<ApplicationState, 'name' | 'secrets'>

/** Applications that run or sleep, at most one start of each that visitors get. */
export interface RunningApplications {
  /**
   * Starts what is recorded, beside what runs, and sends visitors to it; what runs stays where that
   * fails (422). `taken` is told what visitors are sent to now, before anything else happens to it.
   */
  deploy(
    username: string,
    name: string,
    current: Current,
    taken: (started: RegisteredApplication) => void,
  ): Promise<void>
  /** Makes sure that it answers; counts as use. 503 where it does not within half a minute. */
  ensure(username: string, name: string, current: Current): Promise<void>
  /** Ends it at once. */
  stop(username: string, name: string): Promise<void>
  stateOf(application: RegisteredApplication): Promise<ShownState>
  /** Whether nothing keeps it, it does not sleep, and it did not fail within the last minute. */
  isDown(username: string, name: string): boolean
  /** Sends those to sleep that had no visitor for as long as they say. */
  sweep(applications: readonly RegisteredApplication[]): void
  /** Takes over what an earlier agent left, where it is what it should be; ends the rest. */
  adopt(wantedOf: (kept: KeptApplication) => RegisteredApplication | null): Promise<void>
  /** Ends all. */
  stopAll(): Promise<void>
}

interface Entry {
  kept: KeptApplication | null
  lastUseMs: number
  asleep: boolean
  /** Why the last start failed, and when. */
  failure: { why: string; code: number | null; atMs: number } | null
}

const NOT_RUNNING: ShownState = {
  state: 'stopped',
  pid: null,
  since: null,
  restarts: 0,
  runningInstances: 0,
  code: null,
  problem: null,
}

/** The end of what it wrote, for a sentence that others read. */
const withTail = (why: string, { tail }: Pick<KeeperAnswer, 'tail'>): string =>
  tail.trim() === '' ? why : `${why} It wrote:\n${tail.trim().slice(-2000)}`

export const createRunningApplications = (
  deps: StartDeps & { lock: KeyedMutex },
): RunningApplications => {
  const { files, log, lock } = deps
  const entries = new Map<string, Entry>()
  const ending = new Set<Promise<void>>()
  const ensuring = new Map<string, Promise<void>>()
  const resting = new Set<string>()
  const keyOf = (username: string, name: string): string => `${username}/${name}`
  const entryOf = (username: string, name: string): Entry => {
    const key = keyOf(username, name)
    const known = entries.get(key)
    if (known !== undefined) return known
    const fresh: Entry = {
      kept: null,
      lastUseMs: performance.now(),
      asleep: false,
      failure: null,
    }
    entries.set(key, fresh)
    return fresh
  }
  const end = async (kept: KeptApplication, graceMs: number): Promise<void> => {
    const work = endKeeper(kept, graceMs).finally(() => files.remove(kept))
    ending.add(work)
    await work.finally(() => ending.delete(work))
  }
  const alive = (entry: Entry): KeptApplication | null =>
    entry.kept !== null && isSameProcessAlive(entry.kept) ? entry.kept : null

  /** How a start turned out, after its own limit at the latest. */
  const outcomeOf = async (kept: KeptApplication, limitMs: number): Promise<KeeperAnswer> => {
    const deadlineMs = performance.now() + limitMs
    for (;;) {
      // What keeps it is a program of the account's, too, and on a slow processor loads for long.
      const leftMs = Math.max(LEAST_ANSWER_MS, deadlineMs - performance.now())
      const answer = await askKeeper(kept, { ask: 'settled' }, leftMs)
      if (answer.state !== 'starting' || performance.now() > deadlineMs) return answer
      await delay(ASK_AGAIN_MS)
    }
  }

  /** Starts it beside what runs; answers when visitors are sent to it. Within the lock. */
  const replace = async (current: Current): Promise<RegisteredApplication> => {
    const { account, application } = current()
    const { username, name, startLimitSecs } = application.spec
    const entry = entryOf(username, name)
    const fresh = await startApplication(deps, account, application)
    try {
      // Its own limit ends before ours.
      const answer = await outcomeOf(fresh, startLimitSecs * 1000 + 15_000)
      if (answer.state !== 'running') {
        const why = answer.problem ?? 'It did not start.'
        entry.failure = { why, code: answer.code, atMs: performance.now() }
        throw unprocessable(withTail(`${name} was not started: ${why}`, answer))
      }
      await askKeeper(fresh, { ask: 'take' })
    } catch (error) {
      await end(fresh, 0)
      if (error instanceof AppError) throw error
      entry.failure = { why: 'It ended.', code: null, atMs: performance.now() }
      throw unprocessable(`${name} was not started: it ended before it answered.`)
    }
    const before = alive(entry)
    Object.assign(entry, {
      kept: fresh,
      asleep: false,
      failure: null,
      lastUseMs: performance.now(),
    })
    if (before !== null) void end(before, DRAIN_MS)
    return application
  }

  const revive = async (username: string, name: string, current: Current): Promise<void> => {
    const entry = entryOf(username, name)
    const kept = alive(entry)
    if (kept !== null) {
      const answer = await askKeeper(kept, { ask: 'settled' }).catch(() => null)
      if (answer?.state === 'running') return
      throw unavailable(
        `The application ${name} does not run: ${answer?.problem ?? 'it does not answer.'}`,
      )
    }
    const { failure } = entry
    if (failure !== null && performance.now() - failure.atMs < RETRY_AFTER_MS)
      throw unavailable(`The application ${name} does not run: ${failure.why}`)
    await replace(current)
  }

  const isUnused = (key: string, kept: KeptApplication, secs: number): boolean => {
    const entry = entries.get(key)
    return entry?.kept === kept && performance.now() - entry.lastUseMs >= secs * 1000
  }
  /** Sends one to sleep that nobody used and nobody is connected to. Within the lock. */
  const rest = async (key: string, kept: KeptApplication, secs: number): Promise<void> => {
    const entry = entries.get(key)
    if (entry === undefined || !isUnused(key, kept, secs)) return
    const answer = await askKeeper(kept, { ask: 'state' }, 2000).catch(() => null)
    if (answer?.state !== 'running') return
    if (answer.busy) {
      entry.lastUseMs = performance.now()
      return
    }
    Object.assign(entry, { kept: null, asleep: true })
    // Whoever came meanwhile is answered still; who comes from now on wakes it.
    await end(kept, DRAIN_MS)
    const { username, name } = kept
    log.info('an application of an account was sent to sleep', { username, name })
  }

  const stop = (username: string, name: string): Promise<void> =>
    lock(keyOf(username, name), async () => {
      const { kept } = entryOf(username, name)
      entries.delete(keyOf(username, name))
      if (kept !== null) await end(kept, 0)
    })

  return {
    deploy: (username, name, current, taken) =>
      lock(keyOf(username, name), async () => {
        taken(await replace(current))
      }),

    ensure(username, name, current) {
      const key = keyOf(username, name)
      entryOf(username, name).lastUseMs = performance.now()
      // Visitors that come together wait for one and the same start.
      const under = ensuring.get(key)
      if (under !== undefined) return under
      const work = lock(key, () => revive(username, name, current)).finally(() =>
        ensuring.delete(key),
      )
      ensuring.set(key, work)
      return work
    },

    stop,

    async stateOf({ spec, wanted }) {
      const entry = entries.get(keyOf(spec.username, spec.name))
      if (entry === undefined) {
        if (wanted === 'stopped') return { ...NOT_RUNNING }
        return { ...NOT_RUNNING, state: spec.sleepAfterSecs === null ? 'starting' : 'asleep' }
      }
      const kept = alive(entry)
      if (kept !== null) {
        const answer = await askKeeper(kept, { ask: 'state' }, 2000).catch(() => null)
        if (answer === null)
          return { ...NOT_RUNNING, state: 'failed', problem: 'What keeps it does not answer.' }
        const { state, since, restarts, code, problem } = answer
        const { runningInstances = state === 'running' ? 1 : 0 } = answer
        return { state, pid: kept.pid, since, restarts, runningInstances, code, problem }
      }
      if (entry.asleep) return { ...NOT_RUNNING, state: 'asleep' }
      if (entry.failure === null)
        return { ...NOT_RUNNING, state: wanted === 'stopped' ? 'stopped' : 'starting' }
      const { why, code } = entry.failure
      return { ...NOT_RUNNING, state: 'failed', code, problem: why }
    },

    isDown(username, name) {
      const key = keyOf(username, name)
      const entry = entries.get(key)
      if (ensuring.has(key)) return false
      if (entry === undefined) return true
      if (entry.asleep || alive(entry) !== null) return false
      return entry.failure === null || performance.now() - entry.failure.atMs > REVIVE_AFTER_MS
    },

    sweep(applications) {
      for (const { spec } of applications) {
        const { username, name, sleepAfterSecs } = spec
        const key = keyOf(username, name)
        const kept = entries.get(key)?.kept ?? null
        if (sleepAfterSecs === null || kept === null || resting.has(key)) continue
        if (!isUnused(key, kept, sleepAfterSecs)) continue
        // Not waited for: one whose turn is long in coming keeps no other awake.
        resting.add(key)
        void lock(key, () => rest(key, kept, sleepAfterSecs)).finally(() => resting.delete(key))
      }
    },

    async adopt(wantedOf) {
      for (const kept of files.found()) {
        const application = wantedOf(kept)
        const isIt =
          application !== null &&
          kept.digest === digestOf(application) &&
          (await askKeeper(kept, { ask: 'state' }, 2000).then(
            ({ state }) => state === 'running' || state === 'waiting',
            () => false,
          ))
        if (!isIt) {
          await end(kept, 0)
          continue
        }
        // It may have been started and not yet be where visitors come.
        await askKeeper(kept, { ask: 'take' }).catch(() => undefined)
        const entry = entryOf(kept.username, kept.name)
        const before = entry.kept
        entry.kept = kept
        if (before !== null) await end(before, 0)
        log.info('an application of an account was adopted', {
          username: kept.username,
          name: kept.name,
          pid: kept.pid,
        })
      }
    },

    async stopAll() {
      await Promise.allSettled(
        [...entries.values()].flatMap(({ kept }) => (kept === null ? [] : [end(kept, 0)])),
      )
      entries.clear()
      await Promise.allSettled(ending)
    },
  }
}
