import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { conflict, isAppError, unavailable } from '#handlers/errors.ts'
import { LOCAL } from '#handlers/ports/host/backups/backups.ts'
import type { ArchiveSource } from '#handlers/ports/host/backups/archived-records.ts'
import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type {
  SnapshotPlace,
  SnapshotResult,
  SnapshotWork,
  SnapshotsPort,
} from '#handlers/ports/host/backups/snapshots.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PartsInput } from '../backups/collect-parts.ts'
import type { Report } from '../backups/works/report.ts'
import { createWorks } from '../backups/works/works.ts'
import type { AccountLock, Registry } from '../registry/types.ts'
import { BACKUP_USER } from '../../process/identities.ts'
import { removeRepository } from './repository/remove-repository.ts'
import {
  STAGING,
  createSnapshotFigures,
  listSnapshots,
  requireSnapshot,
} from './listed-snapshots.ts'
import { checkRepository, removeSnapshots } from './maintain-repository.ts'
import { requireEngine, versionOf } from './repository/restic-version.ts'
import { createRepositories } from './repository/repositories.ts'
import type { Repository, RepositoryDeps } from './repository/repositories.ts'
import { createScratchDatabases } from './scratch-databases.ts'
import { snapshotArchive } from './snapshot-archive.ts'
import { createSnapshotReads } from './snapshot-reads.ts'
import { stage, takeSnapshot } from './take-snapshot.ts'
import { trySnapshot } from './try-snapshot.ts'
import type { BackupsService } from '../backups/backups-service.ts'
import { knownAccount } from '../registry/known-account.ts'

export interface SnapshotsDeps
  extends
    Omit<RepositoryDeps, 'privateDirectory'>,
    Pick<PartsInput, 'passwords' | 'madeBy' | 'engines'> {
  registry: Registry
  lock: AccountLock
  archiveKeys: PartsInput['keys']
  asRoot: boolean
  /** The state directory, in which everything of snapshots has its place. */
  stateDirectory: string
  /** Restores an archive that `prepare` writes into its directory; see `BackupsService`. */
  restoreFrom: BackupsService['restoreFrom']
  log: Log
  /** Default 10000. */
  waitMs?: number
  explain?: (error: unknown) => unknown
}

export interface SnapshotsService extends SnapshotsPort {
  /** A snapshot as an archive in `directory`, for imports. */
  fetch(
    source: Extract<ArchiveSource, { kind: 'snapshot' }>,
    directory: string,
    report: Report,
  ): Promise<string>
  /** Removes what a crash left. */
  settle(): Promise<void>
  idle(): Promise<void>
  /** Ends everything that runs. */
  shutDown(): Promise<void>
}

const WAIT_MS = 10_000
const ALL: RestoreParts = { files: 'all', databases: 'all' }

/** Snapshots of the accounts in the registry; see `SnapshotsPort` for what each call promises. */
export const createSnapshotsPort = (deps: SnapshotsDeps): SnapshotsService => {
  const { registry, lock, asRoot, log } = deps
  const staging = path.join(deps.stateDirectory, STAGING)
  const at = (...parts: string[]): string => path.join(staging, ...parts)
  const works = createWorks<SnapshotResult>(log, deps.waitMs ?? WAIT_MS, deps.explain)
  const workDirectory = path.join(deps.stateDirectory, 'snapshot-work')
  const places = { ...deps, privateDirectory: workDirectory }
  const repositories = createRepositories(places)
  const figures = createSnapshotFigures(at('.figures'))
  const databases = createScratchDatabases({ ...deps, directory: at('.databases') })
  const stops = new Map<string, AbortController>()

  const laneOf = ({ location, username }: SnapshotPlace): string =>
    `snapshots of ${username} at ${location}`
  const ready = async (): Promise<void> => {
    await requireEngine()
    // As nobody else: restic of root's would read and write everything.
    if (asRoot && deps.user === null)
      throw unavailable(`The system user ${BACKUP_USER} is missing. Restart Berth, which makes it.`)
  }
  const inLane = <T>(
    place: SnapshotPlace,
    work: (repository: Repository) => Promise<T>,
    options: { create?: boolean; signal?: AbortSignal } = {},
  ): Promise<T> =>
    lock(laneOf(place), async () => {
      await ready()
      return repositories.withRepository(place, work, options)
    })
  const uidOf = async (username: string): Promise<number | null> =>
    asRoot ? (registry.account(username)?.uid ?? null) : null
  const reads = createSnapshotReads(repositories, uidOf)
  const sizeOf = async (repository: Repository, id: string) => {
    const snapshot = await requireSnapshot(repository, id)
    const [facts] = await figures.facts(repository, [snapshot])
    return { snapshot, sizeBytes: facts?.sizeBytes ?? 0 }
  }
  const archive = (
    repository: Repository,
    id: string,
    input: { parts: RestoreParts; directory: string; report: Report; signal?: AbortSignal },
  ): Promise<string> =>
    sizeOf(repository, id).then(({ snapshot, sizeBytes }) =>
      snapshotArchive({
        ...{ repository, snapshot, sizeBytes, asRoot, keys: deps.archiveKeys },
        ...input,
        nowMs: Date.now(),
      }),
    )

  const make = async (
    work: Extract<SnapshotWork, { kind: 'snapshot' }>,
    signal: AbortSignal,
    report: Report,
  ): Promise<SnapshotResult> => {
    const { username } = work
    const account = knownAccount(registry, username)
    return inLane(
      work,
      async (repository) => {
        const directory = at(username)
        try {
          const staged = await stage(directory, {
            ...{ account, work, registry, report },
            ...{ keys: deps.archiveKeys, passwords: deps.passwords },
            ...{ madeBy: deps.madeBy, engines: deps.engines, nowMs: Date.now() },
          })
          signal.throwIfAborted()
          const made = await takeSnapshot({
            ...{ repository, work, staged, figures, asRoot, signal, report },
            home: account.home,
            staging: directory,
            unfinishedFile: at('.unfinished', `${work.location}-${username}`),
          })
          const [snapshot] = await figures.facts(repository, [made])
          if (snapshot === undefined) throw new Error('no facts of a snapshot')
          return { kind: 'snapshot', snapshot }
        } finally {
          await rm(directory, { recursive: true, force: true })
        }
      },
      { create: true, signal },
    )
  }

  const run = async (
    work: SnapshotWork,
    signal: AbortSignal,
    report: Report,
  ): Promise<SnapshotResult> => {
    if (work.kind === 'snapshot')
      return lock(`backups of ${work.username}`, () => make(work, signal, report))
    if (work.kind === 'restore') {
      knownAccount(registry, work.username)
      const { parts } = work
      await deps.restoreFrom(
        work,
        (directory) =>
          inLane(
            work,
            (repository) =>
              archive(repository, work.snapshotId, { parts, directory, report, signal }),
            { signal },
          ),
        report,
      )
      return { kind: 'restore' }
    }
    return inLane(
      work,
      async (repository): Promise<SnapshotResult> => {
        if (work.kind === 'check') return checkRepository(repository, work.share, signal, report)
        if (work.kind === 'remove') {
          const removed = await removeSnapshots(
            repository,
            work.snapshotIds,
            figures,
            signal,
            report,
          )
          return { kind: 'remove', removed }
        }
        const snapshot = await requireSnapshot(repository, work.snapshotId)
        const account = registry.account(work.username)
        const clientAs =
          account === null || account === undefined || !asRoot
            ? deps.user
            : { uid: account.uid, gid: account.gid, groups: 'none' as const }
        const directory = path.join(workDirectory, `trial-${work.operationId}`)
        const facts = await trySnapshot({
          ...{ repository, snapshot, directory, clientAs, databases, signal, report },
          user: deps.user,
        })
        return { kind: 'trial', ...facts }
      },
      { signal },
    )
  }

  const stopped = (error: unknown, signal: AbortSignal): unknown =>
    signal.aborted
      ? conflict('The work was stopped. What it had stored is used by the next one.')
      : error

  return {
    engine: async () => ({ version: await versionOf() }),
    async start(work) {
      const stop = new AbortController()
      works.start(work.operationId, async (report) => {
        stops.set(work.operationId, stop)
        try {
          await mkdir(staging, { recursive: true, mode: 0o700 })
          return await run(work, stop.signal, report)
        } catch (error) {
          throw stopped(deps.explain?.(error) ?? error, stop.signal)
        } finally {
          stops.delete(work.operationId)
        }
      })
    },
    wait: ({ operationId }) => works.wait(operationId),
    async stop({ operationId }) {
      stops.get(operationId)?.abort()
    },
    async list(place) {
      await ready()
      try {
        return await repositories.withRepository(place, async (repository) =>
          figures.facts(repository, await listSnapshots(repository)),
        )
      } catch (error) {
        const isKnown =
          place.location === LOCAL || deps.targets().some(({ name }) => name === place.location)
        if (isKnown && isAppError(error) && error.status === 404) return []
        throw error
      }
    },
    browse: reads.browse,
    open: reads.open,
    read: reads.read,
    close: reads.close,
    destroy: (place) => lock(laneOf(place), () => removeRepository(places, repositories, place)),
    fetch: ({ snapshotId, ...place }, directory, report) =>
      inLane(place, (repository) =>
        archive(repository, snapshotId, { parts: ALL, directory, report }),
      ),
    async settle() {
      // A recovery kit that is made before the first snapshot has its key too.
      await deps.keys.all()
      for (const name of await readdir(staging).catch(() => []))
        if (!['.figures', '.databases', '.unfinished'].includes(name))
          await rm(at(name), { recursive: true, force: true })
      for (const name of await readdir(workDirectory).catch(() => []))
        await rm(path.join(workDirectory, name), { recursive: true, force: true })
      await databases.settle()
    },
    idle: () => works.idle(),
    async shutDown() {
      for (const stop of stops.values()) stop.abort()
      await reads.stop()
      await works.idle()
    },
  }
}
