import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, conflict } from '#handlers/errors.ts'
import type { KeptRestore } from '#handlers/ports/host/backups/restore-parts.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HelperPool } from '../../files/helper-pool.ts'
import type { AccountLock, RegisteredAccount, Registry } from '../../registry/types.ts'
import { readRecord, writeRecord } from './kept-record.ts'
import type { KeptRecord } from './kept-record.ts'
import { removeStaging } from './remove-staging.ts'

/** How long what was there before a restore is kept. */
export const KEEP_RESTORES_MS = 86_400_000
const USAGE_TIMEOUT_MS = 600_000
/** What stays in a kept directory of a restore's working directory. */
const KEPT = new Set(['restore.json', 'safety'])

export interface KeptRestoresDeps {
  registry: Pick<Registry, 'account'>
  lock: AccountLock
  helpers: HelperPool
  /** Of what is kept beside the homes, each restore in one of its own; ours alone. */
  directory: string
  log: Log
  /** Default: a day. */
  keepMs?: number
  nowMs?: () => number
}

/**
 * What was there before the last restore of each account: files in a folder of the
 * home, which the account's quota counts, dumps in a directory of ours.
 */
export interface KeptRestores {
  /** When a restore of now is over. */
  times(): { restoredAt: string; until: string }
  /** Keeps what a restore in `workDir` has put aside, in place of what an earlier one did; may be repeated. */
  keep(id: string, workDir: string, account: RegisteredAccount): Promise<void>
  /** Before a restore writes files: what was kept goes where both would not fit. */
  makeRoom(account: RegisteredAccount): Promise<void>
  list(username: string): Promise<KeptRestore[]>
  /** One that can be undone, and where its dumps are; 404 and 409 for what is not there or lost. */
  take(account: RegisteredAccount, id: string): Promise<{ record: KeptRecord; safety: string }>
  /** Removes what has been kept long enough, and what is left of accounts that are gone. */
  sweep(): Promise<void>
}

const shown = (record: KeptRecord): KeptRestore => {
  const { id, restoredAt, until, from, isUndo, parts, lost } = record
  return { id, restoredAt, until, from, isUndo, parts, lost }
}

/** Keeps what restores put aside for a day; `keepMs` for less. */
export const createKeptRestores = (deps: KeptRestoresDeps): KeptRestores => {
  const { registry, helpers, directory, log } = deps
  const nowMs = deps.nowMs ?? Date.now
  const dirOf = (id: string): string => path.join(directory, id)
  const accountOf = ({ username, uid }: KeptRecord): RegisteredAccount | null => {
    const account = registry.account(username)
    return account?.uid === uid ? account : null
  }

  const all = async (): Promise<KeptRecord[]> => {
    const records: KeptRecord[] = []
    for (const id of await readdir(directory).catch(() => [])) {
      const record = await readRecord(dirOf(id))
      if (record) records.push(record)
      else await rm(dirOf(id), { recursive: true, force: true })
    }
    return records.sort((a, b) => (a.restoredAt < b.restoredAt ? 1 : -1))
  }

  const removeContent = async (record: KeptRecord): Promise<void> => {
    const account = accountOf(record)
    if (account) await removeStaging(helpers, account, record.staging)
    await rm(path.join(dirOf(record.id), 'safety'), { recursive: true, force: true })
  }
  const drop = async (record: KeptRecord): Promise<void> => {
    await removeContent(record)
    await rm(dirOf(record.id), { recursive: true, force: true })
  }
  const lose = async (record: KeptRecord, lost: KeptRecord['lost']): Promise<void> => {
    writeRecord(dirOf(record.id), { ...record, lost })
    await removeContent(record)
    log.info('what was there before a restore is not kept', {
      username: record.username,
      why: lost,
    })
  }

  /** Part of the quota that is used; 0 without a quota. */
  const fullness = async (account: RegisteredAccount): Promise<number> => {
    if (account.diskQuotaMb <= 0) return 0
    const { data } = await helpers.ask(account, { op: 'usage' }, { timeoutMs: USAGE_TIMEOUT_MS })
    return data / (account.diskQuotaMb * MEGABYTE)
  }
  const lackOfRoom = async (
    account: RegisteredAccount,
    { parts }: Pick<KeptRecord, 'parts'>,
  ): Promise<KeptRecord['lost']> => {
    const hasFiles = parts.files !== 'none'
    if (hasFiles && (await fullness(account)) > 0.9) return 'quota'
    for (const place of [...(hasFiles ? [account.home] : []), directory]) {
      const { bavail, blocks } = await statfs(place)
      if (bavail < blocks / 20) return 'disk'
    }
    return null
  }

  return {
    times: () => ({
      restoredAt: timestamp(nowMs()),
      until: timestamp(nowMs() + (deps.keepMs ?? KEEP_RESTORES_MS)),
    }),

    async keep(id, workDir, account) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      for (const name of await readdir(workDir).catch(() => []))
        if (!KEPT.has(name)) await rm(path.join(workDir, name), { recursive: true, force: true })
      await rename(workDir, dirOf(id)).catch((error: unknown) => {
        // Moved before a crash.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      })
      const records = (await all()).filter(({ username }) => username === account.username)
      for (const record of records) if (record.id !== id) await drop(record)
      const kept = records.find((record) => record.id === id)
      if (!kept || kept.lost !== null) return
      const lost = await lackOfRoom(account, kept)
      if (lost !== null) await lose(kept, lost)
    },

    async makeRoom(account) {
      const kept = (await all()).filter(
        ({ username, lost, parts }) =>
          username === account.username && lost === null && parts.files !== 'none',
      )
      if (kept.length === 0 || (await fullness(account)) <= 0.5) return
      for (const record of kept) await lose(record, 'quota')
    },

    async list(username) {
      const now = timestamp(nowMs())
      const records = (await all()).filter(
        (record) =>
          record.username === username && record.until > now && accountOf(record) !== null,
      )
      return records.map(shown)
    },

    async take(account, id) {
      const record = (await all()).find((one) => one.id === id)
      if (!record || record.username !== account.username || accountOf(record) === null)
        throw new AppError(404, 'There is no such restore. List those that can be undone.')
      if (record.lost === null && record.until > timestamp(nowMs())) {
        // Of databases there are dumps of ours, which nobody else can remove.
        const isThere =
          record.parts.files === 'none' ||
          (await helpers.ask(account, { op: 'has', name: record.staging })).data
        if (isThere) return { record, safety: path.join(dirOf(id), 'safety') }
        await lose(record, 'removed')
      }
      throw conflict('This restore cannot be undone any more: what was there before is not kept.')
    },

    async sweep() {
      for (const { username } of await all())
        await deps.lock(`backups of ${username}`, async () => {
          const own = (await all()).filter((record) => record.username === username)
          const now = timestamp(nowMs())
          for (const [index, record] of own.entries()) {
            if (index === 0 && record.until > now && accountOf(record) !== null) continue
            try {
              await drop(record)
            } catch (error) {
              log.warn('what a restore had kept was not removed yet', {
                username,
                error: String(error),
              })
            }
          }
        })
    },
  }
}
