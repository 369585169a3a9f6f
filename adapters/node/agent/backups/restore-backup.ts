import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { conflict, isAppError, notFound } from '#handlers/errors.ts'
import type { BackupWork, RestoredFiles, RestoreScope } from '#handlers/ports/host/backups.ts'
import type { DatabaseMove } from '#handlers/ports/host/imports.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Engine } from '../databases/engine.ts'
import type { HelperPool } from '../files/helper-pool.ts'
import { STAGING_PREFIX } from '../files/helper/swap-home.ts'
import type {
  AccountLock,
  OperationKey,
  RegisteredAccount,
  RegisteredDatabase,
  RegisteredOperation,
  Registry,
} from '../registry/types.ts'
import { failureRecord } from '../run-operation.ts'
import { measureFile } from './archive-file.ts'
import { contentLimits, ownerOf } from './create-backup.ts'
import type { Report } from './create-backup.ts'
import { dumpDatabase, dumpName } from './dump-databases.ts'
import { extractArchive } from './extract-archive.ts'
import { redefine } from './import/redefine.ts'
import type { ManifestDump } from './manifest.ts'
import type { ArchiveKeys } from './records/archive-keys.ts'
import type { TarLimits } from './tar-reader.ts'

export const RESTORE_KIND = 'backups.restore'

const SWAPPING = 'swapping'
const COMMITTED = 'committed'
const DATABASE_STEP = 'database:'
const DELETE_TIMEOUT_MS = 600_000

/** What restores are made of. */
export interface RestoreDeps {
  registry: Registry
  lock: AccountLock
  helpers: HelperPool
  engines: readonly Engine[]
  keys: ArchiveKeys
  asRoot: boolean
  /** Directory of this piece of work, ours alone; it stays until the restore is over. */
  workDir: (operationId: string) => string
  log: Log
  /** Told of a restore that stays open, since it could not be put back; `reason` is why it had failed. */
  onLeftOpen: (key: OperationKey, reason: unknown) => void
  /** Default: from quota and disk. */
  limits?: TarLimits
}

/** A restore, or the filling of a new account with the archive of another one. */
export type RestoreOrder = Pick<
  Extract<BackupWork, { kind: 'restore' }>,
  'operationId' | 'username' | 'what' | 'sha256' | 'sizeBytes' | 'evenSuspended'
> & {
  /** Whose archive it is, and where its databases go; default: the account's own. */
  from?: { username: string; databases: readonly DatabaseMove[] }
}

/** A database, and the dump that goes into it. */
interface Loading {
  row: RegisteredDatabase
  file: string
  /** User whose definitions the dump holds. */
  definer: string
}

const wants = (what: RestoreScope, part: 'files' | 'databases'): boolean =>
  what === 'all' || what === part

/** Brings back what archives hold, or what was there before. */
export const createRestorer = (deps: RestoreDeps) => {
  const { registry, lock, helpers, engines } = deps

  const openAccount = ({ username, evenSuspended }: RestoreOrder): RegisteredAccount => {
    const account = registry.account(username)
    if (!account) throw notFound(`There is no account "${username}" on this host.`)
    if (account.suspended && evenSuspended !== true)
      throw conflict(`Account ${username} is suspended. Unsuspend it, then restore.`)
    return account
  }
  const engineOf = (name: string): Engine => {
    const engine = engines.find((one) => one.name === name)
    if (engine) return engine
    throw conflict(`There is no ${name} server on this host, which the backup needs.`)
  }
  const rowOf = (
    { engine }: ManifestDump,
    database: string,
    username: string,
  ): RegisteredDatabase => {
    const row = registry.database(engine, database)
    if (row?.username === username) return row
    throw conflict(
      `The backup holds the database ${database}, which the account does not have now. Create it first, or restore the files alone.`,
    )
  }
  const loadingsOf = (
    dumps: readonly ManifestDump[],
    { username, from }: RestoreOrder,
  ): Loading[] =>
    dumps.flatMap((dump) => {
      const move = from?.databases.find(
        (one) => one.engine === dump.engine && one.from === dump.database,
      )
      // An import says which ones it takes.
      if (from !== undefined && move === undefined) return []
      const row = rowOf(dump, move?.to ?? dump.database, username)
      return [{ row, file: dumpName(dump), definer: dump.user ?? row.user }]
    })
  const safetyOf = (operationId: string): string => path.join(deps.workDir(operationId), 'safety')

  const load = async (
    account: RegisteredAccount,
    { row, file, definer }: Loading,
    directory: string,
  ): Promise<void> => {
    const engine = engineOf(row.engine)
    await engine.whenReady()
    const { runAs } = ownerOf(account, deps.asRoot)
    const target = { database: row.database, user: row.user, runAs, locked: row.locked }
    const dump = createReadStream(path.join(directory, file))
    const foreign = definer !== row.user && engine.name === 'mariadb'
    await engine.restore(
      target,
      foreign ? pipeline(dump, redefine(definer, row.user), () => undefined) : dump,
    )
  }

  const removeStaging = async (account: RegisteredAccount, staging: string): Promise<void> => {
    try {
      await helpers.ask(account, { op: 'delete', path: staging }, { timeoutMs: DELETE_TIMEOUT_MS })
    } catch (error) {
      if (!isAppError(error) || error.status !== 404) throw error
    }
  }

  /** Undoes an open restore from whatever point it reached; in the account's turn. */
  const rollBack = async (operation: RegisteredOperation, reason: unknown): Promise<void> => {
    const { id, kind, subject, steps, data } = operation
    const account = registry.account(subject)
    // A namesake that came later gets nothing of what was there before.
    if (account && account.uid === data['uid']) {
      const staging = String(data['staging'])
      if (!steps.includes(COMMITTED)) {
        for (const step of steps.filter((one) => one.startsWith(DATABASE_STEP))) {
          const [, engine = '', database = ''] = step.split(':')
          const row = registry.database(engineOf(engine).name, database)
          if (row?.username !== subject) continue
          await load(account, { row, file: dumpName(row), definer: row.user }, safetyOf(id))
        }
        if (steps.includes(SWAPPING) && data['files'] === true)
          await helpers.ask(account, { op: 'swap', staging, direction: 'back' })
      }
      await removeStaging(account, staging)
    }
    const done = steps.includes(COMMITTED)
    registry.closeOperation({ id, kind, subject }, done ? 'done' : 'undone', failureRecord(reason))
  }

  const exchange = async (
    key: OperationKey,
    account: RegisteredAccount,
    plan: { staging: string; files: boolean; loadings: Loading[]; dumpsDir: string },
    report: Report,
  ): Promise<void> => {
    registry.recordStep(key, SWAPPING)
    if (plan.files) {
      report('files', 'Putting the files in place', 70)
      await helpers.ask(account, { op: 'swap', staging: plan.staging, direction: 'in' })
    }
    for (const [index, loading] of plan.loadings.entries()) {
      const { row } = loading
      report('databases', row.database, 75 + (20 * index) / plan.loadings.length)
      registry.recordStep(key, `${DATABASE_STEP}${row.engine}:${row.database}`)
      await load(account, loading, plan.dumpsDir)
    }
    registry.recordStep(key, COMMITTED)
  }

  return {
    /** Replaces files and databases by those of a local archive file; on failure everything is as before. Answers what it brought back. */
    async restore(work: RestoreOrder, file: string, report: Report): Promise<RestoredFiles> {
      const { username, what } = work
      const account = openAccount(work)
      report('check', 'Comparing the checksum', 5)
      const { sha256, sizeBytes } = await measureFile(file)
      if (sha256 !== work.sha256 || sizeBytes !== work.sizeBytes)
        throw conflict(
          'The backup file is not the one that was made: its checksum differs. Nothing was changed.',
          'location',
        )
      if (registry.openOperations(RESTORE_KIND).some(({ subject }) => subject === username))
        throw conflict(
          'An earlier restore of this account could not be put back yet; see the agent log. It is tried again every few minutes, and when Berth starts.',
        )
      const key = { id: work.operationId, kind: RESTORE_KIND, subject: username }
      const staging = `${STAGING_PREFIX}${randomBytes(8).toString('hex')}`
      const files = wants(what, 'files')
      registry.openOperation(key, { staging, files, uid: account.uid })
      const restored = { files: 0, bytes: 0 }
      try {
        const dumpsDir = path.join(deps.workDir(work.operationId), 'dumps')
        const safetyDir = safetyOf(work.operationId)
        for (const directory of [dumpsDir, safetyDir]) await mkdir(directory, { mode: 0o700 })
        if (files) {
          await helpers.ask(account, { op: 'ensure', path: `${staging}/new` })
          await helpers.ask(account, { op: 'chmod', path: staging, mode: 0o700 })
        }
        report('read', 'Reading the archive', 10)
        // Dumps lie on our own disk while they are read.
        const { bavail, bsize } = await statfs(dumpsDir)
        const { manifest } = await extractArchive({
          file,
          owner: ownerOf(account, deps.asRoot),
          keys: deps.keys,
          onManifest: (found) => {
            if (found.username !== (work.from?.username ?? username))
              throw conflict('The archive is a backup of another account.')
          },
          staging: files ? `${staging}/new` : null,
          dumpsDir: wants(what, 'databases') ? dumpsDir : null,
          limits: deps.limits ?? (await contentLimits(account, 'restore')),
          maxDumpBytes: bavail * bsize,
          onHome(bytes, count) {
            Object.assign(restored, { bytes, files: count })
            report('read', `${Math.round(bytes / 2 ** 20)} MB`, 30)
          },
        })
        const loadings = wants(what, 'databases') ? loadingsOf(manifest.databases, work) : []
        for (const { row } of loadings) {
          report('save', row.database, 60)
          await dumpDatabase(engineOf(row.engine), row, safetyDir)
        }
        await lock(username, () =>
          lock(`databases of ${username}`, () =>
            exchange(key, openAccount(work), { staging, files, loadings, dumpsDir }, report),
          ),
        )
        report('tidy', 'Removing the old content', 97)
        await removeStaging(account, staging)
        registry.closeOperation(key, 'done')
      } catch (error) {
        const open = registry.operation(key)
        if (open?.state === 'open')
          await lock(username, () => rollBack(open, error)).catch((fault: unknown) => {
            deps.onLeftOpen(key, error)
            throw fault
          })
        // Once committed, a failure to tidy up is none of the restore.
        if (open?.steps.includes(COMMITTED) !== true) throw error
      }
      return restored
    },

    /** Tries once more to put back a restore that was left open; rejects when that fails. Nothing when it is over. */
    rollBackAgain: (key: OperationKey, reason: unknown): Promise<void> =>
      lock(key.subject, async () => {
        const open = registry.operation(key)
        if (open?.state === 'open') await rollBack(open, reason)
      }),

    /** Restores that a crash broke off are finished where they were committed, else put back. Ids of those that stay open. */
    async settle(): Promise<Set<string>> {
      const left = new Set<string>()
      for (const operation of registry.openOperations(RESTORE_KIND)) {
        try {
          await lock(operation.subject, () => rollBack(operation, null))
        } catch (error) {
          left.add(operation.id)
          deps.onLeftOpen(operation, null)
          deps.log.error('an interrupted restore could not be put back yet', {
            username: operation.subject,
            error: String(error),
          })
        }
      }
      return left
    },
  }
}

export type Restorer = ReturnType<typeof createRestorer>
