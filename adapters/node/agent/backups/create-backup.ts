import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, unavailable } from '#handlers/errors.ts'
import type { BackupFacts, BackupWork } from '#handlers/ports/host/backups.ts'
import type { Engine } from '../databases/engine.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import { dumpDatabase } from './dump-databases.ts'
import type { HomeOwner } from './home-tar.ts'
import { livingHome } from './living-home.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKeys } from './records/archive-keys.ts'
import { collectRecords } from './records/collect-records.ts'
import type { SystemPasswords } from './records/system-passwords.ts'
import type { TarLimits } from './tar-reader.ts'
import { verifyArchive } from './verify-archive.ts'
import { writeArchive } from './write-archive.ts'

/** Hears how far a piece of work is; `percent` 0-100. */
export type Report = (step: string, detail: string, percent: number) => void

const MEBI = 2 ** 20
const GIBI = 2 ** 30
/** More files than any home that a person looks after has. */
const MAX_ENTRIES = 1_000_000

export const ownerOf = (account: RegisteredAccount, asRoot: boolean): HomeOwner => ({
  username: account.username,
  home: account.home,
  runAs: asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' } : null,
})

/**
 * What the content of a home may amount to: its quota, or what the disk has. A
 * sparse file counts with its length, so a backup takes twice the quota and a little.
 */
export const contentLimits = async (
  account: RegisteredAccount,
  kind: 'backup' | 'restore',
): Promise<TarLimits> => {
  const quota = account.diskQuotaMb * MEBI
  const { blocks, bfree, bsize } = await statfs(path.dirname(account.home))
  const disk = (kind === 'backup' ? blocks : bfree) * bsize
  const ofQuota = kind === 'backup' ? 2 * quota + GIBI : quota
  return {
    maxEntries: MAX_ENTRIES,
    maxBytes: quota > 0 ? ofQuota : disk,
  }
}

const tooLarge = (error: unknown, username: string): unknown =>
  error instanceof AppError && error.status === 413
    ? new AppError(
        413,
        `The home of ${username} cannot be backed up: ${error.message} A sparse file counts with its whole length; look for very large files and remove them.`,
        { cause: error },
      )
    : error

/**
 * Makes an archive of an account in `directory` (private to this piece of work)
 * and reads it back. The caller gives it its place and its name.
 */
export const createBackup = async (input: {
  account: RegisteredAccount
  work: Pick<Extract<BackupWork, { kind: 'create' }>, 'record' | 'secrets'>
  registry: Pick<Registry, 'databasesOf' | 'vhostsOf'>
  keys: ArchiveKeys
  passwords: SystemPasswords
  /** Of this product, e.g. `berth 1.2.0`. */
  madeBy: string
  asRoot: boolean
  engines: readonly Engine[]
  directory: string
  nowMs: number
  report: Report
}): Promise<BackupFacts & { file: string }> => {
  const { account, engines, directory, report } = input
  const { username } = account
  const databases = input.registry.databasesOf(username)
  const dumps: Manifest['databases'] = []
  for (const [index, row] of databases.entries()) {
    report('databases', row.database, (30 * index) / databases.length)
    const engine = engines.find(({ name }) => name === row.engine)
    if (!engine)
      throw unavailable(
        `There is no ${row.engine} server any more that could dump ${row.database}, so there is no backup.`,
      )
    dumps.push({
      ...(await dumpDatabase(engine, row, directory)),
      user: row.user,
      password_hash: await engine.passwordHash(row.user),
    })
  }
  const key = await input.keys.own()
  const { members, part } = await collectRecords({
    ...input.work,
    account,
    registry: input.registry,
    systemPasswordHash: await input.passwords.read(account),
    key,
  })
  const manifest: Manifest = {
    version: 2,
    username,
    created_at: timestamp(input.nowMs),
    made_by: input.madeBy,
    ...part,
    databases: dumps,
  }
  const limits = await contentLimits(account, 'backup')
  const file = path.join(directory, 'archive.tar.gz')
  report('home', username, 30)
  try {
    const { sizeBytes, sha256, entries, skipped, skippedPaths } = await writeArchive({
      file,
      home: livingHome(ownerOf(account, input.asRoot), limits),
      manifest,
      members,
      key,
      dumpsDir: directory,
      nowSecs: Math.floor(input.nowMs / 1000),
      onHome: (bytes) => report('home', `${Math.round(bytes / MEBI)} MB`, 50),
    })
    report('verify', username, 70)
    await verifyArchive(file, { username, sha256, entries }, engines, input.keys, {
      maxEntries: 3 * limits.maxEntries,
      maxBytes: Number.MAX_SAFE_INTEGER,
    })
    return {
      file,
      sizeBytes,
      sha256,
      skipped,
      skippedPaths,
      databases: dumps.map(({ engine, database }) => ({ engine, database })),
    }
  } catch (error) {
    throw tooLarge(error, username)
  }
}
