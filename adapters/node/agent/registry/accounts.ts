import type Database from 'better-sqlite3'
import { z } from 'zod'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { AccountLimits, AccountShares, RegisteredAccount } from './types.ts'

/** What a suspension took away, so that lifting it restores exactly that. */
export const suspendMemorySchema = z.object({
  shell: z.string(),
  passwordLocked: z.boolean(),
  /** Days since the epoch as in shadow(5); '' is never. */
  expireDay: z.string(),
})
export type SuspendMemory = z.infer<typeof suspendMemorySchema>

/** `creating` and `removing` are seen only by the users port. */
export type AccountState = 'creating' | 'ready' | 'removing'
export type AccountRow = RegisteredAccount & {
  state: AccountState
  suspendMemory: SuspendMemory | null
}

/** The lifecycle side of the registry, for the users port alone. */
export interface AccountRecords {
  /** In any state. */
  find(username: string): AccountRow | null
  all(): AccountRow[]
  /**
   * Takes the next free uid that `isFree` accepts and records the account as
   * `creating`; null when the name is taken. Uids are never handed out twice, but for a
   * `wanted` one that is for accounts and free: that is its own from before.
   */
  reserve(
    account: { username: string; home: string; diskQuotaMb: number },
    uids: { uid: number; gid: number } | { isFree: (uid: number) => boolean; wanted?: number },
  ): AccountRow | null
  setState(username: string, state: AccountState): void
  setSuspended(username: string, suspended: boolean, memory: SuspendMemory | null): void
  setDiskQuota(username: string, diskQuotaMb: number): void
  setLimits(username: string, limits: AccountLimits, shares: AccountShares): void
  /** Those of any account where none were told or the name is unknown. */
  shares(username: string): AccountShares
  forget(username: string): void
}

const FIRST_UID = 20_000
/** login.defs UID_MAX; beyond lie systemd's dynamic users and the sub-uid ranges. */
const LAST_UID = 59_999
/** A range no tool hands out, for hosts that used up the first one. */
const FIRST_HIGH_UID = 1_900_000_000
const LAST_HIGH_UID = 2_000_000_000
/** Who says what number he had, from another machine, may lie: numbers are not used up by what a few say. */
const MOST_AHEAD = 100_000

interface Row {
  username: string
  uid: number
  gid: number
  home: string
  state: AccountState
  suspended: number
  suspend_memory: string | null
  php_version: string | null
  php_mode: PhpMode
  disk_quota_mb: number
  processes_limit: number | null
  memory_limit_mb: number | null
  memory_total_mb: number
  cpu_weight: number
  cpu_percent: number
  io_weight: number
}

const fromRow = (row: Row): AccountRow => ({
  username: row.username,
  uid: row.uid,
  gid: row.gid,
  home: row.home,
  suspended: row.suspended === 1,
  phpVersion: row.php_version,
  phpMode: row.php_mode,
  diskQuotaMb: row.disk_quota_mb,
  limits:
    row.processes_limit === null || row.memory_limit_mb === null
      ? null
      : { processes: row.processes_limit, memoryMb: row.memory_limit_mb },
  state: row.state,
  suspendMemory:
    row.suspend_memory === null ? null : suspendMemorySchema.parse(JSON.parse(row.suspend_memory)),
})

/** The records over an opened and migrated registry database. */
export const createAccountRecords = (db: Database.Database): AccountRecords => {
  const byName = db.prepare<[string], Row>('select * from accounts where username = ?')
  const everything = db.prepare<[], Row>('select * from accounts order by username')
  const counter = db.prepare<[], { value: number }>(
    `select value from counters where name = 'next_uid'`,
  )
  const setCounter = db.prepare<[number]>(
    `insert into counters (name, value) values ('next_uid', ?)
     on conflict (name) do update set value = excluded.value`,
  )
  const hasUid = db.prepare<[number]>('select 1 from accounts where uid = ?')
  const insert = db.prepare<[string, number, number, string, number]>(
    `insert into accounts (username, uid, gid, home, disk_quota_mb, state)
     values (?, ?, ?, ?, ?, 'creating')`,
  )
  const setState = db.prepare<[string, string]>('update accounts set state = ? where username = ?')
  const setSuspended = db.prepare<[number, string | null, string]>(
    'update accounts set suspended = ?, suspend_memory = ? where username = ?',
  )
  const setDiskQuota = db.prepare<[number, string]>(
    'update accounts set disk_quota_mb = ? where username = ?',
  )
  const setLimits = db.prepare<[number, number, number, number, number, number, string]>(
    `update accounts set processes_limit = ?, memory_limit_mb = ?, memory_total_mb = ?,
       cpu_weight = ?, cpu_percent = ?, io_weight = ? where username = ?`,
  )
  const forget = db.prepare<[string]>('delete from accounts where username = ?')

  const nextUid = (isFree: (uid: number) => boolean, wanted?: number): number => {
    let uid = counter.get()?.value ?? FIRST_UID
    const isOurs = (one: number): boolean =>
      (one >= FIRST_UID && one <= LAST_UID) ||
      (one >= FIRST_HIGH_UID &&
        one < Math.min(LAST_HIGH_UID, Math.max(uid, FIRST_HIGH_UID) + MOST_AHEAD))
    if (wanted !== undefined && isOurs(wanted) && isFree(wanted) && !hasUid.get(wanted)) {
      if (wanted >= uid) setCounter.run(wanted + 1)
      return wanted
    }
    while (!isFree(uid)) uid += 1
    if (uid > LAST_UID && uid < FIRST_HIGH_UID) uid = FIRST_HIGH_UID
    while (!isFree(uid)) uid += 1
    setCounter.run(uid + 1)
    return uid
  }

  const find = (username: string): AccountRow | null => {
    const row = byName.get(username)
    return row ? fromRow(row) : null
  }

  return {
    find,
    all: () => everything.all().map(fromRow),
    reserve: db.transaction<AccountRecords['reserve']>((account, uids) => {
      if (byName.get(account.username)) return null
      const ids = 'uid' in uids ? uids : null
      const free = 'isFree' in uids ? uids : { isFree: () => true }
      const uid = ids?.uid ?? nextUid(free.isFree, free.wanted)
      insert.run(account.username, uid, ids?.gid ?? uid, account.home, account.diskQuotaMb)
      return find(account.username)
    }).immediate,
    setState: (username, state) => void setState.run(state, username),
    setSuspended: (username, suspended, memory) =>
      void setSuspended.run(
        suspended ? 1 : 0,
        memory === null ? null : JSON.stringify(memory),
        username,
      ),
    setDiskQuota: (username, diskQuotaMb) => void setDiskQuota.run(diskQuotaMb, username),
    setLimits: (username, { processes, memoryMb }, shares) => {
      const { memoryTotalMb, cpuWeight, cpuPercent, ioWeight } = shares
      const together = [memoryTotalMb, cpuWeight, cpuPercent, ioWeight] as const
      setLimits.run(processes, memoryMb, ...together, username)
    },
    shares(username) {
      const row = byName.get(username)
      return {
        memoryTotalMb: row?.memory_total_mb ?? 0,
        cpuWeight: row?.cpu_weight ?? 100,
        cpuPercent: row?.cpu_percent ?? 0,
        ioWeight: row?.io_weight ?? 100,
      }
    },
    forget: (username) => void forget.run(username),
  }
}
