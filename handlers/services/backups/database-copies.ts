import { parsePathBelowHome } from '../../domain/files/home-path.ts'
import { notFound } from '../../errors.ts'
import type { DatabaseExport, DumpFormat } from '../../ports/host/database-copies.ts'
import type { KeptRestore } from '../../ports/host/backups/restore-parts.ts'
import type { Report } from '../../ports/jobs.ts'
import type { DatabaseRow } from '../../ports/store/records.ts'
import { backupTurns } from './creation.ts'
import type { BackupDeps } from './creation.ts'
import { followWork } from './work.ts'
import { forgetPages } from '../records/forget-pages.ts'
import { requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import { findDatabase } from '../databases/databases.ts'
import type { EngineName } from '../databases/databases.ts'
import { bodyInPieces } from './body-in-pieces.ts'

/** Which database is meant: its short or full name, and its engine where two have it. */
export interface DatabaseChoice {
  accountId: number
  name: string
  engine: EngineName | null
}

/** One database as a file, both ways. Of one account one is under way at a time; others wait. */
export interface DatabaseCopies {
  /** A dump that can be downloaded for a day. */
  export(choice: DatabaseChoice, format: DumpFormat, report?: Report): Promise<DatabaseExport>
  /** Newest first. */
  exports(accountId: number): Promise<DatabaseExport[]>
  download(
    accountId: number,
    filename: string,
  ): Promise<{ made: DatabaseExport; body: ReadableStream<Uint8Array> }>
  /** A missing one is 404. */
  removeExport(accountId: number, filename: string): Promise<void>
  /**
   * Puts a dump that lies in the home in the place of what the database holds; with
   * `removeFile` the file goes once that is done. Answers how it can be undone; null: nothing was kept.
   */
  import(
    choice: DatabaseChoice,
    file: { path: string; removeFile: boolean },
    report?: Report,
  ): Promise<{ row: DatabaseRow; kept: KeptRestore | null }>
}

const noExport = (filename: string) =>
  notFound(`There is no export ${filename}. It is kept for a day; make a new one.`)

export const createDatabaseCopies = (deps: BackupDeps): DatabaseCopies => {
  const { store, host, log, journal } = deps
  const inTurn = backupTurns(journal)

  const find = async (accountId: number, filename: string) => {
    const { username } = await requireSettledAccount(store, accountId)
    const all = await host.databaseCopies.exports({ username })
    const made = all.find((one) => one.filename === filename)
    if (made === undefined) throw noExport(filename)
    return { username, made }
  }

  return {
    async export({ accountId, name, engine }, format, report) {
      const account = await requireSettledAccount(store, accountId)
      const { username } = account
      return inTurn(username, async () => {
        const row = await findDatabase(store, account, name, engine)
        const operationId = crypto.randomUUID()
        const { engine: of, database_name: database } = row
        const work = { operationId, username, engine: of, database }
        await host.databaseCopies.start({ ...work, kind: 'export', format })
        const made = await followWork(
          () => host.ofAccount(username).databaseCopies.wait({ operationId }),
          'an export',
          report,
        )
        if (made !== null) return made
        throw new Error('the host exported a database and tells nothing of it')
      })
    },
    async exports(accountId) {
      const { username } = await requireSettledAccount(store, accountId)
      return host.databaseCopies.exports({ username })
    },
    async download(accountId, filename) {
      const { username, made } = await find(accountId, filename)
      const read = (offset: number) => host.databaseCopies.read({ username, filename, offset })
      const { content } = await read(0)
      return { made, body: bodyInPieces(made.sizeBytes, content, read) }
    },
    async removeExport(accountId, filename) {
      const { username } = await find(accountId, filename)
      await host.databaseCopies.remove({ username, filename })
    },
    async import({ accountId, name, engine }, file, report) {
      const path = parsePathBelowHome(file.path)
      const account = await requireActiveAccount(store, accountId)
      const { username } = account
      return inTurn(username, async () => {
        await requireActiveAccount(store, accountId)
        const row = await findDatabase(store, account, name, engine)
        const operationId = crypto.randomUUID()
        const { engine: of, database_name: database } = row
        const work = { operationId, username, engine: of, database }
        await host.databaseCopies.start({ ...work, kind: 'import', path })
        await followWork(
          () => host.ofAccount(username).databaseCopies.wait({ operationId }),
          'an import',
          report,
        )
        await forgetPages(deps, accountId)
        if (file.removeFile)
          await host.files.delete({ username, path }).catch((error: unknown) => {
            log.warn('an imported dump was not removed', { username, error: String(error) })
          })
        const restores = await host.backups.restores({ username })
        const kept = restores.find(({ id, lost }) => id === operationId && lost === null)
        return { row, kept: kept ?? null }
      })
    },
  }
}
