import { isAppError, notFound } from '../../errors.ts'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { BackupRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { bodyInPieces } from './body-in-pieces.ts'

/** The copies of a backup: on this host and at targets. */
export interface BackupCopies {
  /** All of them; 404 where there is none. */
  of(accountId: number, filename: string): Promise<BackupRow[]>
  /** Those that may serve, the local one first: without `location` any of them. 404 where there is none. */
  at(accountId: number, filename: string, location: string | null): Promise<BackupRow[]>
  /** What the first copy answers that is not at fault itself; else what the first one failed with. */
  fromAny<T>(rows: readonly BackupRow[], use: (row: BackupRow) => Promise<T>): Promise<T>
  /** The bytes of a copy, of which `start` (base64) is the first part. */
  body(row: BackupRow, start: string): ReadableStream<Uint8Array>
}

/** Failures that another copy of the same backup may not have. */
const isCopyFault = (error: unknown): boolean => isAppError(error) && error.field === 'location'

const NO_BACKUP = 'Backup not found. List the backups of the account to see which there are.'

/** Finds and reads copies. */
export const createBackupCopies = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'log'>,
): BackupCopies => {
  const { store, host, log } = deps
  const of = async (accountId: number, filename: string): Promise<BackupRow[]> => {
    const { rows } = await store.listBackups({ accountId })
    const found = rows.filter((row) => row.filename === filename)
    if (found.length === 0) throw notFound(NO_BACKUP)
    return found
  }
  const at = async (
    accountId: number,
    filename: string,
    location: string | null,
  ): Promise<BackupRow[]> => {
    const rows = await of(accountId, filename)
    const meant = rows.filter((row) => location === null || row.location === location)
    if (meant.length === 0) throw notFound(`This backup has no copy at "${location}".`)
    return meant.sort((a, b) => Number(b.location === LOCAL) - Number(a.location === LOCAL))
  }

  const fromAny = async <T>(rows: readonly BackupRow[], use: (row: BackupRow) => Promise<T>) => {
    const faults: unknown[] = []
    for (const row of rows)
      try {
        return await use(row)
      } catch (error) {
        if (!isCopyFault(error)) throw error
        const { filename, location } = row
        log.warn('a copy of a backup cannot be used', { filename, location, error: String(error) })
        faults.push(error)
      }
    throw faults[0]
  }
  const body = (row: BackupRow, start: string): ReadableStream<Uint8Array> => {
    const { username, filename, location, host_id } = row
    return bodyInPieces(row.size_bytes, start, (offset) =>
      host.of(host_id).backups.read({ username, filename, location, offset }),
    )
  }
  return { of, at, fromAny, body }
}
