import { readdirSync, readFileSync } from 'node:fs'
import type { AccountUsePort } from '#handlers/ports/host/accounts/account-use.ts'
import type { SystemHolds } from '#handlers/ports/host/system.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountGroups, GroupValues } from '../../process/account-groups/account-groups.ts'
import { configureAccountGroups } from '../../process/account-groups/current-groups.ts'
import type { FoundGroups } from '../../process/account-groups/find-groups.ts'
import { TENANT_TASKS } from '../../process/as-user.ts'
import type { AccountShares, RegisteredAccount } from '../registry/types.ts'
import { UseCourse } from './use-course.ts'
import { knownAccount } from '../registry/known-account.ts'

type Who = Pick<RegisteredAccount, 'username' | 'uid'>

/** Accounts held to what their programs may use together; the groups are those of the machine. */
export interface AccountHolds {
  state(): SystemHolds
  /** Groups of all accounts, and looks from here on until `stop`. */
  start(): void
  hold(account: Who): Promise<void>
  release(account: Who): Promise<void>
  /** Takes in what others started as accounts, e.g. sshd; of one account or all. */
  look(username?: string): void
  use: AccountUsePort
  /** Groups of accounts that something still runs of stay. */
  stop(): Promise<void>
}

interface Deps {
  registry: {
    account(username: string): RegisteredAccount | null
    accounts(): RegisteredAccount[]
    records: { shares(username: string): AccountShares }
  }
  found: FoundGroups
  /** Whether the kernel keeps to disk quotas where homes lie. */
  diskIsHeld(): Promise<boolean>
  log: Log
}

const LOOK_EVERY_MS = 5000

interface Running {
  pid: number
  uid: number
}

/** By the real user: what sshd makes an account's without a new program has its files as root's. */
const running = (): Running[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, uid] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'latin1')) ?? []
      return uid === undefined ? [] : [{ pid: Number(name), uid: Number(uid) }]
    } catch {
      return [] // ended while we looked
    }
  })

const linesOf = (pid: number): string | null => {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8')
  } catch {
    return null
  }
}

/** What the records say of an account, as values of its group. */
export const valuesOf = (
  limits: RegisteredAccount['limits'],
  { memoryTotalMb, cpuWeight, cpuPercent, ioWeight }: AccountShares,
): GroupValues => ({
  ...{ cpuWeight, ioWeight },
  cpuPercent: cpuPercent === 0 ? null : cpuPercent,
  memoryMb: memoryTotalMb === 0 ? null : memoryTotalMb,
  tasks: limits?.processes ?? TENANT_TASKS,
})

/** See `AccountHolds`. Whatever starts as an account from here on begins in its group. */
export const createAccountHolds = ({ registry, found, diskIsHeld, log }: Deps): AccountHolds => {
  const { groups } = found
  configureAccountGroups(groups)
  /** Whose memory is above its limit, so that it is not set yet. */
  const due = new Set<string>()
  const course = new UseCourse()
  let timer: NodeJS.Timeout | undefined

  const set = async (to: AccountGroups, { username, uid }: Who): Promise<void> => {
    const account = registry.account(username)
    const shares = registry.records.shares(username)
    const held = await to.set(uid, valuesOf(account?.limits ?? null, shares))
    // From here on ends are counted.
    if (!course.knows(username)) course.note(username, to.use(uid), Date.now())
    if (held) due.delete(username)
    else due.add(username)
  }
  const count = (to: AccountGroups, accounts: readonly Who[]): void => {
    const nowMs = Date.now()
    for (const { username, uid } of accounts) {
      const ended = course.note(username, to.use(uid), nowMs)
      if (ended > 0)
        log.warn('the kernel ended programs of an account, whose memory was used up', {
          username,
          ended,
        })
    }
  }
  const careful = async (what: string, { username }: Who, work: () => Promise<void>) => {
    await work().catch((error: unknown) => log.error(what, { username, error: String(error) }))
  }
  const hold = (account: Who): Promise<void> =>
    groups === null
      ? Promise.resolve()
      : careful('an account is not held to what its programs may use together', account, () =>
          set(groups, account),
        )
  const takeStrays = (to: AccountGroups, accounts: readonly Who[]): void => {
    const owners = new Map(accounts.map((account) => [account.uid, account]))
    const strays = new Map<Who, number[]>()
    for (const { pid, uid } of running()) {
      const owner = owners.get(uid)
      const lines = owner === undefined ? null : linesOf(pid)
      if (owner === undefined || lines === null || to.isIn(uid, lines)) continue
      strays.set(owner, [...(strays.get(owner) ?? []), pid])
    }
    for (const [owner, pids] of strays)
      void careful('programs of an account are not held together with its others', owner, () =>
        to.take(owner.uid, 'programs', pids),
      )
  }
  const look: AccountHolds['look'] = (username) => {
    if (groups === null) return
    const accounts = registry.accounts().filter(({ suspended }) => !suspended)
    takeStrays(
      groups,
      username === undefined ? accounts : accounts.filter((one) => one.username === username),
    )
    if (username === undefined) count(groups, accounts)
    for (const account of accounts) if (due.has(account.username)) void hold(account)
  }

  return {
    state: () => ({
      kind: groups?.kind ?? null,
      holds: [...(groups?.holds ?? [])],
      reason: found.reason,
    }),
    start() {
      if (groups === null) {
        log.warn('accounts are not held to what their programs may use together', {
          reason: found.reason,
        })
        return
      }
      const accounts = registry.accounts()
      // Of the web tool for databases, which is no account, something may be about to begin in its group.
      const kept = new Set([...accounts, ...running()].map(({ uid }) => uid))
      for (const uid of groups.uids())
        if (!kept.has(uid))
          void careful('a group of no account stays', { username: '', uid }, () =>
            groups.remove(uid),
          )
      for (const account of accounts) if (!account.suspended) void hold(account)
      timer ??= setInterval(() => look(), LOOK_EVERY_MS).unref()
    },
    hold,
    release: async (account) => {
      due.delete(account.username)
      // What it used is told also while it is suspended; the counters begin anew.
      course.note(account.username, null, Date.now())
      if (registry.account(account.username) === null) course.forget(account.username)
      if (groups !== null)
        await careful('the group of an account stays', account, () => groups.remove(account.uid))
    },
    look,
    use: {
      async of({ username }) {
        knownAccount(registry, username)
        const held = await diskIsHeld()
        return { ...course.read(username, Date.now()), disk_held_by: held ? 'kernel' : 'berth' }
      },
      shortOfMemory: async () => course.short(Date.now()),
    },
    async stop() {
      clearInterval(timer)
      timer = undefined
      if (groups === null) return
      const busy = new Set(running().map(({ uid }) => uid))
      for (const uid of groups.uids())
        if (!busy.has(uid))
          await groups
            .remove(uid)
            .catch((error: unknown) =>
              log.warn('the group of an account stays', { uid, error: String(error) }),
            )
    },
  }
}
