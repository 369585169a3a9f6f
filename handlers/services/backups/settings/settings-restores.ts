import { timestamp, timestampMs } from '../../../domain/text/timestamp.ts'
import { conflict, isAppError, notFound } from '../../../errors.ts'
import type { ArchiveFacts } from '../../../ports/host/backups/archived-records.ts'
import type { KeptRestore } from '../../../ports/host/backups/restore-parts.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { AccountRow, OperationRow } from '../../../ports/store/records.ts'
import type { Journal } from '../../journal/journal.ts'
import { forgetPages } from '../../records/forget-pages.ts'
import {
  ACCOUNT_NOT_FOUND,
  requireActiveAccount,
  requireSettledAccount,
} from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { backupTurns } from '../creation.ts'
import type { CheckRecord } from '../import/imports.ts'
import { createOpenFrom } from '../import/open-from.ts'
import { backupSubject } from '../operations.ts'
import { jobsToMake } from './apply-cron.ts'
import { applySettings, type SettingsServices } from './apply-settings.ts'
import {
  BACKUP_SETTINGS,
  settingsData,
  settingsOperationKind,
  type SettingsData,
} from './operations.ts'
import { settingsNow, settingsOf, type SettingsRecord } from './settings-record.ts'

/** How long what was there before can be brought back. */
const KEPT_MS = 86_400_000

/** A backup of an account, of which the settings are meant. */
export type SettingsFrom =
  | { accountId: number; filename: string; location: string | null }
  | { accountId: number; snapshot: string }

/** What came of a restore of settings. */
export interface RestoredSettings {
  /** The copy that served. */
  location: string
  /** What was not taken over, each in a sentence. */
  notes: string[]
}

/** A restore of settings that can be undone. */
export type KeptSettings = Omit<KeptRestore, 'parts' | 'lost'>

/**
 * Settings of accounts that are there, from their backups: domains with what they do, PHP,
 * cron jobs, page cache, backup schedule. Who may what, i.e. passwords, plan and quotas, stays.
 * For administrators alone. 404 for an account or a backup that is not there.
 */
export interface SettingsRestores {
  /** 409 for a backup that tells no settings, or one whose settings would not pass here. */
  restore(from: SettingsFrom, check: CheckRecord, report?: Report): Promise<RestoredSettings>
  /** The last one of the account within a day; null: none. */
  kept(accountId: number): Promise<KeptSettings | null>
  /** Brings back what was there before; a restore as well, which can be undone. 404 unless `kept` has it. */
  undo(
    accountId: number,
    restoreId: string,
    report?: Report,
  ): Promise<{ kept: KeptSettings; notes: string[] }>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
} & SettingsServices

type Origin = Pick<SettingsData, 'filename' | 'snapshot' | 'location' | 'is_undo'>

const keptOf = (row: OperationRow): KeptSettings => {
  const { filename, snapshot, location, is_undo: isUndo } = settingsData(row)
  return {
    id: row.id,
    restoredAt: row.created_at,
    until: timestamp(timestampMs(row.created_at) + KEPT_MS),
    from:
      snapshot === undefined
        ? { kind: 'archive', filename: filename ?? '', location }
        : { kind: 'snapshot', snapshotId: snapshot, location },
    isUndo,
  }
}

const refused = (error: unknown): unknown =>
  isAppError(error) && error.status === 400 ? conflict(error.message) : error

export const createSettingsRestores = (deps: Deps): SettingsRestores => {
  const { store, clock, journal } = deps
  const inTurn = backupTurns(journal)
  const openFrom = createOpenFrom(deps)
  /** What a change of the account that was broken off left is no state to begin from. */
  const settled = <T>(username: string, work: () => Promise<T>): Promise<T> =>
    journal.exclusively(username, work)
  journal.register(
    settingsOperationKind(async (id, username, what) => {
      await settled(username, () => Promise.resolve())
      await applySettings(deps, id, what)
    }, store),
  )

  const lastOf = async (account: AccountRow): Promise<OperationRow | null> => {
    const since = timestamp(clock.nowMs() - KEPT_MS)
    const rows = await store.endedOperations('done', [BACKUP_SETTINGS], since)
    return rows.findLast((row) => settingsData(row).account_id === account.id) ?? null
  }

  const apply = async (
    account: AccountRow & { home: string },
    origin: Origin,
    what: { record: SettingsRecord; unmake: SettingsData['made'] },
    report?: Report,
  ): Promise<{ operation: OperationRow; notes: string[] }> => {
    const { id: account_id, username } = account
    const before = await settled(username, () => settingsNow(store, account))
    const made = jobsToMake(what.record.cron, before.cron)
    const data: SettingsData = { account_id, username, ...origin, before, made }
    const operation = journal.newOperation(BACKUP_SETTINGS, backupSubject(username), data, report)
    await store.openOperation(operation)
    let notes: string[] = []
    const run = async (): Promise<void> => {
      notes = await applySettings(deps, account_id, what)
    }
    await journal.create(operation, [{ name: 'settings', run }])
    await forgetPages(deps, account_id)
    return { operation, notes }
  }

  const wantedOf = async (
    { username, record, proof }: ArchiveFacts,
    account: AccountRow,
    check: CheckRecord,
  ): Promise<{ record: SettingsRecord; notes: string[] }> => {
    if (username !== account.username) throw notFound(ACCOUNT_NOT_FOUND)
    if (record === null)
      throw conflict('This backup is of before, when archives did not hold settings.')
    await check(record, {}).catch((error: unknown) => {
      throw refused(error)
    })
    const settings = settingsOf(record)
    if (proof !== 'unproved' || settings.cron.length === 0) return { record: settings, notes: [] }
    return {
      // They would run by themselves, and nobody proves who wrote them.
      record: { ...settings, cron: settings.cron.map((job) => ({ ...job, enabled: false })) },
      notes: [
        `No key of this host proves who made the backup, so its ${settings.cron.length} cron jobs are switched off. Look at them, then switch them on.`,
      ],
    }
  }

  return {
    async restore(from, check, report) {
      const { username } = await requireActiveAccount(store, from.accountId)
      return inTurn(username, () =>
        openFrom(
          from,
          async (facts, _id, location) => {
            const account = await requireActiveAccount(store, from.accountId)
            const { record, notes } = await wantedOf(facts, account, check)
            const origin: Origin = {
              ...('snapshot' in from ? { snapshot: from.snapshot } : { filename: from.filename }),
              ...{ location, is_undo: false },
            }
            const done = await apply(account, origin, { record, unmake: [] }, report)
            return { location, notes: [...notes, ...done.notes] }
          },
          report,
        ),
      )
    },
    async kept(accountId) {
      const row = await lastOf(await requireSettledAccount(store, accountId))
      return row === null ? null : keptOf(row)
    },
    async undo(accountId, restoreId, report) {
      const { username } = await requireActiveAccount(store, accountId)
      return inTurn(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const last = await lastOf(account)
        if (last?.id !== restoreId) throw notFound('There is no such restore, or a later one.')
        const { filename, snapshot, location, before, made } = settingsData(last)
        const origin: Origin = {
          ...(filename === undefined ? {} : { filename }),
          ...(snapshot === undefined ? {} : { snapshot }),
          ...{ location, is_undo: true },
        }
        const done = await apply(account, origin, { record: before, unmake: made }, report)
        return { kept: keptOf(done.operation), notes: done.notes }
      })
    },
  }
}
