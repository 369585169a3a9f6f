import { existsSync } from 'node:fs'
import type { Log } from '#handlers/ports/log.ts'
import { isSameProcessAlive } from '../../../process/process-identity.ts'
import { hasConnections } from './open-connections.ts'
import { endOrphans, findMasters, startMaster, stopMaster } from './php-master.ts'
import type { PhpMaster, MasterPlan } from './php-master.ts'

/** One of an account's masters: how to start it, and what names it. */
export interface PoolMember {
  username: string
  version: string
  /** Of `masterName`; begins with the username and a hyphen. */
  name: string
  /** Writes the configuration and answers what to start; called for each start. */
  prepare(): Promise<MasterPlan>
}

/** What a master found on the host should be. */
export interface AdoptablePlan {
  member: PoolMember
  plan: MasterPlan
  /** Whether it runs with the configuration it would get today. */
  current: boolean
}

/** The running masters, at most one per name. */
export interface MasterPool {
  /** Socket of the running master; starts one when there is none. Counts as use. */
  ensure(member: PoolMember): Promise<string>
  /** Replaces the account's running masters of this version by fresh ones on the same sockets. */
  restart(username: string, version: string): Promise<void>
  /** All that run, with their sockets. */
  list(): { member: PoolMember; pid: number; socket: string; idleMs: number }[]
  /**
   * Milliseconds since the master of this name was used; 0 while it starts, or
   * just failed to. Null: there is none.
   */
  unusedMs(name: string): number | null
  /** Stops a master that nobody is connected to; false where somebody is. */
  dismiss(name: string): boolean
  /** Ends every master of the account at once, running requests included. */
  stopAccount(username: string): Promise<void>
  /** Stops what was not used for its `idleMs`. */
  sweep(idleMsOf: (member: PoolMember) => number): void
  /** Takes over the masters that an earlier agent left, or ends them when `planOf` knows no use for them. */
  adopt(directory: string, planOf: (configFile: string) => AdoptablePlan | null): Promise<void>
  stop(graceMs: number): Promise<void>
}

interface Entry {
  member: PoolMember
  master: PhpMaster
  lastUseMs: number
}

/** Binaries of masters whose account or settings are gone. */
const MASTER_PROGRAM = /\/(?:php-fpm[\d.]*|node|lsphp[\d.]*)$/
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
  const facts = ({ username, version, name }: PoolMember): Record<string, string> => ({
    account: username,
    version,
    name,
  })

  const retire = (master: PhpMaster, graceMs: number, keepSocket = false): Promise<void> => {
    const work = stopMaster(master, { graceMs, keepSocket }).finally(() => stopping.delete(work))
    stopping.add(work)
    return work
  }

  const start = async (member: PoolMember): Promise<Entry> => {
    const key = member.name
    try {
      const master = await startMaster(await member.prepare())
      const entry = { member, master, lastUseMs: performance.now() }
      failures.delete(key)
      entries.set(key, entry)
      log.info('PHP master started', facts(member))
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
    log.warn('A PHP master ended by itself', facts(entry.member))
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
    await Promise.all(chosen.map(([, entry]) => retire(entry.master, graceMs)))
  }

  return {
    async ensure(member) {
      const key = member.name
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

    async restart(username, version) {
      await settleStarts(username)
      const mine = [...entries.values()].filter(
        ({ member }) => member.username === username && member.version === version,
      )
      await Promise.all(
        mine.map(async ({ member }) => {
          const old = living(member.name)
          if (!old || closed) return
          await once(member.name, () => start(member))
          void retire(old.master, GRACE_MS, true)
        }),
      )
    },

    list: () =>
      [...entries.keys()].flatMap((key) => {
        const entry = living(key)
        if (entry === null) return []
        const { member, master, lastUseMs } = entry
        const idleMs = performance.now() - lastUseMs
        return [{ member, pid: master.pid, socket: master.socket, idleMs }]
      }),

    unusedMs(name) {
      if (starting.has(name) || failures.has(name)) return 0
      const entry = entries.get(name)
      return entry ? performance.now() - entry.lastUseMs : null
    },

    dismiss(name) {
      const entry = entries.get(name)
      if (!entry || starting.has(name)) return !starting.has(name)
      if (hasConnections(entry.master.socket)) return false
      entries.delete(name)
      void retire(entry.master, GRACE_MS)
      log.info('PHP master stopped, another is wanted', facts(entry.member))
      return true
    },

    async stopAccount(username) {
      await settleStarts(username)
      await stopWhere(({ member }) => member.username === username, 0)
    },

    sweep(idleMsOf) {
      const now = performance.now()
      for (const [key, entry] of entries) {
        if (now - entry.lastUseMs < idleMsOf(entry.member)) continue
        if (hasConnections(entry.master.socket)) {
          entry.lastUseMs = now
          continue
        }
        entries.delete(key)
        void retire(entry.master, GRACE_MS)
        log.info('PHP master stopped, idle', facts(entry.member))
      }
      for (const [key, failure] of failures)
        if (now - failure.atMs > RETRY_AFTER_MS) failures.delete(key)
    },

    async adopt(directory, planOf) {
      for (const found of findMasters(directory)) {
        const known = planOf(found.configFile)
        const { pid, startTicks, uid, configFile, exe, scattered } = found
        // Someone else's process with our path in its arguments is none of our business.
        if (known ? uid !== known.plan.uid : uid === 0 || !MASTER_PROGRAM.test(exe ?? '')) continue
        const socket = known?.plan.socket ?? ''
        const master: PhpMaster = { pid, startTicks, uid, socket, configFile, scattered }
        const usable = known?.current === true && exe === known.plan.binary && existsSync(socket)
        if (known && usable && !entries.has(known.member.name)) {
          const { member } = known
          entries.set(member.name, { member, master, lastUseMs: performance.now() })
          log.info('PHP master adopted', facts(member))
        } else await retire(master, 0)
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
