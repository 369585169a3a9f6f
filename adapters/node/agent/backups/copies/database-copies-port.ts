import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { rename, statfs } from 'node:fs/promises'
import path from 'node:path'
import { exportName } from '#handlers/domain/databases/export-name.ts'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type {
  DatabaseCopiesPort,
  DatabaseCopyWork,
  DatabaseExport,
} from '#handlers/ports/host/database-copies.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Engine } from '../../databases/engine.ts'
import type { HelperPool } from '../../files/helper-pool.ts'
import { knownAccount } from '../../registry/known-account.ts'
import type { RegisteredAccount, RegisteredDatabase, Registry } from '../../registry/types.ts'
import { dumpName } from '../dump-databases.ts'
import { redefine } from '../import/redefine.ts'
import type { RestoreSource } from '../restore/restore-source.ts'
import type { Restorer } from '../restore-backup.ts'
import type { Report } from '../works/report.ts'
import { createWorks } from '../works/works.ts'
import type { KeptExports } from './kept-exports.ts'
import { copyFromHome, unpackDump } from './take-dump.ts'
import { writeExport } from './write-export.ts'

/** More than what a web application's database has; the safety dump and the packed file need room as well. */
const MAX_DUMP_BYTES = 20 * 2 ** 30

export interface DatabaseCopiesDeps {
  registry: Pick<Registry, 'account' | 'database'>
  helpers: Pick<HelperPool, 'ask'>
  engines: readonly Engine[]
  restorer: Pick<Restorer, 'restore'>
  kept: KeptExports
  /** Runs in the turn of the account's backups, with a directory of its own. */
  inWorkDir: <T>(
    order: { operationId: string; username: string; restores: boolean },
    work: (directory: string) => Promise<T>,
  ) => Promise<T>
  waitMs: number
  explain: ((error: unknown) => unknown) | undefined
  nowMs: () => number
  log: Log
}

/** The one dump that an import brings. */
export const dumpSource = (
  file: string,
  { engine, database }: RegisteredDatabase,
): RestoreSource => ({
  check: async () => undefined,
  async fetch({ dumpsDir }) {
    if (dumpsDir === null) return []
    await rename(file, path.join(dumpsDir, dumpName({ engine, database })))
    return [{ engine, database, user: null }]
  },
})

/** Export and import of one database; see `DatabaseCopiesPort` for what each call promises. */
export const createDatabaseCopiesPort = (deps: DatabaseCopiesDeps): DatabaseCopiesPort => {
  const { registry, kept } = deps
  const works = createWorks<DatabaseExport>(deps.log, deps.waitMs, deps.explain)

  const found = (
    work: DatabaseCopyWork,
  ): { account: RegisteredAccount; row: RegisteredDatabase; engine: Engine } => {
    const name = work.engine === 'mysql' ? 'mariadb' : work.engine
    const account = knownAccount(registry, work.username)
    const row = registry.database(name, work.database)
    const engine = deps.engines.find((one) => one.name === name)
    if (row?.username !== work.username || !engine)
      throw notFound(`Account ${work.username} has no database ${work.database}.`)
    return { account, row, engine }
  }
  /** Whatever accounts export and import, others keep room; an import needs it twice. */
  const share = async (directory: string): Promise<number> => {
    const { bavail, bsize } = await statfs(directory)
    return Math.floor((bavail * bsize) / 3)
  }

  const exportIt = async (
    work: Extract<DatabaseCopyWork, { kind: 'export' }>,
    directory: string,
    report: Report,
  ): Promise<DatabaseExport> => {
    const { row, engine } = found(work)
    const { database } = row
    const sizes = await engine.sizes([database]).catch(() => null)
    const expected = Math.max(1, sizes?.get(database)?.sizeBytes ?? 1)
    const file = path.join(directory, 'export')
    const nowMs = deps.nowMs()
    report('export', database, 1)
    await writeExport({
      ...{ engine, database, file, format: work.format, now: new Date(nowMs) },
      maxBytes: await share(directory),
      // A dump is about as long as the tables; how long exactly is known at its end.
      onBytes: (bytes) =>
        report('export', inMegabytes(bytes, Math.round), Math.min(95, (100 * bytes) / expected)),
    })
    return kept.take(work.username, file, exportName(row, nowMs, work.format))
  }

  const importIt = async (
    work: Extract<DatabaseCopyWork, { kind: 'import' }>,
    directory: string,
    report: Report,
  ): Promise<void> => {
    const { account, row, engine } = found(work)
    const { operationId, username } = work
    if (account.suspended)
      throw conflict(`Account ${username} is suspended. Unsuspend it, then import.`)
    const homePath = parsePathBelowHome(work.path)
    const packed = path.join(directory, 'packed')
    const file = path.join(directory, 'dump.sql')
    const maxPacked = Math.min(MAX_DUMP_BYTES, await share(directory))
    await copyFromHome({
      ...{ helpers: deps.helpers, account, path: homePath, file: packed, maxBytes: maxPacked },
      onBytes: (bytes, of) =>
        report('read', inMegabytes(bytes, Math.round), 10 * Math.min(1, bytes / Math.max(1, of))),
    })
    report('unpack', homePath, 12)
    const change = engine.name === 'mariadb' ? redefine(null, row.user) : null
    // What is in the database now is dumped beside it, and the server needs room for the new one.
    const maxBytes = Math.min(MAX_DUMP_BYTES, await share(directory))
    await unpackDump({ packed, file, maxBytes, change, plainDump: engine.plainDump })
    await deps.restorer.restore(
      {
        ...{ operationId, username },
        parts: {
          files: 'none',
          databases: [{ engine: row.engine, database: row.database }],
        },
        source: dumpSource(file, row),
        from: { kind: 'dump', path: homePath },
      },
      report,
    )
  }

  return {
    async start(work) {
      const { operationId, username } = work
      const restores = work.kind === 'import'
      works.start(operationId, (report) =>
        deps.inWorkDir({ operationId, username, restores }, async (directory) => {
          if (work.kind === 'export') return exportIt(work, directory, report)
          await importIt(work, directory, report)
          return null
        }),
      )
    },
    wait: ({ operationId }) => works.wait(operationId),
    exports: ({ username }) => kept.list(username),
    async read({ username, filename, offset }) {
      return { content: await kept.read(username, filename, offset) }
    },
    remove: ({ username, filename }) => kept.remove(username, filename),
  }
}
