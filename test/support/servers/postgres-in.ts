import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { chmod, chown, mkdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { findPostgresql } from '#adapters/node/agent/databases/postgresql/process.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'

const PORT = 5432
const START_MS = 30_000
const POLL_MS = 20

/** A PostgreSQL server of a test, at a socket alone. */
export interface PostgresServer {
  /** Makes an empty database; answers its URL. */
  newDatabase(): Promise<string>
  /** Runs a statement as its administrator in `postgres`. */
  query(text: string): Promise<Record<string, unknown>[]>
  start(): Promise<void>
  /** At once, as by a fault (`SIGQUIT`): nothing is written down any more. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** Its unix socket. */
  socket: string
}

/** A server that follows another one. */
export interface StandbyServer extends PostgresServer {
  /** Makes it the primary. */
  promote(): Promise<void>
}

const idsOf = async (name: string): Promise<{ uid: number; gid: number }> => {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  const [, , uid, gid] = (lines.find((line) => line.startsWith(`${name}:`)) ?? '').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Starts one of Debian's as the user `postgres` in an empty directory, with settings of its own
 * beside the usual, which write nothing for good.
 */
export const startPostgresIn = async (
  directory: string,
  settings: readonly string[],
): Promise<PostgresServer> => {
  await runAsPostgres(await prepare(directory), 'initdb', [
    ...[`--pgdata=${directory}/data`, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    '--username=berth',
  ])
  return serve(directory, settings)
}

/**
 * Starts a standby of another one in an empty directory. A commit is answered once the standby has
 * it, where the primary's `synchronous_standby_names` is `'*'`.
 *
 * @param from the directory of the socket that leads to the primary
 */
export const startStandbyIn = async (directory: string, from: string): Promise<StandbyServer> => {
  await runAsPostgres(await prepare(directory), 'pg_basebackup', [
    ...[`--pgdata=${directory}/data`, `--host=${from}`, `--port=${PORT}`, '--username=berth'],
    ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'],
  ])
  const server = await serve(directory, [])
  return {
    ...server,
    async promote() {
      await server.query('select pg_promote()')
    },
  }
}

interface Prepared {
  bin: string
  who: { uid: number; gid: number; groups: 'none' }
}

const runAsPostgres = async ({ bin, who }: Prepared, name: string, args: string[]) => {
  const { program, args: given } = asUser(who, `${bin}/${name}`, args)
  await mustRun(program, given)
}

const prepare = async (directory: string): Promise<Prepared> => {
  const { uid, gid } = await idsOf('postgres')
  await chmod(directory, 0o755)
  for (const name of ['data', 'run']) {
    await mkdir(`${directory}/${name}`, { mode: 0o700 })
    await chown(`${directory}/${name}`, uid, gid)
  }
  await chmod(`${directory}/run`, 0o755)
  return { bin: findPostgresql(null) ?? '', who: { uid, gid, groups: 'none' } }
}

const serve = async (directory: string, settings: readonly string[]): Promise<PostgresServer> => {
  const { uid, gid } = await idsOf('postgres')
  const who = { uid, gid, groups: 'none' } as const
  const server = asUser(who, `${findPostgresql(null) ?? ''}/postgres`, [
    ...['-D', `${directory}/data`, `--unix_socket_directories=${directory}/run`],
    ...['--listen_addresses=', `--port=${PORT}`, '--fsync=off'],
    ...settings.map((one) => `--${one}`),
  ])
  let child: ReturnType<typeof spawn> | undefined
  let databases = 0
  const urlOf = (database: string): string =>
    `postgres://berth@localhost:${PORT}/${database}?host=${encodeURIComponent(`${directory}/run`)}`
  const query = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const start = async (): Promise<void> => {
    child = spawn(server.program, server.args, { env: { ...CLEAN_ENV }, stdio: 'ignore' })
    const deadline = performance.now() + START_MS
    for (;;)
      try {
        await query('select 1')
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
        await setTimeout(POLL_MS)
      }
  }
  await start()
  return {
    async newDatabase() {
      const name = `panel_${++databases}`
      await query(`create database ${name}`)
      return urlOf(name)
    },
    query,
    socket: `${directory}/run/.s.PGSQL.${PORT}`,
    start,
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
  }
}
