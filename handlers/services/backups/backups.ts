import type { AccountRow } from '../../ports/store/records.ts'
import { toBeRemoved } from '../../domain/backups/retention.ts'
import { timestamp, timestampMs } from '../../domain/text/timestamp.ts'
import { AppError, isAppError, notFound, unavailable } from '../../errors.ts'
import { EVERYWHERE, LOCAL } from '../../ports/host/backups/backups.ts'
import type { ArchiveContents, RemoteTarget } from '../../ports/host/backups/backups.ts'
import type { KeptRestore, RestoreParts } from '../../ports/host/backups/restore-parts.ts'
import type { Report } from '../../ports/jobs.ts'
import type { Retention } from '../../ports/retention.ts'
import type { BackupRow } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { BackupData } from './operations.ts'
import { BACKUP_DELETE, backupSubject } from './operations.ts'
export type { Snapshots } from './snapshots/snapshots.ts'
export { BACKUP_CREATE, BACKUP_UPLOAD } from './operations.ts'
export { SNAPSHOT_CREATE } from './snapshots/operations.ts'
export {
  isOverdue,
  newestOfEach,
  NO_BACKUPS,
  readScheduleRecords,
  standingOf,
} from './schedules/standings.ts'
export { createWaiting } from './waiting.ts'
import { assertBackupRoom } from './assert-room.ts'
import type { BackupDeps } from './creation.ts'
import { createBackupCopies } from './copies.ts'
import { backupTurns, createBackUp } from './creation.ts'
import { forgetPages } from '../records/forget-pages.ts'
import { doBackupWork } from './work.ts'
import { createWaiting } from './waiting.ts'
import { createRestore } from './restore.ts'
import { targetNamed } from './target-named.ts'
import {
  ACCOUNT_NOT_FOUND,
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'

/** A backup as the API shows it: only whole, verified ones are ever recorded. */
export type BackupView = Omit<BackupRow, 'host_id'> & { verified: true; status: 'completed' }

/** How often the host is asked whether it has read an archive; each time takes some seconds. */
const CONTENTS_ASKED = 5

/** What a cleanup came to. */
export interface BackupCleanup {
  removed: { filename: string; location: string }[]
  /** What could not be removed now, e.g. at a target that does not answer. */
  failed: { filename: string; location: string; error: string }[]
}

/**
 * Backups of accounts, on this host and at targets. 404 for an account or a copy that is
 * not there.
 */
export interface Backups {
  /** Of one account or (null) all; 404 for one that never was; one that is gone still has its backups. */
  list(accountId: number | null, query: ListQuery): Promise<Page<BackupView>>
  /** 403 when the account has as many copies on this host as its plan allows. */
  assertRoom(accountId: number): Promise<void>
  /**
   * `target`: a name, `local` for none, null for the default target. For the account's
   * own user (`bounded`) 403 when it has as many copies on this host as its plan allows.
   */
  create(
    accountId: number,
    target: string | null,
    report?: Report,
    bounded?: boolean,
  ): Promise<BackupView>
  /** `location` null: the local copy, or where that is gone or damaged one at a target. Answers the copy that served. */
  restore(
    accountId: number,
    filename: string,
    options: { parts: RestoreParts; location: string | null },
    report?: Report,
  ): Promise<BackupView>
  /** One copy; 404 where there is none. */
  copy(accountId: number, filename: string, location: string): Promise<BackupView>
  /** Restores of the last day, with what was there before. */
  restores(accountId: number): Promise<KeptRestore[]>
  /** Brings back what was there before a restore; that is a restore as well, which can be undone. */
  undo(accountId: number, restoreId: string, report?: Report): Promise<KeptRestore>
  /** What is in a folder ('' is the home) of an archive; 503 while a large one is still being read. */
  contents(
    accountId: number,
    filename: string,
    options: { location: string | null; directory: string; offset: number },
  ): Promise<ArchiveContents>
  /** `location` null: the copy on this host; `all`: every one. Answers where copies are left. */
  remove(accountId: number, filename: string, location: string | null): Promise<string[]>
  /** The copy to download, and its bytes; `location` null: as for a restore. */
  download(
    accountId: number,
    filename: string,
    location: string | null,
  ): Promise<{ backup: BackupView; body: ReadableStream<Uint8Array> }>
  /**
   * Removes backups older than the days given; an account's newest in each place stays, and
   * all of those in `spared`.
   */
  cleanup(retentionDays: number, spared?: ReadonlySet<number>): Promise<BackupCleanup>
  /** Those of the configuration. */
  targets(): Promise<RemoteTarget[]>
  /** Backs up an account that is about to be deleted. */
  final(accountId: number, report?: Report): Promise<void>
  /**
   * Makes one as a schedule has it, with a copy at each target of `places`. Where `local` is
   * not among these the archive on this host goes once all copies are made.
   */
  scheduled(accountId: number, places: readonly string[]): Promise<void>
  /** Of those that the schedule has made, removes in each place what the rules do not keep. */
  thin(accountId: number, keep: Retention): Promise<void>
}

const backupView = ({ host_id: _host, ...row }: BackupRow): BackupView => ({
  ...row,
  verified: true,
  status: 'completed',
})

export const createBackups = (deps: BackupDeps): Backups => {
  const { store, host, clock, log, journal } = deps

  const inTurn = backupTurns(journal)
  const copies = createBackupCopies(deps)

  const { backUp } = createBackUp(deps)
  const restore = createRestore(deps)
  const waiting = createWaiting(deps)

  const targetsOf = async (
    { host_id }: Pick<AccountRow, 'host_id'>,
    name: string | null,
  ): Promise<string[]> => {
    const target = await targetNamed(host.of(host_id).backups, name)
    return target === null ? [] : [target]
  }

  const removeCopy = async (row: BackupRow): Promise<void> => {
    const { account_id, username, filename, location, host_id } = row
    const data: BackupData = { account_id, host_id, username, filename, location }
    const operation = journal.newOperation(BACKUP_DELETE, backupSubject(username), data)
    await store.openOperation(operation)
    await journal.finish(operation)
  }

  const backups: Backups = {
    async list(accountId, query) {
      const page = await store.listBackups(accountId === null ? query : { ...query, accountId })
      if (
        accountId !== null &&
        page.total === 0 &&
        (await store.listBackups({ accountId })).total === 0
      )
        await requireAccount(store, accountId)
      return { rows: page.rows.map(backupView), total: page.total }
    },
    async assertRoom(accountId) {
      const account = await requireSettledAccount(store, accountId)
      await assertBackupRoom(store, account, (await planOf(store, account)).backups_limit)
    },
    async create(accountId, target, report, bounded = false) {
      const account = await requireSettledAccount(store, accountId)
      const limit = bounded ? (await planOf(store, account)).backups_limit : null
      return backupView(await backUp(account, await targetsOf(account, target), { report, limit }))
    },
    async restore(accountId, filename, options, report) {
      const { row } = await restore(accountId, filename, options, report)
      const { files, databases } = options.parts
      if (files === 'all' && databases === 'all') await waiting.end(accountId, row)
      return backupView(row)
    },
    async copy(accountId, filename, location) {
      const [row] = await copies.at(accountId, filename, location)
      if (row === undefined) throw new Error('copies.at answers one at least')
      return backupView(row)
    },
    async restores(accountId) {
      const { username } = await requireSettledAccount(store, accountId)
      return host.backups.restores({ username })
    },
    async undo(accountId, restoreId, report) {
      const { username } = await requireActiveAccount(store, accountId)
      const operationId = crypto.randomUUID()
      await inTurn(username, async () => {
        const { backups: own } = host.ofAccount(username)
        await doBackupWork(own, { operationId, kind: 'undo', username, restoreId }, report)
        await forgetPages(deps, accountId)
      })
      const undone = (await host.backups.restores({ username })).find(
        ({ id }) => id === operationId,
      )
      if (undone) return undone
      throw new Error('the host undid a restore and tells nothing of it')
    },
    async contents(accountId, filename, { location, directory, offset }) {
      const { username: own } = await requireSettledAccount(store, accountId)
      const rows = await copies.at(accountId, filename, location)
      return copies.fromAny(rows, async (row) => {
        const { username, location, sha256, size_bytes: sizeBytes, host_id } = row
        if (username !== own) throw notFound(ACCOUNT_NOT_FOUND)
        const archive = { username, filename, location, sha256, sizeBytes }
        for (let asked = 0; asked < CONTENTS_ASKED; asked += 1) {
          const contents = await host
            .of(host_id)
            .backups.contents({ ...archive, directory, offset })
          if (contents !== null) return contents
        }
        throw unavailable('The backup is large and still being read. Try again in a minute.')
      })
    },
    async remove(accountId, filename, location) {
      const [first] = await copies.of(accountId, filename)
      return inTurn(first?.username ?? '', async () => {
        const rows = await copies.of(accountId, filename)
        const wanted = location ?? LOCAL
        const meant = rows.filter((row) => wanted === EVERYWHERE || row.location === wanted)
        const left = rows.filter((row) => !meant.includes(row)).map((row) => row.location)
        if (meant.length === 0)
          throw notFound(
            location === null
              ? `This backup has no copy on this host. Name what to delete: location=${left[0]}, or location=${EVERYWHERE}.`
              : `This backup has no copy at "${location}".`,
          )
        for (const row of meant) await removeCopy(row)
        return left
      })
    },
    async download(accountId, filename, location) {
      const rows = await copies.at(accountId, filename, location)
      return copies.fromAny(rows, async (row) => {
        const { username, location, host_id } = row
        // What cannot be read at all is known before a response begins.
        const start = await host
          .of(host_id)
          .backups.read({ username, filename, location, offset: 0 })
        return { backup: backupView(row), body: copies.body(row, start.content) }
      })
    },
    async cleanup(retentionDays, spared = new Set()) {
      const oldest = timestamp(clock.nowMs() - retentionDays * 86_400_000)
      const living = new Set((await store.listAccounts()).rows.map(({ id }) => id))
      const empty = await waiting.ids()
      const newest = new Set<string>()
      const outcome: BackupCleanup = { removed: [], failed: [] }
      for (const row of (await store.listBackups()).rows) {
        const place = `${row.account_id} ${row.location}`
        const isNewest = living.has(row.account_id) && !newest.has(place)
        newest.add(place)
        if (isNewest || row.created_at >= oldest) continue
        // What an account is still to be made of is not removed, however old it is.
        if (empty.has(row.account_id) || spared.has(row.account_id)) continue
        const { filename, location } = row
        try {
          await inTurn(row.username, () => removeCopy(row))
          outcome.removed.push({ filename, location })
        } catch (error) {
          log.error('an old backup was not removed', { filename, location, error: String(error) })
          const why = isAppError(error) ? error.message : 'The cause is in the panel log.'
          outcome.failed.push({ filename, location, error: why })
        }
      }
      return outcome
    },
    targets: () => host.local.backups.targets(),
    async final(accountId, report) {
      const account = await requireSettledAccount(store, accountId)
      const targets = await targetsOf(account, null)
      const since = timestamp(clock.nowMs())
      try {
        await backUp(account, targets, { report, limit: null })
      } catch (error) {
        const { rows } = await store.listBackups({ accountId: account.id })
        const made = targets.length > 0 && rows.some(({ created_at }) => created_at >= since)
        if (made)
          return log.warn('the final backup is on this host alone', { error: String(error) })
        if (isAppError(error)) throw new AppError(error.status, `Not deleted: ${error.message}`)
        throw error
      }
    },
    async scheduled(accountId, places) {
      const account = await requireSettledAccount(store, accountId)
      const targets = places.filter((place) => place !== LOCAL)
      const row = await backUp(account, targets, {
        report: undefined,
        limit: null,
        scheduled: true,
      })
      if (places.includes(LOCAL)) return
      const made = (await copies.of(accountId, row.filename)).filter(
        ({ location }) => location === LOCAL,
      )
      for (const copy of made) await inTurn(account.username, () => removeCopy(copy))
    },
    async thin(accountId, keep) {
      const { rows } = await store.listBackups({ accountId })
      const made = rows
        .filter(({ scheduled }) => scheduled)
        .map((row) => ({ row, atMs: timestampMs(row.created_at) }))
      const places = new Set(made.map(({ row }) => row.location))
      for (const place of places) {
        const here = made.filter(({ row }) => row.location === place)
        for (const { row } of toBeRemoved(here, keep))
          await inTurn(row.username, () => removeCopy(row))
      }
    },
  }
  return backups
}
