import { BACKUP_NAME } from '../../../domain/backups/backup-name.ts'
import { conflict } from '../../../errors.ts'
import type { FoundArchive } from '../../../ports/host/backups/archived-records.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { AccountRow, BackupRow } from '../../../ports/store/records.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { withArchive } from '../import/open-archive.ts'

/** What lies at targets, by their names. */
export type FoundAtTargets = ReadonlyMap<string, readonly FoundArchive[]>

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'>

/** Lists the archives at all targets, or at the one that is meant; one that does not answer has none. */
export const findAtTargets = async (
  { host, log }: Deps,
  from: string | null,
): Promise<FoundAtTargets> => {
  const found = new Map<string, readonly FoundArchive[]>()
  for (const { name } of await host.local.backups.targets()) {
    if (from !== null && name !== from) continue
    try {
      found.set(name, await host.local.imports.find({ target: name }))
    } catch (error) {
      log.warn('a target was not looked at', { target: name, error: String(error) })
    }
  }
  return found
}

/** The time in an archive's name. */
const timeOf = (filename: string): string => {
  const [, day = '', time = ''] = filename.split(/[-.]/)
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(day + time) ?? []
  const [, year, month, date, hours, minutes, seconds] = parts
  return `${year}-${month}-${date} ${hours}:${minutes}:${seconds}`
}

/** Archives of the account's name that the panel has no record of: made after it was exported. */
export const unknownOf = (
  found: FoundAtTargets,
  { username, created_at: since }: AccountRow,
  known: readonly BackupRow[],
): { target: string; filename: string; at: string }[] => {
  const names = new Set(known.map(({ filename }) => filename))
  return [...found].flatMap(([target, archives]) =>
    archives
      .filter(({ filename }) => BACKUP_NAME.test(filename) && !names.has(filename))
      .filter(({ filename }) => filename.startsWith(`${username}-`))
      .map(({ filename }) => ({ target, filename, at: timeOf(filename) }))
      // An earlier account of the name is another one.
      .filter(({ at }) => at >= since),
  )
}

/** Takes an archive at a target for a backup of the account, if a key of ours proves that it is one. */
export const adopt = async (
  { store, host }: Deps,
  account: AccountRow,
  { target, filename }: { target: string; filename: string },
  report: Report | undefined,
): Promise<BackupRow> => {
  const source = { kind: 'target', target, filename } as const
  return withArchive(
    host.of(account.host_id).imports,
    source,
    async ({ proof, username, createdAt, sha256, sizeBytes, databases }) => {
      if (proof === 'unproved' || username !== account.username || createdAt < account.created_at)
        throw conflict(
          `The archive at "${target}" is not proved to be a backup of this account.`,
          'location',
        )
      const row: BackupRow = {
        account_id: account.id,
        host_id: account.host_id,
        username,
        filename,
        location: target,
        size_bytes: sizeBytes,
        sha256,
        databases: databases.map(({ engine, database }) => ({ engine, database })),
        skipped: 0,
        skipped_paths: [],
        scheduled: false,
        created_at: createdAt,
      }
      await store.putBackup(row)
      return row
    },
    report,
  )
}
