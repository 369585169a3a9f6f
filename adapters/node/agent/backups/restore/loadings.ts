import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { conflict } from '#handlers/errors.ts'
import type { DatabaseMove } from '#handlers/ports/host/backups/imports.ts'
import type { Engine } from '../../databases/engine.ts'
import type { RegisteredAccount, RegisteredDatabase, Registry } from '../../registry/types.ts'
import { ownerOf } from '../create-backup.ts'
import { dumpName } from '../dump-databases.ts'
import { redefine } from '../import/redefine.ts'
import type { FetchedDump } from './restore-source.ts'

/** A database, and the dump that goes into it. */
export interface Loading {
  row: RegisteredDatabase
  file: string
  /** User whose definitions the dump holds. */
  definer: string
}

/** Finds the databases that dumps go into, and loads them. */
export const createLoadings = (deps: {
  registry: Registry
  engines: readonly Engine[]
  asRoot: boolean
}) => {
  const { registry, engines } = deps

  const engineOf = (name: string): Engine => {
    const engine = engines.find((one) => one.name === name)
    if (engine) return engine
    throw conflict(`There is no ${name} server on this host, which the backup needs.`)
  }
  const rowOf = (
    { engine }: FetchedDump,
    database: string,
    username: string,
  ): RegisteredDatabase => {
    const row = registry.database(engine, database)
    if (row?.username === username) return row
    throw conflict(
      `The backup holds the database ${database}, which the account does not have now. Create it first, or restore the files alone.`,
    )
  }
  const loadingsOf = (
    dumps: readonly FetchedDump[],
    { username, databases }: { username: string; databases?: readonly DatabaseMove[] | undefined },
  ): Loading[] =>
    dumps.flatMap((dump) => {
      const move = databases?.find(
        (one) => one.engine === dump.engine && one.from === dump.database,
      )
      // An import says which ones it takes.
      if (databases !== undefined && move === undefined) return []
      const row = rowOf(dump, move?.to ?? dump.database, username)
      return [{ row, file: dumpName(dump), definer: dump.user ?? row.user }]
    })
  const load = async (
    account: RegisteredAccount,
    { row, file, definer }: Loading,
    directory: string,
  ): Promise<void> => {
    const engine = engineOf(row.engine)
    await engine.whenReady()
    const { runAs } = ownerOf(account, deps.asRoot)
    const target = { database: row.database, user: row.user, runAs, locked: row.locked }
    const dump = createReadStream(path.join(directory, file))
    const foreign = definer !== row.user && engine.name === 'mariadb'
    await engine.restore(
      target,
      foreign ? pipeline(dump, redefine(definer, row.user), () => undefined) : dump,
    )
  }

  return { engineOf, loadingsOf, load }
}
