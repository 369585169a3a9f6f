import { randomBytes } from 'node:crypto'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { composeEngines } from '../../databases/compose-engines.ts'
import type { Engine } from '../../databases/engine.ts'
import { servedGrants } from '../../databases/users/served-grants.ts'
import type { RegisteredDatabase, RegisteredDatabaseUser, Registry } from '../../registry/types.ts'
import type { ImportJournal } from './import-journal.ts'
import type { Logins } from '../export/logins.ts'
import { setVerifier } from '../export/verifiers.ts'

/** A server of ours is made when it is started for the first time, which takes longer than any later start. */
const READY_ATTEMPTS = 4

const untilReady = async (engine: Engine): Promise<void> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await engine.whenReady()
    } catch (error) {
      if (attempt === READY_ATTEMPTS) throw error
    }
}

/**
 * Makes the accounts' databases, empty, with users whose passwords are those they had.
 * What the machine has no server for is noted and left out.
 */
export const bringDatabases = async (
  journal: ImportJournal,
  config: ServerConfig,
  registry: Registry,
  logins: Logins,
  log: Log,
): Promise<void> => {
  const rows = registry.databases()
  if (rows.length === 0) return
  const { engines } = composeEngines(config.databases, config.paths, log)

  const bring = async (row: RegisteredDatabase, engine: Engine): Promise<void> => {
    const { database, user } = row
    const name = `${row.engine}:${database}`
    if (journal.isDone(`database:${name}`)) return
    const begun = `database-begun:${name}`
    if (!journal.isDone(begun) && (await engine.exists(database, user))) {
      journal.skip(
        `the ${engine.name} database or user ${database} was there already and is as it was`,
      )
      return
    }
    journal.markDone(begun)
    await engine.create(database, user, randomBytes(24).toString('base64url'))
    const login = logins.databases.find((one) => one.engine === row.engine && one.user === user)
    if (login !== undefined) await setVerifier(login, config)
    else
      journal.skip(`${engine.name} user ${user} needs a new password: the export does not know it`)
    if (row.locked) await engine.setLocked(user, true)
    journal.markDone(`database:${name}`)
  }

  const bringUser = async (row: RegisteredDatabaseUser, engine: Engine): Promise<void> => {
    const { user } = row
    const name = `${row.engine}:${user}`
    if (journal.isDone(`database-user:${name}`)) return
    const begun = `database-user-begun:${name}`
    if (!journal.isDone(begun) && (await engine.users.exists(user))) {
      journal.skip(`the ${engine.name} user ${user} was there already and is as it was`)
      return
    }
    journal.markDone(begun)
    await engine.users.create(user, randomBytes(24).toString('base64url'))
    await engine.users.setGrants(user, servedGrants(registry, row.engine, row.grants), [])
    const login = logins.databases.find((one) => one.engine === row.engine && one.user === user)
    if (login !== undefined) await setVerifier(login, config)
    else
      journal.skip(`${engine.name} user ${user} needs a new password: the export does not know it`)
    if (row.locked) await engine.setLocked(user, true)
    journal.markDone(`database-user:${name}`)
  }

  try {
    for (const name of new Set(rows.map((row) => row.engine))) {
      const own = rows.filter((row) => row.engine === name)
      const engine = engines.find((one) => one.name === name)
      try {
        if (engine === undefined) throw new Error('it is not installed')
        await untilReady(engine)
        for (const row of own) await bring(row, engine)
        const further = registry.databaseUsers().filter((row) => row.engine === name)
        for (const row of further) await bringUser(row, engine)
        const all = [...own, ...further]
        for (const username of new Set(all.map((row) => row.username)))
          await engine.shareConnections(
            all.filter((row) => row.username === username).map(({ user }) => user),
          )
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        journal.skip(`${own.length} databases of ${name} were not made: ${why}`)
      }
    }
  } finally {
    for (const engine of engines) await engine.stop()
  }
}
