import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { conflict } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import { redefine } from '../backups/import/redefine.ts'
import type { ManifestDump } from '../backups/manifest.ts'
import type { Engine } from '../databases/engine.ts'
import type { RunAs } from '../../process/as-user.ts'

/** No account's database is called so: theirs have an underscore behind the account's name. */
const NAME = /^trial[0-9a-f]{12}$/

/** Loads dumps into databases that are there for that alone. */
export const createScratchDatabases = (deps: {
  engines: readonly Engine[]
  /** Notes of databases that are there, for who comes after a crash. */
  directory: string
  log: Log
}) => {
  const noteOf = (engine: Engine, name: string): string =>
    path.join(deps.directory, `${engine.name}-${name}`)
  const remove = async (engine: Engine, name: string): Promise<void> => {
    await engine.drop(name, name)
    await rm(noteOf(engine, name), { force: true })
  }
  return {
    /** Tables and rows that are there after the dump was loaded with the rights of a user of its own. */
    async load(
      dump: ManifestDump,
      file: string,
      runAs: RunAs | null,
    ): Promise<{ tables: number; rows: number }> {
      const engine = deps.engines.find(({ name }) => name === dump.engine)
      if (!engine)
        throw conflict(
          `There is no ${dump.engine} server on this host to try the dump of ${dump.database} with.`,
        )
      await engine.whenReady()
      const name = `trial${randomBytes(6).toString('hex')}`
      await mkdir(deps.directory, { recursive: true, mode: 0o700 })
      await writeFile(noteOf(engine, name), '', { mode: 0o600 })
      try {
        await engine.create(name, name, randomBytes(24).toString('base64url'))
        const source = createReadStream(file)
        const { user } = dump
        const redefined =
          user !== null && engine.name === 'mariadb'
            ? pipeline(source, redefine(user, name), () => undefined)
            : source
        await engine.restore({ database: name, user: name, runAs }, redefined)
        return await engine.count(name, name)
      } finally {
        await remove(engine, name)
      }
    },
    /** Drops what a crash left. */
    async settle(): Promise<void> {
      for (const note of await readdir(deps.directory).catch(() => [])) {
        const [kind = '', name = ''] = note.split('-')
        const engine = deps.engines.find((one) => one.name === kind)
        if (!engine || !NAME.test(name)) continue
        await engine
          .whenReady()
          .then(() => remove(engine, name))
          .catch((error: unknown) => {
            deps.log.warn('a scratch database of a test restore could not be removed', {
              database: name,
              error: String(error),
            })
          })
      }
    },
  }
}
export type ScratchDatabases = ReturnType<typeof createScratchDatabases>
