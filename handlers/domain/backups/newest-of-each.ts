import { BACKUP_NAME } from './backup-name.ts'

/** The account that a backup of Berth is of, by its name; null for other files. */
export const ownerOfBackup = (filename: string): string | null =>
  BACKUP_NAME.test(filename) ? (filename.split('-')[0] ?? null) : null

/** Of backups of one account the newest alone; files of other names all. By name. */
export const newestOfEach = <T extends { filename: string }>(files: readonly T[]): T[] => {
  const newest = new Map<string, T>()
  for (const file of files) {
    const { filename } = file
    const key = ownerOfBackup(filename) ?? `/${filename}`
    const before = newest.get(key)
    // The moment in the name sorts as a text.
    if (before === undefined || before.filename < filename) newest.set(key, file)
  }
  return [...newest.values()].sort((a, b) => (a.filename < b.filename ? -1 : 1))
}
