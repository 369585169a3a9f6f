import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { conflict, notFound } from '#handlers/errors.ts'
import type { RestoredFiles } from '#handlers/ports/host/backups/backups.ts'
import type { RestoreParts, RestoredFrom } from '#handlers/ports/host/backups/restore-parts.ts'
import type { DatabaseMove } from '#handlers/ports/host/backups/imports.ts'
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
import { contentLimits, ownerOf } from './create-backup.ts'
import type { Report } from './works/report.ts'
import { dumpDatabase, dumpName } from './dump-databases.ts'
import { redefine } from './import/redefine.ts'
import { readRecord, writeRecord } from './restore/kept-record.ts'
import type { KeptRecord } from './restore/kept-record.ts'
import type { KeptRestores } from './restore/kept-restores.ts'
import { keptSource } from './restore/kept-source.ts'
import { removeStaging } from './restore/remove-staging.ts'
import type { FetchedDump, RestoreSource } from './restore/restore-source.ts'
import type { TarLimits } from './tar-reader.ts'

export const RESTORE_KIND = 'backups.restore'

const SWAPPING = 'swapping'
const COMMITTED = 'committed'
const DATABASE_STEP = 'database:'
/** Renames alone, but there may be thousands of them. */
const SWAP_TIMEOUT_MS = 120_000

/** What restores are made of. */
export interface RestoreDeps {
  registry: Registry
  lock: AccountLock
  helpers: HelperPool
  engines: readonly Engine[]
  /** What restores have put aside. */
  kept: KeptRestores
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
export interface RestoreOrder {
  operationId: string
  username: string
  parts: RestoreParts
  source: RestoreSource
  /** Where databases of another account's archive go, the others being left; default: the account's own. */
  databases?: readonly DatabaseMove[]
  /** What it is, for who wants to undo it; null: nothing is kept of before. */
  from: RestoredFrom | null
  /** Also into an account that is suspended; default: 409. */
  evenSuspended?: boolean
}

/** Restore that is undone. */
interface Undone {
  id: string
  staging: string
}

/** A database, and the dump that goes into it. */
interface Loading {
  row: RegisteredDatabase
  file: string
  /** User whose definitions the dump holds. */
  definer: string
}

/** What is exchanged, and how it is told of. */
interface Exchange {
  staging: string
  files: boolean
  /** Null: the whole home. */
  places: string[] | null
  loadings: Loading[]
  dumpsDir: string
}

/** Brings back what archives hold, or what was there before. */
export const createRestorer = (deps: RestoreDeps) => {
  const { registry, lock, helpers, engines } = deps

  const openAccount = ({
    username,
    evenSuspended,
  }: Pick<RestoreOrder, 'username' | 'evenSuspended'>): RegisteredAccount => {
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
    { engine }: FetchedDump,
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
    dumps: readonly FetchedDump[],
    { username, databases }: RestoreOrder,
  ): Loading[] =>
    dumps.flatMap((dump) => {
      const move = databases?.find(
        (one) => one.engine === dump.engine && one.from === dump.database,
      )
      // An import says which ones it takes.
      if (databases !== undefined && move === undefined) return []
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

  const swap = async (
    account: RegisteredAccount,
    { staging, places }: Pick<Exchange, 'staging' | 'places'>,
    direction: 'in' | 'back',
  ): Promise<void> => {
    await helpers.ask(
      account,
      places === null
        ? { op: 'swap', staging, direction }
        : { op: 'exchange', staging, paths: places, direction },
      { timeoutMs: SWAP_TIMEOUT_MS },
    )
  }

  /** Puts back what an open restore has changed until now. */
  const revert = async (
    account: RegisteredAccount,
    { id, subject, steps, data }: RegisteredOperation,
  ): Promise<void> => {
    const staging = String(data['staging'])
    for (const step of steps.filter((one) => one.startsWith(DATABASE_STEP))) {
      const [, engine = '', database = ''] = step.split(':')
      const row = registry.database(engineOf(engine).name, database)
      if (row?.username !== subject) continue
      await load(account, { row, file: dumpName(row), definer: row.user }, safetyOf(id))
    }
    if (steps.includes(SWAPPING) && data['files'] === true) {
      const record = await readRecord(deps.workDir(id))
      await swap(account, { staging, places: record?.places ?? null }, 'back')
    }
    const undone = data['undone'] as Undone | null | undefined
    if (undone)
      await helpers.ask(account, {
        op: 'hand',
        from: undone.staging,
        to: staging,
        direction: 'back',
      })
    await removeStaging(helpers, account, staging)
  }

  /** The end of a restore that is committed; what was there is kept, or goes. */
  const tidy = async (
    account: RegisteredAccount,
    { id, data }: Pick<RegisteredOperation, 'id' | 'data'>,
  ): Promise<void> => {
    if (data['keep'] === true) await deps.kept.keep(id, deps.workDir(id), account)
    else await removeStaging(helpers, account, String(data['staging']))
  }

  /** Finishes or undoes an open restore from whatever point it reached; in the account's turn. */
  const rollBack = async (operation: RegisteredOperation, reason: unknown): Promise<void> => {
    const { id, kind, subject, steps, data } = operation
    const account = registry.account(subject)
    const done = steps.includes(COMMITTED)
    // A namesake that came later gets nothing of what was there before.
    if (account && account.uid === data['uid'])
      await (done ? tidy(account, operation) : revert(account, operation))
    registry.closeOperation({ id, kind, subject }, done ? 'done' : 'undone', failureRecord(reason))
  }

  const exchange = async (
    key: OperationKey,
    account: RegisteredAccount,
    plan: Exchange,
    report: Report,
  ): Promise<void> => {
    registry.recordStep(key, SWAPPING)
    if (plan.files) {
      report('files', 'Putting the files in place', 70)
      await swap(account, plan, 'in')
    }
    for (const [index, loading] of plan.loadings.entries()) {
      const { row } = loading
      report('databases', row.database, 75 + (20 * index) / plan.loadings.length)
      registry.recordStep(key, `${DATABASE_STEP}${row.engine}:${row.database}`)
      await load(account, loading, plan.dumpsDir)
    }
    registry.recordStep(key, COMMITTED)
  }

  const run = async (
    order: RestoreOrder,
    account: RegisteredAccount,
    undone: KeptRecord | null,
    report: Report,
  ): Promise<RestoredFiles> => {
    const { operationId, username, parts, source, from } = order
    await source.check(report)
    if (registry.openOperations(RESTORE_KIND).some(({ subject }) => subject === username))
      throw conflict(
        'An earlier restore of this account could not be put back yet; see the agent log. It is tried again every few minutes, and when Berth starts.',
      )
    const key = { id: operationId, kind: RESTORE_KIND, subject: username }
    const staging = `${STAGING_PREFIX}${randomBytes(8).toString('hex')}`
    const files = parts.files !== 'none'
    const databases = parts.databases !== 'none'
    registry.openOperation(key, {
      staging,
      files,
      uid: account.uid,
      keep: from !== null,
      undone: undone && { id: undone.id, staging: undone.staging },
    })
    const restored = { files: 0, bytes: 0 }
    try {
      const workDir = deps.workDir(operationId)
      const dumpsDir = path.join(workDir, 'dumps')
      const safetyDir = safetyOf(operationId)
      for (const directory of [dumpsDir, safetyDir]) await mkdir(directory, { mode: 0o700 })
      if (files && undone === null) await deps.kept.makeRoom(account)
      const chosen = typeof parts.files === 'string' || undone !== null ? null : parts.files
      const room = `${staging}/${chosen === null ? 'new' : 'tree'}`
      await helpers.ask(account, { op: 'ensure', path: files ? room : staging })
      await helpers.ask(account, { op: 'chmod', path: staging, mode: 0o700 })
      report('read', 'Reading the backup', 10)
      // Dumps lie on our own disk while they are read.
      const { bavail, bsize } = await statfs(dumpsDir)
      const dumps = await source.fetch({
        owner: ownerOf(account, deps.asRoot),
        parts,
        staging: files ? room : null,
        dumpsDir: databases ? dumpsDir : null,
        limits: deps.limits ?? (await contentLimits(account, 'restore')),
        maxDumpBytes: bavail * bsize,
        onHome(bytes, count) {
          Object.assign(restored, { bytes, files: count })
          report('read', `${Math.round(bytes / 2 ** 20)} MB`, 30)
        },
      })
      const loadings = databases ? loadingsOf(dumps, order) : []
      for (const { row } of loadings) {
        report('save', row.database, 60)
        await dumpDatabase(engineOf(row.engine), row, safetyDir)
      }
      await lock(username, () =>
        lock(`databases of ${username}`, async () => {
          const now = openAccount(order)
          const places =
            chosen === null
              ? (undone?.places ?? null)
              : (await helpers.ask(now, { op: 'arrange', staging, paths: chosen })).data
          writeRecord(workDir, {
            ...{ id: operationId, username, uid: now.uid, staging },
            ...deps.kept.times(),
            from: from ?? { kind: 'archive', filename: '', location: '' },
            isUndo: undone !== null && !undone.isUndo,
            parts: structuredClone(parts) as KeptRecord['parts'],
            places,
            dumps: loadings.map(({ row }) => ({ engine: row.engine, database: row.database })),
            lost: null,
          })
          await exchange(key, now, { staging, files, places, loadings, dumpsDir }, report)
        }),
      )
      report('tidy', 'Keeping what was there before', 97)
      await tidy(account, { id: operationId, data: { staging, keep: from !== null } })
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
  }

  return {
    /** Replaces parts of an account by those of a source; on failure everything is as before. Answers what it brought back. */
    restore: (order: RestoreOrder, report: Report): Promise<RestoredFiles> =>
      run(order, openAccount(order), null, report),

    /** Exchanges what a restore brought for what was there before; that is a restore itself. */
    async undo(
      {
        operationId,
        username,
        restoreId,
      }: { operationId: string; username: string; restoreId: string },
      report: Report,
    ): Promise<void> {
      const account = openAccount({ username })
      const taken = await deps.kept.take(account, restoreId)
      const { parts, from } = taken.record
      const source = keptSource(helpers, account, taken)
      await run({ operationId, username, parts, source, from }, account, taken.record, report)
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
