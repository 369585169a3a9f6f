import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { conflict } from '#handlers/errors.ts'
import type {
  BackupFacts,
  BackupWork,
  KnownBackup,
  RestoredFiles,
} from '#handlers/ports/host/backups/backups.ts'
import { LOCAL } from '#handlers/ports/host/backups/backups.ts'
import { measureFile } from './archive-file.ts'
import { createDatabaseCopiesPort, dumpSource } from './copies/database-copies-port.ts'
import { createKeptExports } from './copies/kept-exports.ts'
import type { BackupsDeps, BackupsService } from './backups-service.ts'
import { createBackup } from './create-backup.ts'
import type { Report } from './works/report.ts'
import { atCopy, checkName, createBackupFiles } from './remote/backup-files.ts'
import { openTarget } from './remote/open-target.ts'
import { archiveSource } from './restore/archive-source.ts'
import { createArchiveIndex } from './restore/archive-index.ts'
import { createKeptRestores } from './restore/kept-restores.ts'
import { createRollbackRetries } from './rollback-retries.ts'
import { createImportsPort } from './import/imports-port.ts'
import { RESTORE_KIND, createRestorer } from './restore-backup.ts'
import { shownTarget } from './targets/known-target.ts'
import { createWorks } from './works/works.ts'

/** How long one question for progress waits; the panel asks again. */
const WAIT_MS = 10_000
/** Where unfinished work lies, below the directory of the archives. */
const WORK = '.work'
/** What was there before restores, below the same directory. */
const KEPT = '.kept'
/** Exports of databases. */
const EXPORTS = '.exports'
const SWEEP_MS = 60_000
/** Lists of what is in archives. */
const INDEX = '.index'
/** As many members are listed as a backup may have. */
const MAX_ENTRIES = 1_000_000

export type { BackupsDeps, BackupsService } from './backups-service.ts'
import { knownAccount } from '../registry/known-account.ts'

/** Backups of the accounts in the registry; see `BackupsPort` for what each call promises. */
export const createBackupsPort = (deps: BackupsDeps): BackupsService => {
  const { registry, lock, engines, directory, targets } = deps
  const works = createWorks<BackupFacts>(deps.log, deps.waitMs ?? WAIT_MS, deps.explain)
  const workDir = (id: string): string => path.join(directory, WORK, id)
  const removeWork = (id: string): Promise<void> =>
    rm(workDir(id), { recursive: true, force: true })
  const retries = createRollbackRetries({
    ...deps,
    async attempt(key, reason) {
      await restorer.rollBackAgain(key, reason)
      await removeWork(key.id)
    },
  })
  const kept = createKeptRestores({
    ...deps,
    directory: path.join(directory, KEPT),
    ...(deps.keepRestoresMs === undefined ? {} : { keepMs: deps.keepRestoresMs }),
  })
  const restorer = createRestorer({ ...deps, kept, workDir, onLeftOpen: retries.add })
  const keptExports = createKeptExports({
    registry,
    directory: path.join(directory, EXPORTS),
    nowMs: Date.now,
  })
  const index = createArchiveIndex({ directory: path.join(directory, INDEX), keys: deps.keys })
  let sweeping: Promise<void> | null = null
  const sweep = (): Promise<void> =>
    (sweeping ??= Promise.all([kept.sweep(), keptExports.sweep()])
      .then(() => undefined)
      .catch((error: unknown) => {
        deps.log.warn('what restores had kept was not looked through', { error: String(error) })
      })
      .finally(() => (sweeping = null)))
  const sweeper = setInterval(() => void sweep(), SWEEP_MS)
  sweeper.unref()
  const { fileOf, upload, fetched, readPart } = createBackupFiles({ directory, targets })

  const create = async (
    work: Extract<BackupWork, { kind: 'create' }>,
    report: Report,
  ): Promise<BackupFacts> => {
    const { username, filename } = work
    const account = knownAccount(registry, username)
    const { file, ...facts } = await createBackup({
      account,
      asRoot: deps.asRoot,
      work,
      registry,
      keys: deps.keys,
      passwords: deps.passwords,
      madeBy: deps.madeBy,
      engines,
      directory: workDir(work.operationId),
      nowMs: Date.now(),
      gently: work.gently === true,
      report,
    })
    try {
      // Unlike a rename this cannot replace one that is there.
      await link(file, fileOf(filename))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
        throw conflict(`The backup ${filename} exists already.`)
      throw error
    }
    const handle = await open(directory)
    await handle.sync().finally(() => handle.close())
    const { skipped } = facts
    if (skipped > 0) deps.log.info('members of a home were not backed up', { username, skipped })
    return facts
  }

  const restoreArchive = async (
    { parts, ...work }: Extract<BackupWork, { kind: 'restore' }>,
    directoryOfWork: string,
    report: Report,
  ): Promise<RestoredFiles> => {
    const { operationId, username, sha256, sizeBytes, filename, location, evenSuspended } = work
    const file = await atCopy(location, fetched(work, directoryOfWork, report))
    const source = archiveSource({ file, sha256, sizeBytes, username, keys: deps.keys })
    const from = { kind: 'archive' as const, filename, location }
    return restorer.restore(
      { operationId, username, parts, source, from, evenSuspended: evenSuspended === true },
      report,
    )
  }

  /** In the turn of the account's backups, with a directory for this piece of work. */
  const inWorkDir = async <T>(
    {
      operationId,
      username,
      restores,
    }: { operationId: string; username: string; restores: boolean },
    work: (directory: string) => Promise<T>,
  ): Promise<T> => {
    const directoryOfWork = workDir(operationId)
    await mkdir(path.dirname(directoryOfWork), { recursive: true, mode: 0o700 })
    await mkdir(directoryOfWork, { mode: 0o700 })
    try {
      return await lock(`backups of ${username}`, () => work(directoryOfWork))
    } catch (error) {
      // Before the work is removed, which makes room on the disk that was too small.
      throw deps.explain?.(error) ?? error
    } finally {
      const key = { id: operationId, kind: RESTORE_KIND, subject: username }
      // An open restore needs its safety dumps until it is put back.
      if (!restores || registry.operation(key)?.state !== 'open') await removeWork(operationId)
    }
  }

  const run = (
    work: BackupWork,
    report: Report,
    tell: (restored: RestoredFiles) => void,
  ): Promise<BackupFacts | null> => {
    const { operationId, username, kind } = work
    const restores = kind === 'restore' || kind === 'undo'
    return inWorkDir({ operationId, username, restores }, async (directoryOfWork) => {
      if (work.kind === 'create') return create(work, report)
      if (work.kind === 'upload') return upload(work, report)
      if (work.kind === 'undo') await restorer.undo(work, report)
      else tell(await restoreArchive(work, directoryOfWork, report))
      return null
    })
  }

  const imports = createImportsPort({
    ...deps,
    restorer,
    workDir,
    waitMs: deps.waitMs ?? WAIT_MS,
    storeAt: (target) => openTarget(targets(), target, { tellsAll: true }),
    fetchSnapshot: deps.fetchSnapshot,
    fetchBackup: (source, directoryOfWork, report) => {
      checkName(source)
      return atCopy(source.location, fetched(source, directoryOfWork, report))
    },
  })

  const copies = createDatabaseCopiesPort({
    ...{ registry, engines, restorer, inWorkDir, kept: keptExports, log: deps.log },
    helpers: deps.helpers,
    waitMs: deps.waitMs ?? WAIT_MS,
    explain: deps.explain,
    nowMs: Date.now,
  })

  return {
    imports,
    copies,
    forgetExports: (username) => keptExports.forget(username),
    async start(work) {
      if (work.kind !== 'undo') checkName(work)
      works.start(work.operationId, (report, tell) => run(work, report, tell))
    },
    wait: ({ operationId }) => works.wait(operationId),
    async contents(input) {
      checkName(input)
      const { username, sha256, sizeBytes } = input
      const withFile = (work: (file: string) => Promise<void>): Promise<void> =>
        deps.lock(`backups of ${username}`, async () => {
          const id = `contents-${randomUUID()}`
          await mkdir(workDir(id), { recursive: true, mode: 0o700 })
          try {
            const file = await atCopy(
              input.location,
              fetched(input, workDir(id), () => undefined),
            )
            const source = { file, sha256, sizeBytes, username, keys: deps.keys }
            await archiveSource(source).check(() => undefined)
            await work(file)
          } finally {
            await removeWork(id)
          }
        })
      const { blocks, bsize } = await statfs(directory)
      const limits = { maxEntries: MAX_ENTRIES, maxBytes: 2 * blocks * bsize }
      return index.contents({ sha256, username, limits, withFile }, input, deps.waitMs ?? WAIT_MS)
    },
    restoreFrom: (
      { operationId, username, parts, snapshotId, location, evenSuspended = false },
      prepare,
      report,
    ) =>
      inWorkDir({ operationId, username, restores: true }, async (directoryOfWork) => {
        const file = await prepare(directoryOfWork)
        const source = archiveSource({
          ...{ file, username, keys: deps.keys },
          ...(await measureFile(file)),
        })
        const from = { kind: 'snapshot' as const, snapshotId, location }
        await restorer.restore(
          { operationId, username, parts, source, from, evenSuspended },
          report,
        )
      }),
    loadDump: ({ operationId, username, database: row }, write) =>
      inWorkDir({ operationId, username, restores: true }, async (directoryOfWork) => {
        const file = path.join(directoryOfWork, 'dump.sql')
        await write(file)
        const { engine, database } = row
        await restorer.restore(
          {
            ...{ operationId, username, evenSuspended: true, from: null },
            parts: { files: 'none', databases: [{ engine, database }] },
            source: dumpSource(file, row),
          },
          () => undefined,
        )
      }),
    restores: ({ username }) => kept.list(username),
    async remove(backup: KnownBackup) {
      checkName(backup)
      await lock(`backups of ${backup.username}`, async () => {
        if (backup.location === LOCAL) await rm(fileOf(backup.filename), { force: true })
        else await openTarget(targets(), backup.location).remove(backup.filename)
      })
    },
    async read(backup) {
      checkName(backup)
      return { content: await atCopy(backup.location, readPart(backup)) }
    },
    targets: async () => targets().map(shownTarget),
    async settle() {
      // Before anything takes its time: what is begun meanwhile is not of a crash.
      const unfinished = await readdir(path.join(directory, WORK)).catch(() => [])
      const left = await restorer.settle()
      for (const id of unfinished) if (!left.has(id)) await removeWork(id)
      await sweep()
    },
    idle: () => works.idle(),
    async stop() {
      clearInterval(sweeper)
      await Promise.all([retries.stop(), sweeping])
    },
  }
}
