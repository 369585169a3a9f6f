import type { Report } from '../../ports/jobs.ts'
import type { Backups, Snapshots } from '../backups/backups.ts'

/** What makes copies of accounts. */
export interface BackUpDeps {
  snapshots: Pick<Snapshots, 'engine' | 'create' | 'restore'>
  backups: Pick<Backups, 'create' | 'restore'>
}

/** A database of an account. */
interface Database {
  engine: 'mariadb' | 'mysql'
  database: string
}

/** What was made: a snapshot's id or an archive's name, and the way to bring a database of it back. */
export interface MadeBackUp {
  name: string
  bringBack(database: Database): Promise<unknown>
}

const LOCAL = 'local'

/** Makes a snapshot of an account, or a backup where there are no snapshots; `bounded`: 403 where it has as many as its plan allows. */
export const createBackUp =
  ({ snapshots, backups }: BackUpDeps) =>
  async (accountId: number, report: Report, bounded: boolean): Promise<MadeBackUp> => {
    const partsOf = (database: Database) => ({
      ...{ files: 'none' as const, databases: [database] },
    })
    if ((await snapshots.engine()).version !== null) {
      const { id } = await snapshots.create(accountId, LOCAL, { report, bounded })
      return {
        name: id,
        bringBack: (database) => snapshots.restore(accountId, id, partsOf(database)),
      }
    }
    const { filename } = await backups.create(accountId, LOCAL, report, bounded)
    return {
      name: filename,
      bringBack: (database) =>
        backups.restore(accountId, filename, { parts: partsOf(database), location: LOCAL }),
    }
  }
