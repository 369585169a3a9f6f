import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import mysql from 'mysql2/promise'
import type { Connection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { databaseUsersPortContract } from '#test/contract/databases/database-users-port.ts'
import { databasesPortContract } from '#test/contract/databases/databases-port.ts'
import { createHostFixture, randomAccountName } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'
import { mariadbUsersAttacks } from './mariadb-users.ts'
import { openMariadb } from './open-database.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const PASSWORD = 'correct horse 9 battery'
let host: HostFixture
let socketPath = ''
let service: DatabasesService
let presentAtStart = true
let serial = 0
const operationId = (): string => `op-${(serial += 1)}`

const compose = (): { engines: Engine[]; mariadbSocket: string | null } =>
  composeEngines(
    {
      mariadb: 'managed',
      mariadb_socket: '/nowhere',
      postgresql: 'off',
      postgresql_socket: '/nowhere/.s.PGSQL.5432',
    },
    { state_dir: host.stateDir, run_dir: host.runDir, log_dir: `${host.directory}/log` },
    host.log,
  )

const createService = (): DatabasesService => {
  const { engines, mariadbSocket } = compose()
  socketPath = mariadbSocket ?? ''
  return createDatabasesPort({ registry: host.registry, lock: host.lock, engines, log: host.log })
}

const servers = (): ProcessFacts[] =>
  findProcesses(
    ({ commandLine, exe }) =>
      Boolean(exe?.endsWith('/mariadbd')) && commandLine.includes(host.stateDir),
  )

/** An account of the registry alone: databases need no OS user. */
const registerAccount = (username: string): string => {
  host.registry.records.reserve(
    { username, home: `${host.directory}/home/${username}`, diskQuotaMb: 0 },
    { isFree: () => true },
  )
  host.registry.records.setState(username, 'ready')
  return username
}

const connect = (user: string, password: string, database?: string): Promise<Connection> =>
  mysql.createConnection({ socketPath, user, password, ...(database ? { database } : {}) })

const canLogIn = async (user: string, password: string, database: string): Promise<boolean> => {
  try {
    const connection = await connect(user, password, database)
    await connection.end()
    return true
  } catch {
    return false
  }
}

const names = (username: string, name: string) => ({
  username,
  engine: 'mariadb' as const,
  database: `${username}_${name}`,
  user: `${username}_${name}`,
})

beforeAll(async () => {
  host = await createHostFixture()
  await mkdir(`${host.directory}/log`)
  service = createService()
  service.start()
  presentAtStart = existsSync(socketPath)
  service.start()
})
afterAll(async () => {
  await service.stop()
  await host.dispose()
})

describe('the private MariaDB server', () => {
  it('is initialised in the background and serves without a network port', async () => {
    // Looked at before anything else could run: starting had left all work for later.
    expect(presentAtStart).toBe(false)
    await expect
      .poll(async () => (await service.engines())[0]?.running, { timeout: 90_000 })
      .toBe(true)
    const [server] = servers()
    expect(readFileSync(`/proc/${server!.pid}/status`, 'utf8')).toMatch(/^CapEff:\t0+$/m)
    expect(server!.uid).not.toBe(0)
    expect((await stat(`${host.stateDir}/databases/mariadb`)).mode & 0o777).toBe(0o700)
    expect((await stat(socketPath)).mode & 0o777).toBe(0o777)
    expect(readlinkSync('/run/mysqld/mysqld.sock')).toBe(socketPath)
    const administrator = await mysql.createConnection({ socketPath, user: 'root' })
    const [rows] = await administrator.query('SELECT user AS name FROM mysql.user ORDER BY user')
    await administrator.end()
    expect(rows).toEqual([{ name: 'mariadb.sys' }, { name: 'root' }])
  })

  it('lets no other OS user in as administrator', async () => {
    const script = `try { new mysqli('localhost', $argv[1], '', '', 0, '${socketPath}'); echo 'in'; }
      catch (Throwable $e) { echo 'out'; }`
    for (const user of ['root', 'mysql', 'mariadb.sys', '']) {
      const as = asUser({ uid: 65534, gid: 65534, groups: 'none' }, '/usr/bin/php', [
        '-r',
        script,
        '--',
        user,
      ])
      expect([user, (await runCommand(as.program, as.args)).stdout]).toEqual([user, 'out'])
    }
  })

  it('starts again when it is killed', async () => {
    const [server] = servers()
    process.kill(server!.pid, 'SIGKILL')
    await expect
      .poll(
        async () => {
          // In this order: what was killed is still there for a moment, and said to run.
          const [next] = servers()
          if (next === undefined || next.pid === server!.pid) return false
          return (await service.engines())[0]?.running
        },
        {
          timeout: 90_000,
        },
      )
      .toBe(true)
  })

  it('outlives a killed agent, is adopted, and stops with the agent', async () => {
    await service.stop()
    expect(servers()).toEqual([])
    const script = new URL('./lost-agent.ts', import.meta.url).pathname
    const input = {
      state_dir: host.stateDir,
      run_dir: host.runDir,
      log_dir: `${host.directory}/log`,
    }
    const agent = spawn(process.execPath, [script, JSON.stringify(input), 'mariadb'], {
      stdio: 'ignore',
    })
    expect(await once(agent, 'exit')).toEqual([null, 'SIGKILL'])
    const [left] = servers()
    expect(left).toBeDefined()
    service = createService()
    service.start()
    expect((await service.engines())[0]?.running).toBe(true)
    expect(servers().map(({ pid }) => pid)).toEqual([left!.pid])
    await service.stop()
    expect(servers()).toEqual([])
    service = createService()
    service.start()
    await service.engines()
  })
})

describe('databases', () => {
  it("are what localhost means to an account's command line", async () => {
    const account = await host.createAccount()
    const made = names(account.username, 'site')
    await service.create({ operationId: operationId(), ...made, password: PASSWORD })
    const who = { uid: account.uid, gid: account.gid, groups: 'none' as const }
    const script = `[, $d, $u, $p] = $argv;
      $one = new mysqli('localhost', $u, $p, $d);
      $one->query('CREATE TABLE t (a int)');
      $two = new PDO("mysql:host=localhost;dbname=$d", $u, $p);
      echo $two->exec('INSERT INTO t VALUES (42)');`
    const args = ['-r', script, '--', made.database, made.user, PASSWORD]
    const php = asUser(who, '/usr/bin/php', args)
    expect((await runCommand(php.program, php.args)).stdout).toBe('1')
    const dump = ['-h', 'localhost', '-u', made.user, '-Ne', 'SELECT a FROM t', made.database]
    const client = asUser(who, '/usr/bin/mariadb', dump)
    const env = { MYSQL_PWD: PASSWORD }
    expect((await runCommand(client.program, client.args, { env })).stdout).toBe('42\n')
  })

  it('gives a user its database and nothing else, underscores notwithstanding', async () => {
    const base = randomAccountName()
    // In a GRANT pattern `bt1_x` would also mean `bt1ax`.
    const one = names(registerAccount(base), 'x')
    const two = names(registerAccount(`${base}a`), 'x')
    await service.create({ ...one, operationId: operationId(), password: PASSWORD })
    await service.create({ ...two, operationId: operationId(), password: PASSWORD })
    const administrator = await mysql.createConnection({ socketPath, user: 'root' })
    await administrator.query(`CREATE DATABASE \`${base}ax\``)
    try {
      const connection = await connect(one.user, PASSWORD)
      const [visible] = await connection.query<mysql.RowDataPacket[]>('SHOW DATABASES')
      expect(visible.map((row) => row['Database']).sort()).toEqual(
        [one.database, 'information_schema'].sort(),
      )
      await connection.query(`CREATE TABLE ${one.database}.t (a INT)`)
      const refused = [
        `CREATE TABLE ${base}ax.t (a INT)`,
        `SELECT * FROM ${two.database}.t`,
        'CREATE DATABASE other',
        "CREATE USER other@localhost IDENTIFIED BY 'x'",
        `GRANT SELECT ON ${one.database}.* TO '${two.user}'@'localhost'`,
        "SELECT LOAD_FILE('/etc/passwd') INTO OUTFILE '/tmp/bt-out'",
        'SELECT * FROM mysql.global_priv',
        'SET GLOBAL general_log = 1',
        'SHUTDOWN',
      ]
      for (const statement of refused)
        await expect(connection.query(statement), statement).rejects.toThrow(/denied|command/i)
      await connection.end()
    } finally {
      await administrator.query(`DROP DATABASE \`${base}ax\``)
      await administrator.end()
    }
  })

  it('keeps tables in their own database, whatever DATA DIRECTORY says', async () => {
    const mallory = names(registerAccount(randomAccountName()), 'x')
    await service.create({ ...mallory, operationId: operationId(), password: PASSWORD })
    // A tenant could turn its directory into a link to another's tables later.
    const elsewhere = temporaryDirectory('bt-data-')
    await chmod(elsewhere, 0o777)
    const connection = await connect(mallory.user, PASSWORD, mallory.database)
    await connection.query('SET SESSION innodb_strict_mode = OFF')
    for (const engine of ['InnoDB', 'MyISAM', 'Aria'])
      await connection.query(
        `CREATE TABLE t_${engine} (a INT) ENGINE=${engine} DATA DIRECTORY='${elsewhere}' INDEX DIRECTORY='${elsewhere}'`,
      )
    await connection.end()
    expect(readdirSync(elsewhere)).toEqual([])
    const own = readdirSync(`${host.stateDir}/databases/mariadb/${mallory.database}`)
    expect(own).toContain('t_InnoDB.ibd')
    expect(own.filter((name) => name.endsWith('.isl'))).toEqual([])
  })

  it('go although foreign files lie in the directory', async () => {
    const it = names(registerAccount(randomAccountName()), 'left')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    const directory = `${host.stateDir}/databases/mariadb/${it.database}`
    const outside = `${host.directory}/outside`
    await mkdir(outside)
    await writeFile(`${outside}/kept`, '')
    const { uid, gid } = await stat(directory)
    const as = asUser({ uid, gid, groups: 'none' }, '/bin/mkdir', [`${directory}/sub`])
    await mustRun(as.program, as.args)
    await writeFile(`${directory}/sub/t.ibd`, '')
    await writeFile(`${directory}/t.isl`, '/nowhere')
    await symlink(outside, `${directory}/sub/link`)
    await service.remove({ ...it, operationId: operationId() })
    expect(existsSync(directory)).toBe(false)
    expect(existsSync(`${outside}/kept`)).toBe(true)
    expect(host.registry.databasesOf(it.username)).toEqual([])
  })

  it('go although a prepared transaction holds their tables', async () => {
    const it = names(registerAccount(randomAccountName()), 'xa')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    const first = await connect(it.user, PASSWORD, it.database)
    await first.query('CREATE TABLE t (a INT) ENGINE=InnoDB')
    await first.end()
    for (const xid of ["'x'", "'a\\'b','c'", "'b',''", "X'00ff','y',7"]) {
      const connection = await connect(it.user, PASSWORD, it.database)
      for (const statement of [`START ${xid}`, '', `END ${xid}`, `PREPARE ${xid}`])
        await connection.query(statement === '' ? 'INSERT INTO t VALUES (1)' : `XA ${statement}`)
      connection.destroy()
    }
    await service.remove({ ...it, operationId: operationId() })
    expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(false)
  })

  it("divide their account's connections among its users", async () => {
    const username = registerAccount(randomAccountName())
    const several = ['a', 'b', 'c'].map((name) => names(username, name))
    for (const one of several)
      await service.create({ ...one, operationId: operationId(), password: PASSWORD })
    const most = async (): Promise<number> => {
      const connections: Connection[] = []
      try {
        for (let count = 0; count <= 60; count += 1)
          for (const one of several) {
            const made = await connect(one.user, PASSWORD).catch(() => null)
            if (made) connections.push(made)
          }
        return connections.length
      } finally {
        await Promise.all(connections.map((connection) => connection.end()))
      }
    }
    expect(await most()).toBe(30)
    await service.remove({ ...several[0]!, operationId: operationId() })
    expect(await most()).toBe(30)
  })

  it('ends statements that were forgotten, unless a connection asks otherwise', async () => {
    const it = names(registerAccount(randomAccountName()), 'slow')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    const connection = await connect(it.user, PASSWORD, it.database)
    const limit = async (): Promise<number> => {
      const [rows] = await connection.query<mysql.RowDataPacket[]>('SELECT @@max_statement_time v')
      return Number(rows[0]?.['v'])
    }
    expect(await limit()).toBe(600)
    await connection.query('SET SESSION max_statement_time = 0')
    expect(await limit()).toBe(0)
    await connection.end()
  })

  it('counts tables and bytes', async () => {
    const it = names(registerAccount(randomAccountName()), 'facts')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    const connection = await connect(it.user, PASSWORD, it.database)
    await connection.query('CREATE TABLE t (a INT)')
    await connection.end()
    const [facts] = await service.facts({ username: it.username })
    expect(facts?.tables).toBe(1)
    expect(facts?.size_bytes).toBeGreaterThan(0)
  })

  it('ends open connections when it locks or removes', async () => {
    const it = names(registerAccount(randomAccountName()), 'open')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    const { username } = it
    for (const close of [
      () => service.setLocked({ operationId: operationId(), username, locked: true }),
      () => service.remove({ ...it, operationId: operationId() }),
    ]) {
      const connection = await connect(it.user, PASSWORD, it.database)
      const ended = new Promise((resolve) => connection.once('error', resolve))
      await close()
      await ended
      connection.destroy()
      expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(false)
      await service.setLocked({ operationId: operationId(), username, locked: false })
    }
  })

  it('are removed from inside the lock of an account that goes', async () => {
    const it = names(registerAccount(randomAccountName()), 'last')
    await service.create({ ...it, operationId: operationId(), password: PASSWORD })
    await host.lock(it.username, () => service.remove({ ...it, operationId: operationId() }))
    expect(host.registry.databasesOf(it.username)).toEqual([])
  })

  it('are not created for an account that goes meanwhile', async () => {
    const it = names(registerAccount(randomAccountName()), 'late')
    const [real] = compose().engines
    const slow: Engine = {
      ...real!,
      whenReady: async () => undefined,
      exists: async (database, user) => {
        const found = await real!.exists(database, user)
        host.registry.records.setState(it.username, 'removing')
        return found
      },
    }
    const { registry, lock, log } = host
    const port = createDatabasesPort({ registry, lock, log, engines: [slow] })
    await expect(
      port.create({ ...it, operationId: operationId(), password: PASSWORD }),
    ).rejects.toMatchObject({ status: 404 })
    expect(host.registry.databasesOf(it.username)).toEqual([])
    expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(false)
  })

  it('leaves alone what it did not make', async () => {
    const it = names(registerAccount(randomAccountName()), 'foreign')
    const administrator = await mysql.createConnection({ socketPath, user: 'root' })
    await administrator.query(`CREATE DATABASE ${it.database}`)
    await expect(
      service.create({ ...it, operationId: operationId(), password: PASSWORD }),
    ).rejects.toMatchObject({ status: 409 })
    await service.remove({ ...it, operationId: operationId() })
    const [rows] = await administrator.query(`SHOW DATABASES LIKE '${it.database}'`)
    expect(rows).toHaveLength(1)
    await administrator.query(`DROP DATABASE ${it.database}`)
    await administrator.end()
  })

  it('leaves nothing when a step fails, and settles what a crash left', async () => {
    const it = names(registerAccount(randomAccountName()), 'undo')
    const { engines } = compose()
    const [real] = engines
    const failing: Engine = {
      ...real!,
      create: async (database, user, password) => {
        await real!.create(database, user, password)
        throw new Error('out of luck')
      },
    }
    const port = (engine: Engine): DatabasesService =>
      createDatabasesPort({
        registry: host.registry,
        lock: host.lock,
        engines: [engine],
        log: host.log,
      })
    const call = { ...it, operationId: operationId(), password: PASSWORD }
    await expect(
      port({ ...failing, whenReady: async () => undefined }).create(call),
    ).rejects.toThrow('luck')
    expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(false)
    expect(host.registry.databasesOf(it.username)).toEqual([])

    // The server goes away before the undo: the operation stays open.
    const gone: Engine = {
      ...failing,
      whenReady: async () => undefined,
      drop: () => Promise.reject(new Error('gone')),
    }
    const lost = { ...call, operationId: operationId() }
    await expect(port(gone).create(lost)).rejects.toThrow('gone')
    expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(true)
    service.start()
    await expect.poll(() => host.registry.databasesOf(it.username)).toEqual([])
    expect(await canLogIn(it.user, PASSWORD, it.database)).toBe(false)
  })

  it('shows the password in no process list, log or file', async () => {
    const it = names(registerAccount(randomAccountName()), 'secret')
    const secret = `s3cret${randomAccountName()}`
    const seen: string[] = []
    const timer = setInterval(() => {
      for (const { commandLine } of findProcesses(() => true)) seen.push(commandLine)
    }, 1)
    await service.create({ ...it, operationId: operationId(), password: secret })
    await service.remove({ ...it, operationId: operationId() })
    clearInterval(timer)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join('\n')).not.toContain(secret)
    expect(host.logged.join('\n')).not.toContain(secret)
    expect(await readFile(`${host.directory}/log/mariadb.log`, 'utf8')).not.toContain(secret)
    for (const file of readdirSync(`${host.stateDir}/agent`))
      expect(readFileSync(`${host.stateDir}/agent/${file}`, 'latin1')).not.toContain(secret)
  })
})

describe('a login that is lent', () => {
  it('has the rights of the user beside his own, and none once it is taken back', async () => {
    const username = registerAccount(randomAccountName())
    const input = names(username, 'lent')
    await service.create({ ...input, operationId: operationId(), password: PASSWORD })
    const [engine] = compose().engines
    const { user, password, server } = await engine!.lend(input.database, input.user)
    expect([user, server]).toEqual([input.user, `localhost:${socketPath}`])
    expect(await canLogIn(user, password, input.database)).toBe(true)
    expect(await canLogIn(input.user, PASSWORD, input.database)).toBe(true)
    const again = await engine!.lend(input.database, input.user)
    expect(await canLogIn(user, password, input.database)).toBe(false)
    const connection = await connect(user, again.password, input.database)
    await connection.query('CREATE VIEW v AS SELECT 1 AS one')
    await connection.end()
    await engine!.takeBack(input.database, input.user, user)
    expect(await canLogIn(user, again.password, input.database)).toBe(false)
    expect(await canLogIn(input.user, PASSWORD, input.database)).toBe(true)
    const own = await connect(input.user, PASSWORD, input.database)
    expect((await own.query('SELECT one FROM v'))[0]).toEqual([{ one: 1 }])
    await own.end()
    // A lock holds for both.
    const third = await engine!.lend(input.database, input.user)
    await service.setLocked({ operationId: operationId(), username, locked: true })
    expect(await canLogIn(user, third.password, input.database)).toBe(false)
    await engine!.takeBack(input.database, input.user, user)
    expect(await canLogIn(input.user, PASSWORD, input.database)).toBe(false)
    const root = await mysql.createConnection({ socketPath, user: 'root' })
    const [rows] = await root.query(
      `SELECT JSON_LENGTH(priv, '$.auth_or') AS ways FROM mysql.global_priv WHERE user = '${user}'`,
    )
    await root.end()
    expect(rows).toEqual([{ ways: 1 }])
  })
})

databaseUsersPortContract('the agent with a real MariaDB', async () => {
  await service.engines()
  return {
    databases: service,
    users: service.users,
    engine: 'mariadb',
    username: registerAccount(randomAccountName()),
    otherUsername: registerAccount(randomAccountName()),
    open: (user, password, database) => openMariadb(socketPath, user, password, database),
  }
})

mariadbUsersAttacks(() => ({
  service,
  engine: compose().engines[0]!,
  registry: host.registry,
  username: registerAccount(randomAccountName()),
  open: (user, password, database) => openMariadb(socketPath, user, password, database),
}))

databasesPortContract('the agent with a real MariaDB', async () => {
  await service.engines()
  return {
    databases: service,
    engine: 'mariadb',
    host: 'localhost',
    emptySizeBytes: 0,
    username: registerAccount(randomAccountName()),
    otherUsername: registerAccount(randomAccountName()),
    canLogIn,
    dispose: async () => undefined,
  }
})
