import { inMegabytes, MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '#handlers/errors.ts'
import type { BackupFacts } from '#handlers/ports/host/backups/backups.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import { collectParts } from './collect-parts.ts'
import type { PartsInput } from './collect-parts.ts'
import type { HomeOwner } from './home-tar.ts'
import { livingHome } from './living-home.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { verifyArchive } from './verify-archive.ts'
import { writeArchive } from './write-archive.ts'

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
  const quota = account.diskQuotaMb * MEGABYTE
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
export const createBackup = async (
  input: PartsInput & { asRoot: boolean; gently: boolean },
): Promise<BackupFacts & { file: string }> => {
  const { account, engines, directory, report } = input
  const { username } = account
  const { manifest, members, key } = await collectParts(input)
  const limits = await contentLimits(account, 'backup')
  const file = path.join(directory, 'archive.tar.gz')
  report('home', username, 30)
  try {
    const { sizeBytes, sha256, entries, skipped, skippedPaths } = await writeArchive({
      file,
      home: livingHome(ownerOf(account, input.asRoot), limits, input.gently),
      manifest,
      members,
      key,
      dumpsDir: directory,
      nowSecs: Math.floor(input.nowMs / 1000),
      onHome: (bytes) => report('home', inMegabytes(bytes, Math.round), 50),
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
      databases: manifest.databases.map(({ engine, database }) => ({ engine, database })),
    }
  } catch (error) {
    throw tooLarge(error, username)
  }
}
