import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { databaseUsersPortContract } from '#test/contract/databases/database-users-port.ts'
import { databasesPortContract } from '#test/contract/databases/databases-port.ts'
import { randomAccountName } from '#test/node/agent-php/host-fixture.ts'
import { openPostgresql } from './open-database.ts'
import { postgresqlUsersAttacks } from './postgresql-users.ts'
import { createPostgresqlFixture } from './postgresql-fixture.ts'
import type { PostgresqlFixture } from './postgresql-fixture.ts'

const PASSWORD = `correct'horse"\\%_ ä 9`
let on: PostgresqlFixture
let service: DatabasesService
let running: Engine
let serial = 0
const operationId = (): string => `op-${(serial += 1)}`

const names = (username: string, name: string) => ({
  username,
  engine: 'postgresql' as const,
  database: `${username}_${name}`,
  user: `${username}_${name}`,
})
type Names = ReturnType<typeof names>
const makeDatabase = async (
  name: string,
  username = on.registerAccount(randomAccountName()),
): Promise<Names> => {
  const made = names(username, name)
  await service.create({ ...made, operationId: operationId(), password: PASSWORD })
  return made
}
const connect = ({ user, database }: Names): Promise<pg.Client> =>
  on.connect(user, PASSWORD, database)
const query = async (who: Names, ...statements: string[]): Promise<unknown[]> => {
  const client = await connect(who)
  try {
    const rows: unknown[] = []
    for (const statement of statements) rows.push(...(await client.query(statement)).rows)
    return rows
  } finally {
    await client.end()
  }
}
const untilRunning = (): Promise<boolean> =>
  vi.waitUntil(async () => (await service.engines())[0]?.running === true, { timeout: 90_000 })

beforeAll(async () => {
  on = await createPostgresqlFixture()
  running = on.compose()
  service = on.createService(running)
  service.start()
})
afterAll(async () => {
  await service.stop()
  await on.host.dispose()
})

describe('the private PostgreSQL server', () => {
  it('is made on demand and serves this machine alone', async () => {
    expect(on.servers()).toEqual([])
    await untilRunning()
    const [server] = on.servers()
    expect(readFileSync(`/proc/${server!.pid}/status`, 'utf8')).toMatch(/^CapEff:\t0+$/m)
    expect(server!.uid).not.toBe(0)
    expect((await stat(`${on.host.stateDir}/databases/postgresql`)).mode & 0o777).toBe(0o700)
    expect((await stat(`${on.socketDirectory}/.s.PGSQL.5432`)).mode & 0o777).toBe(0o777)
    expect(await on.asAdministrator('postgres', 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1,::1' },
    ])
    expect(readlinkSync('/run/postgresql/.s.PGSQL.5432')).toBe(
      `${on.socketDirectory}/.s.PGSQL.5432`,
    )
    const [info] = await service.engines()
    expect(info).toEqual({
      engine: 'postgresql',
      version: expect.stringMatching(/^\d+\.\d+$/),
      running: true,
      host: on.socketDirectory,
    })
  })

  it('lets no other OS user in as administrator', async () => {
    const script = `try { new PDO('pgsql:host=${on.socketDirectory};dbname='.$argv[2].';user='.$argv[1].';password=x'); echo 'in'; }
      catch (Throwable $e) { echo 'out'; }`
    const postgres = Number((await mustRun('id', ['-u', 'postgres'])).stdout)
    for (const uid of [65534, postgres])
      for (const [user, database] of [
        ['postgres', 'postgres'],
        ['postgres', 'template1'],
        ['root', 'postgres'],
      ] as const) {
        const as = asUser({ uid, gid: uid, groups: 'none' }, '/usr/bin/php', [
          '-r',
          script,
          '--',
          user,
          database,
        ])
        expect([user, (await runCommand(as.program, as.args)).stdout]).toEqual([user, 'out'])
      }
  })

  it('starts again when it is killed, with what was written', async () => {
    const made = await makeDatabase('kept')
    await query(made, 'CREATE TABLE t AS SELECT 7 AS a')
    const [server] = on.servers()
    process.kill(server!.pid, 'SIGKILL')
    await expect
      .poll(
        async () => {
          // In this order: what was killed is still there for a moment, and said to run.
          const [next] = on.servers()
          if (next === undefined || next.pid === server!.pid) return false
          return (await service.engines())[0]?.running
        },
        { timeout: 90_000 },
      )
      .toBe(true)
    expect(await query(made, 'SELECT a FROM t')).toEqual([{ a: 7 }])
  })

  it('outlives a killed agent, is adopted, and stops with the agent', async () => {
    await service.stop()
    expect(on.servers()).toEqual([])
    const script = new URL('./lost-agent.ts', import.meta.url).pathname
    const input = {
      state_dir: on.host.stateDir,
      run_dir: on.host.runDir,
      log_dir: `${on.host.directory}/log`,
    }
    const agent = spawn(process.execPath, [script, JSON.stringify(input), 'postgresql'], {
      stdio: 'ignore',
    })
    expect(await once(agent, 'exit')).toEqual([null, 'SIGKILL'])
    const [left] = on.servers()
    expect(left).toBeDefined()
    service = on.createService()
    service.start()
    await untilRunning()
    expect(on.servers().map(({ pid }) => pid)).toEqual([left!.pid])
    await service.stop()
    expect(on.servers()).toEqual([])
    running = on.compose()
    service = on.createService(running)
    service.start()
    await untilRunning()
  })
})

describe('PostgreSQL databases', () => {
  it('open to their own user and nothing else does', async () => {
    const one = await makeDatabase('x')
    const two = await makeDatabase('x', on.registerAccount(`${one.username}a`))
    await query(two, 'CREATE TABLE secret AS SELECT 1 AS a')
    for (const database of [two.database, 'postgres', 'template1', 'template0'])
      expect([database, await on.canLogIn(one.user, PASSWORD, database)]).toEqual([database, false])
    // The right itself is gone, not only the way in.
    for (const database of [two.database, 'postgres', 'template1'])
      expect(
        await on.asAdministrator(
          'postgres',
          `SELECT has_database_privilege('${one.user}', '${database}', 'CONNECT') AS may,
             has_database_privilege('${one.user}', '${database}', 'TEMPORARY') AS make`,
        ),
      ).toEqual([{ may: false, make: false }])
    const client = await connect(one)
    await client.query('CREATE TABLE t (a int)')
    const refused = [
      `CREATE DATABASE other`,
      `CREATE ROLE other`,
      `SET ROLE "${two.user}"`,
      'SET ROLE postgres',
      'SET SESSION AUTHORIZATION postgres',
      `GRANT "${two.user}" TO "${one.user}"`,
      `GRANT CONNECT ON DATABASE "${two.database}" TO "${one.user}"`,
      `ALTER ROLE "${one.user}" SUPERUSER`,
      `ALTER ROLE "${one.user}" CONNECTION LIMIT -1`,
      `ALTER ROLE "${one.user}" SET temp_file_limit = -1`,
      `ALTER ROLE "${two.user}" PASSWORD 'x'`,
      `ALTER DATABASE "${one.database}" OWNER TO "${one.user}"`,
      `ALTER DATABASE "${one.database}" CONNECTION LIMIT 1`,
      `DROP DATABASE "${two.database}"`,
      `SELECT pg_database_size('${two.database}')`,
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT pg_ls_dir('/')",
      "SELECT lo_import('/etc/passwd')",
      "COPY t FROM PROGRAM 'id'",
      "COPY t FROM '/etc/passwd'",
      "COPY t TO '/tmp/bt-out'",
      'CREATE EXTENSION dblink',
      'CREATE EXTENSION postgres_fdw',
      'CREATE EXTENSION file_fdw',
      "CREATE TABLESPACE s LOCATION '/tmp'",
      "CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'system'",
      'SELECT rolpassword FROM pg_authid',
      'SELECT pg_reload_conf()',
      "ALTER SYSTEM SET shared_buffers = '1GB'",
      'SET temp_file_limit = -1',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres' OR backend_type = 'checkpointer'`,
    ]
    const codes = new Map<string, unknown>()
    for (const statement of refused)
      codes.set(
        statement,
        await client.query(statement).then(
          () => 'allowed',
          (error: { code: string }) => error.code,
        ),
      )
    // insufficient_privilege
    expect([...codes].filter(([, code]) => code !== '42501')).toEqual([])
    const { rows: roles } = await client.query(
      'SELECT rolsuper, rolcreatedb, rolcreaterole, rolinherit, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    )
    expect(Object.values(roles[0] as object)).toEqual([false, false, false, false, false, false])
    const { rows: others } = await client.query(
      "SELECT query FROM pg_stat_activity WHERE usename <> current_user AND query <> '<insufficient privilege>'",
    )
    expect(others).toEqual([])
    await client.end()
  })

  it('answer a host that PHP and the shell of an account can use', async () => {
    const account = await on.host.createAccount()
    const made = await makeDatabase('site', account.username)
    const who = { uid: account.uid, gid: account.gid, groups: 'none' as const }
    const [info] = await service.engines()
    const script = `[$h, $d, $u, $p] = array_slice($argv, 1);
      $q = fn($v) => "'" . addcslashes($v, "\\\\'") . "'";
      $pdo = new PDO("pgsql:host=$h;dbname=$d", $u, $p);
      $pdo->exec('CREATE TABLE t (a int)');
      $pg = pg_connect("host=$h dbname=$d user=$u password=" . $q($p));
      pg_query($pg, 'INSERT INTO t VALUES (42)');
      echo $pdo->query('SELECT a FROM t')->fetchColumn();`
    const php = asUser(who, '/usr/bin/php', [
      '-r',
      script,
      '--',
      info!.host,
      made.database,
      made.user,
      PASSWORD,
    ])
    expect((await runCommand(php.program, php.args)).stdout).toBe('42')
    const psql = asUser(who, '/usr/bin/psql', [
      '-XAtc',
      'SELECT a FROM t',
      '--',
      `host=${info!.host} dbname=${made.database} user=${made.user}`,
    ])
    const env = { PGPASSWORD: PASSWORD }
    expect((await runCommand(psql.program, psql.args, { env })).stdout).toBe('42\n')
    // As localhost, and without any host, as configurations of applications have it.
    for (const host of ['host=localhost ', 'host=::1 ', '']) {
      const dsn = `${host}dbname=${made.database} user=${made.user}`
      const shell = asUser(who, '/usr/bin/psql', ['-XAtc', 'SELECT a FROM t', '--', dsn])
      expect([host, (await runCommand(shell.program, shell.args, { env })).stdout]).toEqual([
        host,
        '42\n',
      ])
      const read = `$pg = pg_connect($argv[1]); echo pg_fetch_result(pg_query($pg, 'SELECT a FROM t'), 0);`
      const web = asUser(who, '/usr/bin/php', ['-r', read, '--', dsn])
      expect((await runCommand(web.program, web.args, { env })).stdout).toBe('42')
    }
  })

  it('lets nobody in as administrator over localhost', async () => {
    for (const [user, database] of [
      ['postgres', 'postgres'],
      ['postgres', 'template1'],
      ['nobody', 'postgres'],
    ] as const) {
      const client = new pg.Client({ host: '127.0.0.1', port: 5432, user, password: 'x', database })
      client.on('error', () => undefined)
      await expect(client.connect()).rejects.toThrow(/pg_hba.conf rejects/)
    }
  })

  it('go with their user, whatever others granted it', async () => {
    const victim = await makeDatabase('v')
    const mallory = await makeDatabase('m')
    await query(
      mallory,
      'CREATE TABLE t (a int)',
      `GRANT SELECT ON t TO "${victim.user}"`,
      `GRANT ALL ON SCHEMA public TO "${victim.user}"`,
      `ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO "${victim.user}"`,
      `CREATE POLICY p ON t TO "${victim.user}"`,
    )
    const holding = await connect(mallory)
    await holding.query('BEGIN')
    await holding.query('LOCK TABLE t')
    const held = await connect(victim)
    await service.remove({ ...victim, operationId: operationId() })
    await held.end().catch(() => undefined)
    await holding.end().catch(() => undefined)
    expect(
      await on.asAdministrator(
        'postgres',
        `SELECT FROM pg_roles WHERE rolname = '${victim.user}'`,
        `SELECT FROM pg_database WHERE datname = '${victim.database}'`,
      ),
    ).toEqual([])
    expect(await query(mallory, 'SELECT count(*)::int AS n FROM t')).toEqual([{ n: 0 }])
  })

  it('count their tables and bytes', async () => {
    const made = await makeDatabase('facts')
    await query(made, 'CREATE TABLE t (a int)', 'CREATE SCHEMA s', 'CREATE TABLE s.u (a int)')
    const [facts] = await service.facts({ username: made.username })
    expect(facts).toEqual({
      engine: 'postgresql',
      database: made.database,
      size_bytes: expect.any(Number),
      tables: 2,
    })
    expect(facts!.size_bytes).toBeGreaterThan(1_000_000)
  })

  it("divide their account's connections among its users", async () => {
    const username = on.registerAccount(randomAccountName())
    const several: Names[] = []
    for (const name of ['a', 'b', 'c']) several.push(await makeDatabase(name, username))
    const open: pg.Client[] = []
    for (let count = 0; count < 14; count += 1)
      for (const one of several) {
        const client = await connect(one).catch(() => null)
        if (client) open.push(client)
      }
    expect(open).toHaveLength(30)
    await Promise.all(open.map((client) => client.end()))
  })

  it('end open connections when they are locked, and open again as they were', async () => {
    const made = await makeDatabase('open')
    const { username } = made
    const client = await connect(made)
    const ended = new Promise((resolve) => client.once('end', resolve))
    await service.setLocked({ operationId: operationId(), username, locked: true })
    await ended
    expect(await on.canLogIn(made.user, PASSWORD, made.database)).toBe(false)
    await service.setLocked({ operationId: operationId(), username, locked: false })
    expect(await on.canLogIn(made.user, PASSWORD, made.database)).toBe(true)
  })

  it('refuse a password that programs write in different ways', async () => {
    const input = names(on.registerAccount(randomAccountName()), 'odd')
    for (const password of ['ﬁligature', 'full-width Ａ', 'soft\u00ADhyphen'])
      await expect(
        service.create({ ...input, operationId: operationId(), password }),
      ).rejects.toMatchObject({ status: 400, field: 'db_password' })
    expect(on.host.registry.databasesOf(input.username)).toEqual([])
  })

  it('leave nothing when a step fails, and a crash is settled', async () => {
    const made = names(on.registerAccount(randomAccountName()), 'undo')
    const real = on.compose()
    const failing: Engine = {
      ...real,
      whenReady: async () => undefined,
      create: async (database, user, password) => {
        await real.create(database, user, password)
        throw new Error('out of luck')
      },
    }
    const call = { ...made, operationId: operationId(), password: PASSWORD }
    await expect(on.createService(failing).create(call)).rejects.toThrow('luck')
    expect(await on.canLogIn(made.user, PASSWORD, made.database)).toBe(false)
    const gone: Engine = { ...failing, drop: () => Promise.reject(new Error('gone')) }
    const lost = { ...call, operationId: operationId() }
    await expect(on.createService(gone).create(lost)).rejects.toThrow('gone')
    expect(await on.canLogIn(made.user, PASSWORD, made.database)).toBe(true)
    service.start()
    await expect.poll(() => on.host.registry.databasesOf(made.username)).toEqual([])
    expect(await on.canLogIn(made.user, PASSWORD, made.database)).toBe(false)
  })

  it('show no password in a process list, log or file', async () => {
    const made = names(on.registerAccount(randomAccountName()), 'secret')
    const secret = `s3cret${randomAccountName()}`
    const seen: string[] = []
    const timer = setInterval(() => {
      for (const { commandLine } of findProcesses(() => true)) seen.push(commandLine)
    }, 1)
    await service.create({ ...made, operationId: operationId(), password: secret })
    await service.setPassword({ ...made, operationId: operationId(), password: `${secret}2` })
    await service.remove({ ...made, operationId: operationId() })
    clearInterval(timer)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join('\n')).not.toContain(secret)
    expect(on.host.logged.join('\n')).not.toContain(secret)
    expect(await readFile(`${on.host.directory}/log/postgresql.log`, 'utf8')).not.toContain(secret)
    for (const file of readdirSync(`${on.host.stateDir}/agent`))
      expect(readFileSync(`${on.host.stateDir}/agent/${file}`, 'latin1')).not.toContain(secret)
  })
})

databaseUsersPortContract('the agent with a real PostgreSQL', async () => {
  await untilRunning()
  return {
    databases: service,
    users: service.users,
    engine: 'postgresql',
    username: on.registerAccount(randomAccountName()),
    otherUsername: on.registerAccount(randomAccountName()),
    open: (user, password, database) =>
      openPostgresql(on.socketDirectory, user, password, database),
  }
})

postgresqlUsersAttacks(() => ({
  service,
  engine: running,
  registry: on.host.registry,
  username: on.registerAccount(randomAccountName()),
  open: (user, password, database) => openPostgresql(on.socketDirectory, user, password, database),
}))

databasesPortContract('the agent with a real PostgreSQL', async () => {
  await untilRunning()
  return {
    databases: service,
    engine: 'postgresql',
    host: on.socketDirectory,
    emptySizeBytes: expect.any(Number),
    username: on.registerAccount(randomAccountName()),
    otherUsername: on.registerAccount(randomAccountName()),
    canLogIn: on.canLogIn,
    dispose: async () => undefined,
  }
})
