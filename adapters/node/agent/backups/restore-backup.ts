import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { randomBytes } from 'node:crypto'
import { mkdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { conflict } from '#handlers/errors.ts'
import type { RestoredFiles } from '#handlers/ports/host/backups/backups.ts'
import type { RestoreParts, RestoredFrom } from '#handlers/ports/host/backups/restore-parts.ts'
import type { DatabaseMove } from '#handlers/ports/host/backups/imports.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Engine } from '../databases/engine.ts'
import type { HelperPool } from '../files/helper-pool.ts'
import { STAGING_PREFIX } from '../files/helper/swap-home.ts'
import type { AccountLock, OperationKey, RegisteredAccount, Registry } from '../registry/types.ts'
import { contentLimits, ownerOf } from './create-backup.ts'
import type { Report } from './works/report.ts'
import { dumpDatabase } from './dump-databases.ts'
import { writeRecord } from './restore/kept-record.ts'
import type { KeptRecord } from './restore/kept-record.ts'
import type { KeptRestores } from './restore/kept-restores.ts'
import { keptSource } from './restore/kept-source.ts'
import { createLoadings, type Loading } from './restore/loadings.ts'
import { COMMITTED, createPutBack, DATABASE_STEP, SWAPPING } from './restore/put-back.ts'
import type { RestoreSource } from './restore/restore-source.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { knownAccount } from '../registry/known-account.ts'

export const RESTORE_KIND = 'backups.restore'

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
  const { registry, lock, helpers } = deps
  const loadings = createLoadings(deps)
  const { engineOf, loadingsOf, load } = loadings
  const { safetyOf, swap, tidy, rollBack } = createPutBack(deps, loadings)

  const openAccount = ({
    username,
    evenSuspended,
  }: Pick<RestoreOrder, 'username' | 'evenSuspended'>): RegisteredAccount => {
    const account = knownAccount(registry, username)
    if (account.suspended && evenSuspended !== true)
      throw conflict(`Account ${username} is suspended. Unsuspend it, then restore.`)
    return account
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
      // Databases alone put nothing into the home.
      if (files) {
        await helpers.ask(account, { op: 'ensure', path: room })
        await helpers.ask(account, { op: 'chmod', path: staging, mode: 0o700 })
      }
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
          report('read', inMegabytes(bytes, Math.round), 30)
        },
      })
      const loaded = databases ? loadingsOf(dumps, order) : []
      for (const { row } of loaded) {
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
            dumps: loaded.map(({ row }) => ({ engine: row.engine, database: row.database })),
            lost: null,
          })
          await exchange(key, now, { staging, files, places, loadings: loaded, dumpsDir }, report)
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
