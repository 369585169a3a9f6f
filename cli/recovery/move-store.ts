import { resolve } from 'node:path'
import { moveStore as carryOut, planMove } from '#adapters/node/service/move-store.ts'
import { CliError } from '../cli-error.ts'
import type { LocalSpec } from '../panel/frame/command-types.ts'
import { serviceCommand } from '../service/service-parts.ts'
import { printable } from '../terminal/printable.ts'

const failure = (error: unknown): CliError =>
  error instanceof CliError
    ? error
    : new CliError(error instanceof Error ? error.message : String(error))

/** `berth panel move-store`. */
export const moveStore: LocalSpec = serviceCommand({
  summary: "move the panel's records into a PostgreSQL database, or back into SQLite",
  note: 'It stops Berth, copies all records in one transaction, compares both, writes [panel] store into berth.toml and starts Berth again, if it ran. The earlier store is left as it was. A database must be empty.',
  options: [
    ['--to <place>', 'postgres://user@host/database?sslmode=verify-full, or sqlite'],
    ['--password-file <file>', "the database user's password, mode 0600, the panel's user's own"],
    ['--ca-file <file>', "root certificates of the server's authority"],
  ],
  examples: [
    "berth panel move-store --to 'postgres://berth@/berth?host=/run/postgresql'",
    "berth panel move-store --to 'postgres://berth@db.example.com/berth?sslmode=verify-full' --password-file /etc/berth/secrets/store-password",
    'berth panel move-store --to sqlite',
  ],
  async act({ manager, config, options, json, print }) {
    const { to = '', passwordFile, caFile } = options.texts('to', 'passwordFile', 'caFile')
    if (to === '') throw new CliError('Say where to: --to postgres://… or --to sqlite', 2)
    const path = (file: string | undefined): string | null =>
      file === undefined ? null : resolve(file)
    const keys = {
      store: to === 'sqlite' ? null : to,
      store_password_file: path(passwordFile),
      store_ca_file: path(caFile),
    }
    const move = await planMove(config, keys).catch((error: unknown) => {
      throw failure(error)
    })
    const ran = await manager.stop()
    let table = ''
    const moved = await carryOut(move, (progress) => {
      if (json || progress.table === table) return
      table = progress.table
      console.error(`${progress.rows} rows  ${printable(table)} ...`)
    }).catch(async (error: unknown) => {
      if (ran) await manager.start()
      const { message } = failure(error)
      throw new CliError(
        ran ? `${message}\nNothing was moved; Berth was stopped for it, and runs again.` : message,
      )
    })
    if (ran) await manager.start()
    print({ ...moved, started: ran }, () => {
      console.log(
        `${moved.rows} records in ${moved.tables} tables are in ${printable(moved.now)}, compared with what they were copied from; ${config.file} says so.\nThe earlier store is as it was: ${printable(moved.before)}. Remove it when you do not need it any more.`,
      )
      if (moved.set_aside !== null)
        console.log(`A file that lay in the way is now ${printable(moved.set_aside)}.`)
      console.log(ran ? 'Berth runs again.' : 'Next: berth service start')
    })
  },
})
