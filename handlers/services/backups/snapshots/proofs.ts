import { timestamp, timestampMs } from '../../../domain/text/timestamp.ts'
import { isAppError, notFound } from '../../../errors.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { ProofFigures, ProofRow, SnapshotRow } from '../../../ports/store/snapshot-store.ts'
import type { ListQuery, Page } from '../../../ports/store/store.ts'
import { backupTurns } from '../creation.ts'
import { withArchive } from '../import/open-archive.ts'
import { backupSubject } from '../operations.ts'
import type { Journal } from '../../journal/journal.ts'
import { requireAccount } from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { doSnapshotWork } from './operations.ts'

/** Shares of a repository: all of it is read back in a quarter of a year. */
export const SHARES = 12
const DAY_MS = 86_400_000
const EVERY_MS = 7 * DAY_MS
/** What failed may have been out of reach for a moment. */
const AGAIN_MS = DAY_MS
const KEPT_MS = 400 * DAY_MS

/** Proofs that backups can be restored. */
export interface Proofs {
  list(query: ListQuery): Promise<Page<ProofRow>>
  /** Proves an account's newest snapshot, or its newest archive where it has none, now; 404 without any. */
  prove(accountId: number, kind: ProofRow['kind'], report?: Report): Promise<ProofRow>
  /**
   * Reads back a share of each repository that was not looked at for a week, and restores
   * the newest snapshot of one account for a test once a week, in turn. Never rejects for
   * what cannot be proved: it is noted.
   */
  proveDue(): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & { journal: Journal }

/** What is proved: a snapshot with its repository, or an archive. */
type Subject = Pick<ProofRow, 'account_id' | 'username' | 'location' | 'snapshot' | 'filename'>

const of = ({ account_id, username, location }: SnapshotRow, snapshot: string | null): Subject => ({
  account_id,
  username,
  location,
  snapshot,
  filename: null,
})

const anyOf = <T>(all: readonly T[]): T | undefined =>
  all[(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % Math.max(all.length, 1)]

export const createProofs = ({ store, host, clock, log, journal }: Deps): Proofs => {
  const inTurn = backupTurns(journal)

  const check = async (
    { account_id: accountId, username, location, filename }: Subject,
    report?: Report,
  ): Promise<ProofFigures> => {
    if (filename !== null) {
      const { rows } = await store.listBackups({ accountId, filters: { location } })
      const row = rows.find((one) => one.filename === filename)
      if (row === undefined) throw notFound('The backup is gone.')
      const known = { username, filename, location, sha256: row.sha256, sizeBytes: row.size_bytes }
      return withArchive(
        host.ofAccount(username).imports,
        { kind: 'backup', ...known },
        async ({ homeEntries: files, databases }) => ({
          bytes: row.size_bytes,
          files,
          databases: databases.length,
        }),
        report,
      )
    }
    const filters = { kind: 'check', location }
    const { rows } = await store.listProofs({ accountId, filters })
    const last = rows.find(({ figures }) => figures.share?.of === SHARES)
    // A share that could not be read is read again.
    const nth = (last?.figures.share?.nth ?? 0) - (last?.ok === false ? 1 : 0)
    const share = { nth: (Math.max(nth, 0) % SHARES) + 1, of: SHARES }
    const work = { operationId: crypto.randomUUID(), username, location, share }
    try {
      const facts = await doSnapshotWork(
        host.ofAccount(username).snapshots,
        { kind: 'check', ...work },
        report,
      )
      return { share, ...(facts.readBytes === null ? {} : { bytes: facts.readBytes }) }
    } catch (error) {
      throw Object.assign(error as Error, { figures: { share } })
    }
  }

  const trial = async (
    { username, location, snapshot }: Subject,
    report?: Report,
  ): Promise<ProofFigures> => {
    const work = { operationId: crypto.randomUUID(), username, location }
    const { files, bytes, databases } = await doSnapshotWork(
      host.ofAccount(username).snapshots,
      { kind: 'trial', ...work, snapshotId: snapshot ?? '' },
      report,
    )
    const sum = (field: 'tables' | 'rows') => databases.reduce((all, one) => all + one[field], 0)
    return { files, bytes, databases: databases.length, tables: sum('tables'), rows: sum('rows') }
  }

  const tell = ({ account_id, username, location }: Subject): Promise<void> =>
    store.insertEvent({
      at: timestamp(clock.nowMs()),
      ending: 'backup.prove:undone',
      subject: backupSubject(username),
      data: { account_id, username, location },
    })

  const prove = (subject: Subject, kind: ProofRow['kind'], report?: Report): Promise<ProofRow> =>
    inTurn(subject.username, async () => {
      const startedMs = clock.nowMs()
      const { figures, error } = await (kind === 'check' ? check : trial)(subject, report).then(
        (figures) => ({ figures, error: null }),
        (fault: unknown) => {
          log.error('a backup could not be proved', { ...subject, kind, error: String(fault) })
          const error = isAppError(fault) ? fault.message : 'The cause is in the panel log.'
          return { figures: (fault as { figures?: ProofFigures }).figures ?? {}, error }
        },
      )
      const row = await store.insertProof(
        {
          ...subject,
          kind,
          at: timestamp(startedMs),
          seconds: Math.round((clock.nowMs() - startedMs) / 100) / 10,
          ok: error === null,
          figures,
          error,
        },
        timestamp(startedMs - KEPT_MS),
      )
      if (error !== null) await tell(subject)
      return row
    })

  const newestSnapshot = async (accountId: number): Promise<SnapshotRow | undefined> =>
    (await store.listSnapshots({ accountId, page: 1, perPage: 1 })).rows[0]

  const archiveOf = async (accountId: number): Promise<Subject | undefined> => {
    const { rows } = await store.listBackups({ accountId, page: 1, perPage: 1 })
    const [row] = rows
    if (row === undefined) return undefined
    const { username, location, filename } = row
    return { account_id: accountId, username, location, filename, snapshot: null }
  }

  const isDue = (last: ProofRow | undefined): boolean => {
    if (last === undefined) return true
    return clock.nowMs() - timestampMs(last.at) >= (last.ok ? EVERY_MS : AGAIN_MS)
  }

  const checkDue = async (
    latest: readonly ProofRow[],
    snapshots: readonly SnapshotRow[],
  ): Promise<void> => {
    // A later account of a name has the same repository.
    const places = new Map(snapshots.map((row) => [`${row.username} ${row.location}`, row]))
    for (const row of places.values()) {
      const last = latest.findLast(
        ({ kind, username, location, filename }) =>
          kind === 'check' &&
          filename === null &&
          username === row.username &&
          location === row.location,
      )
      if (isDue(last)) await prove(of(row, null), 'check')
    }
  }

  /** One account a week, not those that were tried of late. */
  const trialDue = async (
    latest: readonly ProofRow[],
    snapshots: readonly SnapshotRow[],
  ): Promise<void> => {
    const trials = latest.filter(({ kind }) => kind === 'trial')
    if (!isDue(trials.at(-1))) return
    const late = trials.slice(-Math.max(1, Math.floor(snapshots.length / 2)))
    const fresh = snapshots.filter(
      ({ account_id }) => !late.some((one) => one.account_id === account_id),
    )
    // What failed is tried again.
    const last = trials.at(-1)
    const failed = snapshots.find(
      ({ account_id }) => last?.ok === false && account_id === last.account_id,
    )
    const chosen = failed ?? anyOf(fresh.length === 0 ? snapshots : fresh)
    if (chosen !== undefined) await prove(of(chosen, chosen.id), 'trial')
  }

  /** Where there is no snapshot, an archive is read from its first byte to its last. */
  const archiveDue = async (
    latest: readonly ProofRow[],
    accounts: readonly number[],
  ): Promise<void> => {
    const reads = latest.filter(({ kind, filename }) => kind === 'check' && filename !== null)
    if (!isDue(reads.at(-1))) return
    const without: Subject[] = []
    for (const id of accounts) {
      const archive = await archiveOf(id)
      if (archive !== undefined) without.push(archive)
    }
    const chosen = anyOf(without)
    if (chosen !== undefined) await prove(chosen, 'check')
  }

  return {
    list: (query) => store.listProofs(query),
    async prove(accountId, kind, report) {
      const row = await newestSnapshot(accountId)
      const subject =
        row === undefined ? await archiveOf(accountId) : of(row, kind === 'trial' ? row.id : null)
      if (subject === undefined) {
        await requireAccount(store, accountId)
        throw notFound('The account has no backup that could be proved.')
      }
      return prove(subject, row === undefined ? 'check' : kind, report)
    },
    async proveDue() {
      const { version } = await host.local.snapshots.engine()
      const latest = await store.latestProofs()
      const newest = await store.newestSnapshots()
      const living = (await store.listAccounts()).rows
        .filter(({ status }) => status === 'active' || status === 'suspended')
        .map(({ id }) => id)
      if (version !== null) {
        await checkDue(latest, newest)
        await trialDue(
          latest,
          newest.filter((row) => living.includes(row.account_id)),
        )
      }
      const without = living.filter((id) => newest.every((row) => row.account_id !== id))
      await archiveDue(latest, without)
    },
  }
}
