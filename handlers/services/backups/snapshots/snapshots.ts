import { toBeRemoved } from '../../../domain/backups/retention.ts'
import { timestamp, timestampMs } from '../../../domain/text/timestamp.ts'
import { invalid, notFound } from '../../../errors.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { RestoreParts } from '../../../ports/host/backups/restore-parts.ts'
import type { SnapshotEntry } from '../../../ports/host/backups/snapshot-entry.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { Retention } from '../../../ports/retention.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import type { SnapshotRow } from '../../../ports/store/snapshot-store.ts'
import type { ListQuery, Page } from '../../../ports/store/store.ts'
import { accountRecord } from '../account-record.ts'
import { assertBackupRoom } from '../assert-room.ts'
import { backupTurns } from '../creation.ts'
import { forgetPages } from '../../records/forget-pages.ts'
import { backupSubject } from '../operations.ts'
import { targetNamed } from '../target-named.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import {
  doSnapshotWork,
  SNAPSHOT_CREATE,
  SNAPSHOT_DELETE,
  type SnapshotData,
} from './operations.ts'
import { readSnapshot, type SnapshotDownload } from './read-snapshot.ts'
import { reconcile, snapshotRow, type Reconciled } from './repositories.ts'

/** How a snapshot is made. */
export interface SnapshotOptions {
  report?: Report | undefined
  /** Whether the plan's number of backups binds, else 403. Default: false. */
  bounded?: boolean
  /** Whether the schedule asks. Default: false. */
  scheduled?: boolean
}

/** Incremental, encrypted backups of accounts. 404 for an account or a snapshot that is not there. */
export interface Snapshots {
  /** Version of the engine; null where it is not installed. */
  engine(): Promise<{ version: string | null }>
  /** Of one account or (null) all; 404 for one that never was; one that is gone still has its snapshots. */
  list(accountId: number | null, query: ListQuery): Promise<Page<SnapshotRow>>
  /** One of an account, by all 64 digits. */
  get(accountId: number, id: string): Promise<SnapshotRow>
  /** 403 when the account has as many backups as its plan allows. */
  assertRoom(accountId: number): Promise<void>
  /** Brings the records up to what is in the account's repositories: the host's own, its targets', or one of them. */
  refresh(accountId: number, location: string | null): Promise<Reconciled>
  /** `target`: a name, `local` for this host, null for the default target or, without one, this host. */
  create(accountId: number, target: string | null, options?: SnapshotOptions): Promise<SnapshotRow>
  browse(
    accountId: number,
    id: string,
    directory: string,
    offset: number,
  ): Promise<{ entries: SnapshotEntry[]; total: number }>
  /** `database`: a dump; where two engines have one of this name, `engine` says which. */
  download(
    accountId: number,
    id: string,
    what: { path: string } | { database: string; engine: string | null },
  ): Promise<SnapshotDownload>
  restore(accountId: number, id: string, parts: RestoreParts, report?: Report): Promise<SnapshotRow>
  remove(accountId: number, id: string, report?: Report): Promise<void>
  /** Removes what the schedule has made and the rules do not keep; answers ids. What was made by hand stays. */
  thin(accountId: number, location: string, keep: Retention, report?: Report): Promise<string[]>
}

const NO_SNAPSHOT = 'The account has no such snapshot. List its snapshots to see which it has.'

export const createSnapshots = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & { journal: Journal },
): Snapshots => {
  const { store, host, clock, journal, log } = deps
  const inTurn = backupTurns(journal)

  const get = async (accountId: number, id: string): Promise<SnapshotRow> => {
    const { rows } = await store.listSnapshots({ accountId, filters: { id } })
    if (rows[0] === undefined) throw notFound(NO_SNAPSHOT)
    return rows[0]
  }

  const assertRoomOf = async (account: AccountRow): Promise<void> =>
    assertBackupRoom(store, account, (await planOf(store, account)).backups_limit)

  const make = async (
    account: AccountRow,
    location: string,
    { report, scheduled = false }: SnapshotOptions,
  ): Promise<SnapshotRow> => {
    const { id, username } = account
    const place = { username, location }
    const data: SnapshotData = { account_id: id, ...place }
    const operation = journal.newOperation(SNAPSHOT_CREATE, backupSubject(username), data, report)
    await store.openOperation(operation)
    let row: SnapshotRow | undefined
    const snapshot = async (): Promise<void> => {
      const known = await accountRecord(store, await requireSettledAccount(store, id))
      const work = { ...place, ...known, operationId: operation.id, scheduled }
      const made = await doSnapshotWork(
        host.ofAccount(username).snapshots,
        { kind: 'snapshot', ...work },
        report,
      )
      row = snapshotRow(id, place, made.snapshot)
    }
    const record = async (): Promise<void> => {
      if (row) await store.putSnapshot(row)
    }
    await journal.create(operation, [
      { name: 'snapshot', run: snapshot },
      { name: 'record', run: record },
    ])
    if (!row) throw new Error('a snapshot without a record')
    return row
  }

  /** A repository that nobody will use any more. */
  const destroyEmpty = async (username: string, location: string): Promise<void> => {
    if ((await store.accountByName(username)) !== null) return
    if ((await store.snapshotsAt(username, location)).length > 0) return
    try {
      const place = { username, location }
      if ((await host.snapshots.list(place)).length === 0) await host.snapshots.destroy(place)
    } catch (error) {
      log.warn('an empty repository was left', { username, location, error: String(error) })
    }
  }

  /** Removes snapshots of one repository, in the account's turn. */
  const discard = async (rows: readonly SnapshotRow[], report?: Report): Promise<void> => {
    const [first] = rows
    if (first === undefined) return
    const { account_id, username, location } = first
    const snapshots = rows.map(({ id }) => id)
    const data: SnapshotData = { account_id, username, location, snapshots }
    const subject = backupSubject(username)
    const operation = journal.newOperation(SNAPSHOT_DELETE, subject, data, report)
    await store.openOperation(operation)
    const repository = async (): Promise<void> => {
      const place = { username, location, operationId: operation.id }
      const work = { ...place, kind: 'remove' as const, snapshotIds: snapshots }
      await doSnapshotWork(host.ofAccount(username).snapshots, work, report)
    }
    const records = async (): Promise<void> => {
      for (const id of snapshots) await store.deleteSnapshot(location, id)
    }
    await journal.create(operation, [
      { name: 'repository', run: repository },
      { name: 'records', run: records },
    ])
    await destroyEmpty(username, location)
  }

  return {
    engine: () => host.local.snapshots.engine(),
    get,
    async list(accountId, query) {
      if (accountId === null) return store.listSnapshots(query)
      const page = await store.listSnapshots({ ...query, accountId })
      if (page.total === 0 && (await store.listSnapshots({ accountId })).total === 0)
        await requireAccount(store, accountId)
      return page
    },
    async assertRoom(accountId) {
      await assertRoomOf(await requireSettledAccount(store, accountId))
    },
    async refresh(accountId, location) {
      const { rows } = await store.listSnapshots({ accountId })
      const username = rows[0]?.username ?? (await requireAccount(store, accountId)).username
      const targets = await host.ofAccount(username).backups.targets()
      const everywhere = new Set([
        LOCAL,
        ...rows.map((row) => row.location),
        ...targets.map(({ name }) => name),
      ])
      if (location !== null && !everywhere.has(location))
        throw invalid('location', `location: there is no backup target named "${location}".`)
      return inTurn(username, async () => {
        const sum: Reconciled = { added: 0, forgotten: 0 }
        for (const one of location === null ? everywhere : [location]) {
          const { added, forgotten } = await reconcile(deps, { username, location: one })
          sum.added += added
          sum.forgotten += forgotten
        }
        return sum
      })
    },
    async create(accountId, target, options = {}) {
      const account = await requireSettledAccount(store, accountId)
      const location = (await targetNamed(host.of(account.host_id).backups, target)) ?? LOCAL
      return inTurn(account.username, async () => {
        if (options.bounded === true) await assertRoomOf(account)
        return make(account, location, options)
      })
    },
    async browse(accountId, id, directory, offset) {
      const { username, location } = await get(accountId, id)
      return host.snapshots.browse({ username, location, snapshotId: id, directory, offset })
    },
    async download(accountId, id, what) {
      const { username, location, databases } = await get(accountId, id)
      const place = { username, location, snapshotId: id }
      if ('path' in what) return readSnapshot(host.ofAccount(username).snapshots, place, what)
      const [database] = databases.filter(
        (one) =>
          one.database === what.database && (what.engine === null || one.engine === what.engine),
      )
      if (database === undefined)
        throw notFound(`The snapshot holds no database "${what.database}".`)
      return readSnapshot(host.ofAccount(username).snapshots, place, { database })
    },
    async restore(accountId, id, parts, report) {
      const account = await requireActiveAccount(store, accountId)
      const { username, location, databases } = await get(accountId, id)
      if (username !== account.username) throw notFound(NO_SNAPSHOT)
      for (const wanted of Array.isArray(parts.databases) ? parts.databases : []) {
        const { engine, database } = wanted
        if (!databases.some((one) => one.engine === engine && one.database === database))
          throw invalid('databases', `databases: the snapshot holds no ${engine} "${database}".`)
      }
      return inTurn(username, async () => {
        const row = await get(accountId, id)
        const operationId = crypto.randomUUID()
        const work = { username, location, operationId, snapshotId: id, parts }
        await doSnapshotWork(
          host.ofAccount(username).snapshots,
          { kind: 'restore', ...work },
          report,
        )
        await store.insertEvent({
          at: timestamp(clock.nowMs()),
          ending: 'snapshot.restore:done',
          subject: backupSubject(username),
          data: { account_id: accountId, username, location, snapshot: id },
        })
        await forgetPages(deps, accountId)
        return row
      })
    },
    async remove(accountId, id, report) {
      const { username } = await get(accountId, id)
      await inTurn(username, async () => discard([await get(accountId, id)], report))
    },
    async thin(accountId, location, keep, report) {
      const { rows } = await store.listSnapshots({ accountId, filters: { location } })
      if (rows[0] === undefined) return []
      return inTurn(rows[0].username, async () => {
        const now = await store.listSnapshots({ accountId, filters: { location } })
        const made = now.rows
          .filter(({ scheduled }) => scheduled)
          .map((row) => ({ row, atMs: timestampMs(row.created_at) }))
        const removed = toBeRemoved(made, keep).map(({ row }) => row)
        await discard(removed, report)
        return removed.map(({ id }) => id)
      })
    },
  }
}
