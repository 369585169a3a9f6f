import { timestamp } from '../../../domain/text/timestamp.ts'
import { conflict, INTERNAL_ERROR, invalid, isAppError } from '../../../errors.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import type { RefillRow } from '../../../ports/store/refill-store.ts'
import type { BackupDeps } from '../creation.ts'
import { createRestore } from '../restore.ts'
import { candidatesOf } from './candidates.ts'
import type { Candidate } from './candidate.ts'
import { findAtTargets, type FoundAtTargets } from './found-archives.ts'
import { forgetLost } from './forget-lost.ts'
import { createLacking } from './lacking.ts'
import { createWaiting } from '../waiting.ts'

/** How far an account of an import is. */
export interface RefillView extends Omit<RefillRow, 'import_id' | 'state' | 'ended_at'> {
  username: string
  /** `waiting`: nothing was brought back yet. */
  state: RefillRow['state'] | 'waiting'
  domains: number
  /** Domains whose certificate is in force. */
  certificates: number
  ended_at: string | null
}

export interface RefillReport {
  /** When the panel was brought back; null: it never was. */
  imported_at: string | null
  accounts: RefillView[]
}

export interface RefillOrder {
  /** Only copies there; null: wherever there is one. */
  from: string | null
  atOnce: number
  /** Usernames; null: every account of the import that waits, or has failed before. */
  accounts: readonly string[] | null
}

/** Contents of accounts that an import of the panel left empty. */
export interface Refills {
  list(): Promise<RefillReport>
  /**
   * Brings back the newest backup of each account, several at a time; what fails stops none
   * of the others, and what a break leaves undone is done by the next call.
   */
  run(order: RefillOrder, report?: Report): Promise<RefillReport>
}

/** Of a copy that cannot be had; an older backup is better than none. */
const isCopyFault = (error: unknown): boolean => isAppError(error) && error.field === 'location'

const NEVER_IMPORTED =
  'This panel was not brought back by an import, so there are no accounts to fill. Restore single backups instead: berth backups restore'

type Outcome = Omit<RefillRow, 'import_id' | 'account_id' | 'ended_at'>

const EMPTY = { backup: null, location: null, backed_up_at: null, files: 0, bytes: 0, databases: 0 }

export const createRefills = (deps: BackupDeps): Refills => {
  const { store, clock, log, journal } = deps
  const waiting = createWaiting(deps)
  const restore = createRestore(deps)

  const viewOf = async (account: AccountRow, row: RefillRow | undefined): Promise<RefillView> => {
    const domains = (await store.listDomains({ accountId: account.id })).rows
    const { import_id: _, ...outcome } = row ?? {
      ...EMPTY,
      import_id: '',
      state: 'waiting' as const,
      notes: [],
      ended_at: null,
    }
    return {
      ...outcome,
      account_id: account.id,
      username: account.username,
      domains: domains.length,
      certificates: domains.filter(({ ssl_status }) => ssl_status === 'active').length,
    }
  }
  const list = async (): Promise<RefillReport> => {
    const found = await waiting.imported()
    if (found === null) return { imported_at: null, accounts: [] }
    const rows = await store.refillsOf(found.id)
    const views = found.accounts.map((account) =>
      viewOf(
        account,
        rows.find(({ account_id: id }) => id === account.id),
      ),
    )
    return { imported_at: found.at, accounts: await Promise.all(views) }
  }

  const bringBack = async (
    account: AccountRow,
    { from, found }: { from: string | null; found: FoundAtTargets },
    report: Report | undefined,
  ): Promise<Outcome> => {
    const lacking = await createLacking(deps, account)
    const candidates = await candidatesOf({ ...deps, restore }, account, from, found)
    const notes: string[] = []
    if (candidates.length === 0) {
      const elsewhere =
        (await store.listBackups({ accountId: account.id })).total +
          (await store.listSnapshots({ accountId: account.id })).total >
        0
      notes.push(
        elsewhere ? `It has no backup at "${from}".` : 'It has no backup, and stays empty.',
      )
      return { ...EMPTY, state: elsewhere ? 'failed' : 'none', notes }
    }
    let last: { candidate: Candidate; why: string } | null = null
    for (const candidate of candidates) {
      const facts = { ...EMPTY, backup: candidate.backup, backed_up_at: candidate.at }
      try {
        const { parts, databases, notes: lacks } = lacking.of(await candidate.open(report))
        const { location, restored } = await candidate.restore(parts, report)
        return {
          ...facts,
          ...restored,
          state: 'done',
          location,
          databases,
          notes: [...notes, ...lacks],
        }
      } catch (error) {
        if (!isAppError(error)) log.error('an account was not brought back', fault(account, error))
        const why = isAppError(error) ? error.message : INTERNAL_ERROR
        notes.push(`${candidate.backup}: ${why}`)
        last ??= { candidate, why }
        if (!isCopyFault(error)) return { ...facts, state: 'failed', notes }
      }
    }
    return {
      ...EMPTY,
      backup: last?.candidate.backup ?? null,
      backed_up_at: last?.candidate.at ?? null,
      state: 'failed',
      notes,
    }
  }

  const run = async (
    { from, atOnce, accounts }: RefillOrder,
    report: Report | undefined,
  ): Promise<RefillReport> => {
    const found = await waiting.imported()
    if (found === null) throw conflict(NEVER_IMPORTED)
    const unknown = accounts?.find(
      (name) => !found.accounts.some(({ username }) => username === name),
    )
    if (unknown !== undefined)
      throw invalid('accounts', `accounts: ${unknown} is no account that the import brought.`)
    const due = await waiting.ids()
    const queue = found.accounts.filter(({ id, username }) =>
      accounts === null ? due.has(id) : accounts.includes(username),
    )
    const total = queue.length
    const atTargets = await findAtTargets(deps, from)
    const busy = new Set<string>()
    let done = 0
    const tell = (detail: string): void =>
      report?.('Bringing back the accounts', detail, (100 * done) / total)
    const worker = async (): Promise<void> => {
      for (let account = queue.shift(); account !== undefined; account = queue.shift()) {
        const { id, username } = account
        busy.add(username)
        tell([...busy].join(', '))
        const outcome = await bringBack(
          account,
          { from, found: atTargets },
          report && followed(report, username, tell),
        )
        const ended_at = timestamp(clock.nowMs())
        await store.putRefill({ import_id: found.id, account_id: id, ...outcome, ended_at })
        busy.delete(username)
        done += 1
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, total) }, worker))
    const left = await waiting.ids()
    const whole = found.accounts.map(({ id }) => id).filter((id) => !left.has(id))
    await forgetLost(deps, new Set(whole), found.at)
    return list()
  }

  return {
    list,
    run: (order, report) => journal.exclusively('refills', () => run(order, report)),
  }
}

const fault = ({ username }: AccountRow, error: unknown) => ({
  username,
  error: error instanceof Error ? (error.stack ?? error.message) : String(error),
})

/** Steps of one account among several; the whole has its own percentage. */
const followed = (report: Report, username: string, tell: (detail: string) => void): Report =>
  Object.assign(
    (step: string, detail?: string): void => tell(`${username}: ${step} ${detail ?? ''}`.trim()),
    report.jobId === undefined ? {} : { jobId: report.jobId },
  )
