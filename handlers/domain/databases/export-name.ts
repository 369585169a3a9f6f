import type { DatabaseExport, DumpFormat } from '../../ports/host/database-copies.ts'
import { timestamp, timestampMs } from '../text/timestamp.ts'

/** How long an export can be downloaded. */
export const KEEP_EXPORTS_MS = 86_400_000

const NAME =
  /^(mariadb|mysql|postgresql)-([a-z0-9_]{1,64})-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.(?:sql|sql\.gz|zip)$/

const ENDINGS = { sql: 'sql', gz: 'sql.gz', zip: 'zip' } as const satisfies Record<
  DumpFormat,
  string
>

/** Whether it is the name of an export; it then holds no slash and begins with no dot or hyphen. */
export const isExportName = (text: string): boolean => NAME.test(text)

/** Name of an export that is made at `ms`. */
export const exportName = (
  { engine, database }: Pick<DatabaseExport, 'engine' | 'database'>,
  ms: number,
  format: DumpFormat,
): string => {
  const digits = new Date(ms).toISOString().replace(/\D/g, '')
  return `${engine}-${database}-${digits.slice(0, 8)}-${digits.slice(8, 14)}.${ENDINGS[format]}`
}

/** What the name of an export says; null for any other name. */
export const exportOf = (filename: string): Omit<DatabaseExport, 'sizeBytes'> | null => {
  const [, engine, database = '', year, month, day, hour, minute, second] =
    NAME.exec(filename) ?? []
  if (engine === undefined) return null
  const createdAt = `${year}-${month}-${day} ${hour}:${minute}:${second}`
  const ms = timestampMs(createdAt)
  if (Number.isNaN(ms)) return null
  const until = timestamp(ms + KEEP_EXPORTS_MS)
  return { filename, engine: engine as DatabaseExport['engine'], database, createdAt, until }
}
