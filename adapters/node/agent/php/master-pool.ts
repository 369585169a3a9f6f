import { existsSync } from 'node:fs'
import type { Log } from '#handlers/ports/log.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import { hasConnections } from './open-connections.ts'
import { endOrphans, findFpmMasters, startFpmMaster, stopFpmMaster } from './fpm-master.ts'
import type { FpmMaster, FpmMasterPlan } from './fpm-master.ts'

/** One account's PHP of one version: how to start it, and what names it. */
export interface PoolMember {
  username: string
  version: string
  /** Writes the configuration and answers what to start; called for each start. */
  prepare(): Promise<FpmMasterPlan>
}

/** What a master found on the host should be. */
export interface AdoptablePlan {
  username: string
  version: string
  plan: FpmMasterPlan
  /** Whether it runs with the configuration it would get today. */
  current: boolean
}

/** The running masters, at most one per account and version. */
export interface MasterPool {
  /** Socket of the running master; starts one when there is none. Counts as use. */
  ensure(member: PoolMember): Promise<string>
  /** Replaces a running master by a fresh one on the same socket; nothing when none runs. */
  restart(member: PoolMember): Promise<void>
  /** Ends every master of the account at once, running requests included. */
  stopAccount(username: string): Promise<void>
  /** Stops what was not used for its `idleMs`. */
  sweep(idleMsOf: (username: string, version: string) => number): void
  /** Takes over the masters that an earlier agent left, or ends them when `planOf` knows no use for them. */
  adopt(directory: string, planOf: (configFile: string) => AdoptablePlan | null): Promise<void>
  stop(graceMs: number): Promise<void>
}

interface Entry {
  username: string
  version: string
  master: FpmMaster
  lastUseMs: number
}

/** Time for running requests when a master goes because of idleness or a new configuration. */
const GRACE_MS = 35_000
/** A master that failed to start is not tried again for this long, so that requests do not pile up starts. */
const RETRY_AFTER_MS = 2_000

export const createMasterPool = (log: Log): MasterPool => {
  const entries = new Map<string, Entry>()
  const starting = new Map<string, Promise<Entry>>()
  const stopping = new Set<Promise<void>>()
  const failures = new Map<string, { atMs: number; error: unknown }>()
  let closed = false
  const keyOf = (member: { username: string; version: string }): string =>
    `${member.username}-${member.version}`

  const retire = (entry: Entry, graceMs: number, keepSocket = false): Promise<void> => {
    const work = stopFpmMaster(entry.master, { graceMs, keepSocket }).finally(() =>
      stopping.delete(work),
    )
    stopping.add(work)
    return work
  }

  const start = async (member: PoolMember): Promise<Entry> => {
    const key = keyOf(member)
    try {
      const master = await startFpmMaster(await member.prepare())
      const entry = { ...member, master, lastUseMs: performance.now() }
      failures.delete(key)
      entries.set(key, entry)
      log.info('PHP master started', { account: member.username, version: member.version })
      return entry
    } catch (error) {
      failures.set(key, { atMs: performance.now(), error })
      throw error
    }
  }

  /** One start at a time per key; `begin` runs only when none is under way. */
  const once = (key: string, begin: () => Promise<Entry>): Promise<Entry> => {
    const underway = starting.get(key)
    if (underway) return underway
    const work = begin().finally(() => starting.delete(key))
    starting.set(key, work)
    return work
  }

  const living = (key: string): Entry | null => {
    const entry = entries.get(key)
    if (!entry) return null
    if (isSameProcessAlive(entry.master)) return entry
    entries.delete(key)
    endOrphans(entry.master)
    log.warn('A PHP master ended by itself', { account: entry.username, version: entry.version })
    return null
  }

  const settleStarts = async (username?: string): Promise<void> => {
    const mine = [...starting].filter(
      ([key]) => username === undefined || key.startsWith(`${username}-`),
    )
    await Promise.allSettled(mine.map(([, work]) => work))
  }

  const stopWhere = async (wanted: (entry: Entry) => boolean, graceMs: number): Promise<void> => {
    const chosen = [...entries].filter(([, entry]) => wanted(entry))
    for (const [key] of chosen) entries.delete(key)
    await Promise.all(chosen.map(([, entry]) => retire(entry, graceMs)))
  }

  return {
    async ensure(member) {
      const key = keyOf(member)
      const entry = living(key)
      if (entry && !starting.has(key)) {
        entry.lastUseMs = performance.now()
        return entry.master.socket
      }
      if (closed) throw new Error('the PHP service is stopping')
      const failure = failures.get(key)
      if (failure && performance.now() - failure.atMs < RETRY_AFTER_MS) throw failure.error
      return (await once(key, () => start(member))).master.socket
    },

    async restart(member) {
      const key = keyOf(member)
      await settleStarts(member.username)
      const old = living(key)
      if (!old || closed) return
      await once(key, () => start(member))
      void retire(old, GRACE_MS, true)
    },

    async stopAccount(username) {
      await settleStarts(username)
      await stopWhere((entry) => entry.username === username, 0)
    },

    sweep(idleMsOf) {
      const now = performance.now()
      for (const [key, entry] of entries) {
        if (now - entry.lastUseMs < idleMsOf(entry.username, entry.version)) continue
        if (hasConnections(entry.master.socket)) {
          entry.lastUseMs = now
          continue
        }
        entries.delete(key)
        void retire(entry, GRACE_MS)
        log.info('PHP master stopped, idle', { account: entry.username, version: entry.version })
      }
      for (const [key, failure] of failures)
        if (now - failure.atMs > RETRY_AFTER_MS) failures.delete(key)
    },

    async adopt(directory, planOf) {
      for (const facts of findFpmMasters(directory)) {
        const known = planOf(facts.configFile)
        const { pid, startTicks, uid, configFile, exe } = facts
        // Someone else's process with our path in its arguments is none of our business.
        if (known ? uid !== known.plan.uid : uid === 0 || !/\/php-fpm[\d.]*$/.test(exe ?? ''))
          continue
        const socket = known?.plan.socket ?? ''
        const entry: Entry = {
          username: known?.username ?? '',
          version: known?.version ?? '',
          master: { pid, startTicks, uid, socket, configFile },
          lastUseMs: performance.now(),
        }
        const usable = known?.current === true && exe === known.plan.binary && existsSync(socket)
        if (known && usable && !entries.has(keyOf(known))) {
          entries.set(keyOf(known), entry)
          log.info('PHP master adopted', { account: known.username, version: known.version })
        } else await retire(entry, 0)
      }
    },

    async stop(graceMs) {
      closed = true
      await settleStarts()
      await stopWhere(() => true, graceMs)
      await Promise.allSettled(stopping)
    },
  }
}
