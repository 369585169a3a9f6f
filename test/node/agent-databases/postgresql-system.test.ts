import { readFileSync } from 'node:fs'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { findPostgresql } from '#adapters/node/agent/databases/postgresql/process.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import type { RunAs } from '#adapters/node/process/as-user.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const PASSWORD = 'correct horse 9 battery'
/** What Debian's package writes, without replication. */
const DEBIAN_HBA = `local all postgres peer
local all all peer
host all all 127.0.0.1/32 scram-sha-256
`
let directory = ''
let port = 0
let server: ChildProcess
let postgres: RunAs
let engine: Engine

const quiet = (): void => undefined
const psql = async (statement: string): Promise<string> => {
  const { program, args } = asUser(postgres, '/usr/bin/psql', [
    '-XAt',
    `--host=${directory}/run`,
    `--port=${port}`,
    `--command=${statement}`,
    'postgres',
  ])
  return (await mustRun(program, args)).stdout.trim()
}

beforeAll(async () => {
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('postgres:'))
  const [, , uid, gid] = (row ?? '').split(':').map(Number)
  postgres = { uid: uid ?? 0, gid: gid ?? 0, groups: 'none' }
  ;[port = 0] = await freePorts(1)
  directory = temporaryDirectory('bs-')
  await chmod(directory, 0o755)
  for (const name of ['data', 'run']) {
    await mkdir(`${directory}/${name}`)
    await chown(`${directory}/${name}`, postgres.uid, postgres.gid)
  }
  const bin = findPostgresql(null) ?? ''
  const initdb = asUser(postgres, `${bin}/initdb`, [
    `--pgdata=${directory}/data`,
    '--auth=peer',
    '--encoding=SQL_ASCII',
    '--locale=C',
    '--no-sync',
  ])
  await mustRun(initdb.program, initdb.args)
  await writeFile(`${directory}/data/pg_hba.conf`, DEBIAN_HBA)
  const start = asUser(postgres, `${bin}/postgres`, [
    '-D',
    `${directory}/data`,
    `--unix_socket_directories=${directory}/run`,
    '--listen_addresses=127.0.0.1',
    `--port=${port}`,
    '--fsync=off',
  ])
  server = spawn(start.program, start.args, { env: { ...CLEAN_ENV }, stdio: 'ignore' })
  const { engines } = composeEngines(
    {
      mariadb: 'off',
      mariadb_socket: '/nowhere',
      postgresql: 'system',
      postgresql_socket: `${directory}/run/.s.PGSQL.${port}`,
    },
    { state_dir: directory, run_dir: directory, log_dir: directory },
    { info: quiet, warn: quiet, error: quiet },
  )
  engine = engines[0]!
  await vi.waitUntil(async () => (await engine.info())?.running, { timeout: 90_000, interval: 200 })
})
const stop = async (): Promise<void> => {
  if (server.exitCode !== null) return
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  await exit
}
afterAll(async () => {
  await stop()
})

const connect = async (database: string): Promise<boolean> => {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'btsys_a',
    password: PASSWORD,
    database,
  })
  client.on('error', quiet)
  try {
    await client.connect()
    await client.query('CREATE TABLE IF NOT EXISTS t (a int)')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(quiet)
  }
}

it('administers the server of the system as its own user, and answers localhost', async () => {
  expect(engine.host).toBe('localhost')
  await engine.create('btsys_a', 'btsys_a', PASSWORD)
  expect(await connect('btsys_a')).toBe(true)
  expect(await connect('postgres')).toBe(false)
  expect(await engine.sizes(['btsys_a'])).toEqual(
    new Map([['btsys_a', { sizeBytes: expect.any(Number), tables: 1 }]]),
  )
  await engine.setLocked('btsys_a', true)
  expect(await connect('btsys_a')).toBe(false)
  await engine.setLocked('btsys_a', false)
  await engine.drop('btsys_a', 'btsys_a')
  expect(await engine.exists('btsys_a', 'btsys_a')).toBe(false)
})

it('leaves databases of others as they are, and refuses while one is open to all', async () => {
  await psql('CREATE DATABASE theirs')
  await expect(engine.create('btsys_b', 'btsys_b', PASSWORD)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('REVOKE CONNECT ON DATABASE "theirs" FROM PUBLIC'),
  })
  expect(await engine.exists('btsys_b', 'btsys_b')).toBe(false)
  expect(await psql("SELECT datacl IS NULL FROM pg_database WHERE datname = 'theirs'")).toBe('t')
  await psql('REVOKE CONNECT ON DATABASE "theirs" FROM PUBLIC')
  await engine.create('btsys_b', 'btsys_b', PASSWORD)
  await engine.drop('btsys_b', 'btsys_b')
})

it('answers 503 when the server is gone, and leaves no process behind', async () => {
  await stop()
  await expect(engine.whenReady()).rejects.toMatchObject({ status: 503 })
  await expect(engine.exists('btsys_a', 'btsys_a')).rejects.toMatchObject({ status: 503 })
  expect((await engine.info())?.running).toBe(false)
  await vi.waitUntil(async () => {
    const { stdout } = await runCommand('/usr/bin/pgrep', ['-f', `${directory}/run/.s.PGSQL`])
    return stdout === ''
  })
})
