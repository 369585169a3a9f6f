import { readFileSync, readdirSync, statSync } from 'node:fs'
import { CpuMinutes } from '#handlers/domain/accounts/cpu-minutes.ts'
import type { CpuMinute } from '#handlers/ports/host/cache/page-cache.ts'

/** How often processes are looked at. */
const LOOK_MS = 10_000
/** Of /proc: USER_HZ, which is 100 on all of Linux. */
const TICK_MS = 10

/** What a process and those of its children that it has waited for have used. */
interface Used {
  parent: number
  uid: number
  ms: number
}

const readUsed = (pid: string): Used | null => {
  try {
    const { uid } = statSync(`/proc/${pid}`)
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name may hold blanks and brackets; the fields begin after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // utime, stime, cutime and cstime: fields 14 to 17.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), uid, ms: ticks * TICK_MS }
  } catch {
    return null
  }
}

const readAll = (uids: ReadonlySet<number>): Map<string, Used> => {
  const found = new Map<string, Used>()
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const used = readUsed(pid)
    if (used !== null && uids.has(used.uid)) found.set(pid, used)
  }
  return found
}

/**
 * Processor time of everything that runs as an account: PHP, CGI, helpers, whatever they
 * start. When a process ends, what it had used is its parent's, so nothing of it counts
 * twice; what one used after the last look and that nobody of the account waited for is lost.
 */
export class AccountCpu {
  readonly #uids: () => ReadonlyMap<string, number>
  readonly #read: (uids: ReadonlySet<number>) => Map<string, Used>
  readonly #minutes: CpuMinutes
  readonly #timer: NodeJS.Timeout
  #before: Map<string, Used> | null = null

  /** `uids`: of each account its own; accounts that share one are left out by the caller. */
  constructor(deps: {
    uids: () => ReadonlyMap<string, number>
    nowMs: () => number
    /** Default: /proc. */
    read?: (uids: ReadonlySet<number>) => Map<string, Used>
  }) {
    this.#uids = deps.uids
    this.#read = deps.read ?? readAll
    this.#minutes = new CpuMinutes(deps.nowMs)
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Counts what was used since the last look. */
  look(): void {
    const uids = this.#uids()
    const now = this.#read(new Set(uids.values()))
    const before = this.#before
    this.#before = now
    if (before === null) return
    const grown = new Map<number, number>()
    const add = (uid: number, ms: number): void => void grown.set(uid, (grown.get(uid) ?? 0) + ms)
    for (const [pid, { uid, ms }] of now) {
      const known = before.get(pid)
      // The same number with less is another process.
      const isSame = known !== undefined && known.uid === uid && known.ms <= ms
      add(uid, isSame ? ms - known.ms : ms)
    }
    for (const [pid, { parent, uid, ms }] of before)
      // What was counted of it is in its parent's sum now.
      if (!now.has(pid) && now.get(String(parent))?.uid === uid) add(uid, -ms)
    for (const [username, uid] of uids) this.#minutes.add(username, grown.get(uid) ?? 0)
  }

  /** Of the last hour; see `CpuMinutes`. */
  read(username: string): CpuMinute[] {
    return this.#minutes.read(username)
  }
}
