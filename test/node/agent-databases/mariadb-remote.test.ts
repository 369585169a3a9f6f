import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseRemotePortContract } from '#test/contract/databases/database-remote-port.ts'
import { openMariadb } from './open-database.ts'
import { openOtherMachine } from './remote-network.ts'
import type { OtherMachine } from './remote-network.ts'
import {
  createRemoteHost,
  newPair,
  openMariadbFrom,
  PASSWORD,
  SERVER_NAME,
} from './remote-subject.ts'
import type { RemoteHost } from './remote-subject.ts'

let on: RemoteHost
beforeAll(async () => {
  on = await createRemoteHost('mariadb')
  on.service.start()
  await on.engine.whenReady()
})
afterAll(async () => {
  await on.service.stop()
  await on.host.dispose()
})

databaseRemotePortContract('MariaDB', async () => ({
  databases: on.service,
  users: on.service.users,
  remote: on.service.remote,
  engine: 'mariadb',
  username: on.registerAccount(),
  otherUsername: on.registerAccount(),
  open: (from, user, password, database) =>
    openMariadbFrom(on, from, { user, password, database }, { ca: on.pair.cert }),
}))

describe('MariaDB from another machine', () => {
  let machine: OtherMachine
  let username = ''
  let shop = ''
  let ca = ''
  const SIX = {
    first: '2001:db8:77::7',
    long: '2001:db8:77:0:1:2:3:4',
    second: '2001:db8:77:1::5',
    third: '2001:db8:77:1:2:3:4:5',
  }

  const letIn = (addresses: string[]) =>
    on.service.remote.setAddresses({ operationId: randomUUID(), username, addresses })
  /** What Debian's client answers. */
  const client = (from: string, statement: string, ...more: string[]) =>
    machine.run(
      from,
      '/usr/bin/mariadb',
      [
        '--no-defaults',
        `--host=${from.includes(':') ? machine.server.six : machine.server.four}`,
        `--port=${on.port}`,
        `--user=${shop}`,
        ...more,
        '--batch',
        '--skip-column-names',
        `--execute=${statement}`,
        shop,
      ],
      { MYSQL_PWD: PASSWORD },
    )
  const over = (from: string, statement = 'SELECT 42') =>
    client(from, statement, '--ssl', `--ssl-ca=${ca}`)
  const asRoot = (sql: string) =>
    openMariadb(on.socket, 'root', '', 'mysql').then(async (open) => {
      const rows = await open.run(sql)
      await open.end()
      return rows
    })

  beforeAll(async () => {
    machine = openOtherMachine(['198.51.100.7', '198.51.100.99', ...Object.values(SIX)], {
      four: '198.51.100.1',
      six: '2001:db8:77::1',
    })
    username = on.registerAccount()
    shop = `${username}_shop`
    await on.service.create({
      ...{ operationId: randomUUID(), username, engine: 'mariadb', database: shop, user: shop },
      password: PASSWORD,
    })
    ca = `${on.host.directory}/ca.pem`
    await writeFile(ca, on.pair.cert)
  })
  afterAll(() => machine.close())

  it('serves Debian’s client over TLS, which takes no other certificate and no plain connection', async () => {
    await letIn(['198.51.100.7'])
    expect(await over('198.51.100.7', "SHOW STATUS LIKE 'Ssl_version'")).toMatch(/TLSv1\.[23]/)
    expect(await over('198.51.100.99')).toContain('is not allowed to connect')
    const plain = await client('198.51.100.7', 'SELECT 42', '--skip-ssl')
    expect(plain).not.toContain('42\n')
    expect(plain).toMatch(/secure transport|Access denied|SSL/i)
    await writeFile(ca, newPair().cert)
    expect(await over('198.51.100.7')).toMatch(/certificate/i)
    await writeFile(ca, on.pair.cert)
    expect(await over('198.51.100.7')).toBe('42\n')
  })

  it('is known by its name to a client that verifies it, and by no other', async () => {
    await letIn(['198.51.100.7'])
    const hosts = `${on.host.directory}/hosts`
    await writeFile(hosts, `198.51.100.1 ${SERVER_NAME} other.example\n`)
    const verified = (name: string) =>
      machine.run(
        '198.51.100.7',
        '/usr/bin/unshare',
        [
          ...['--mount', '/bin/sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts],
          ...['/usr/bin/mariadb', '--no-defaults', `--host=${name}`, `--port=${on.port}`],
          ...[`--user=${shop}`, '--ssl', `--ssl-ca=${ca}`, '--ssl-verify-server-cert'],
          ...['--batch', '--skip-column-names', '--execute=SELECT 42', shop],
        ],
        { MYSQL_PWD: PASSWORD },
      )
    expect(await verified(SERVER_NAME)).toBe('42\n')
    expect(await verified('other.example')).toMatch(/certificate|name/i)
  })

  it('tells blocks of IPv6 apart, however their zeros are written', async () => {
    const inside = async () => {
      const names: string[] = []
      for (const [name, from] of Object.entries(SIX))
        if ((await over(from)) === '42\n') names.push(name)
      return names
    }
    await letIn(['2001:db8:77::/64'])
    expect(await inside()).toEqual(['first', 'long'])
    await letIn(['2001:db8:77:1::/64'])
    expect(await inside()).toEqual(['second', 'third'])
    await letIn(['2001:db8:77::/48'])
    expect(await inside()).toEqual(['first', 'long', 'second', 'third'])
    await letIn(['2001:db8:77:1::5', '2001:db8:76::/48'])
    expect(await inside()).toEqual(['second'])
  })

  it('makes no objects that name their maker, reads no files and becomes nobody else', async () => {
    await letIn(['198.51.100.7'])
    expect(await over('198.51.100.7', 'CREATE TABLE t (a int); INSERT INTO t VALUES (1)')).toBe('')
    for (const statement of [
      'CREATE VIEW v AS SELECT * FROM t',
      'CREATE PROCEDURE p() DELETE FROM t',
      'CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1',
      'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t',
      "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t",
      "LOAD DATA INFILE '/etc/hostname' INTO TABLE t",
      'SELECT * FROM mysql.global_priv',
      `GRANT SELECT ON ${shop}.* TO ${shop}@'%'`,
      'SET GLOBAL require_secure_transport = OFF',
    ])
      expect(
        await client('198.51.100.7', statement, '--ssl', `--ssl-ca=${ca}`, '--local-infile=1'),
        statement,
      ).toMatch(/^ERROR/m)
  })

  it('lets the server’s own administrators in from nowhere', async () => {
    for (const user of ['root', 'mariadb.sys', '', 'mysql'])
      expect(
        await machine.run('198.51.100.7', '/usr/bin/mariadb', [
          ...['--no-defaults', `--host=${machine.server.four}`, `--port=${on.port}`],
          ...[`--user=${user}`, '--ssl', `--ssl-ca=${ca}`, '--execute=SELECT 42'],
        ]),
      ).toMatch(/Access denied|not allowed/)
    const rows = await asRoot(
      "SELECT user, host, JSON_VALUE(priv, '$.ssl_type') AS tls FROM mysql.global_priv WHERE host <> 'localhost'",
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(String(row['user'])).toMatch(/^bt[0-9a-z]+_/)
      expect(String(row['tls'])).toBe('1')
      expect(String(row['host'])).not.toBe('%')
    }
  })

  it('takes up a renewed certificate without a restart', async () => {
    const before = await asRoot("SHOW STATUS LIKE 'Uptime_since_flush_status'")
    expect(before).toHaveLength(1)
    const open = await openMariadb(on.socket, shop, PASSWORD, shop)
    on.pair = newPair()
    await on.listener().lay()
    await on.engine.remote.renewCertificate()
    expect(await over('198.51.100.7')).toMatch(/certificate/i)
    await writeFile(ca, on.pair.cert)
    expect(await over('198.51.100.7')).toBe('42\n')
    expect(await open.run('SELECT 1 AS a')).toEqual([{ a: 1 }])
    await open.end()
  })

  it('bears as many addresses as an account may have, one within the other', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `198.51.${at + 100}.0/24`)
    await letIn([...many, '198.51.0.0/16', '198.51.100.7'])
    expect(await over('198.51.100.7')).toBe('42\n')
    expect(await over('198.51.100.99')).toBe('42\n')
    await letIn(['198.51.100.99'])
    expect(await over('198.51.100.7')).toContain('not allowed')
    expect(await over('198.51.100.99')).toBe('42\n')
  })

  it('is the machine’s own again once it is turned off', async () => {
    await on.service.stop()
    const { service, engine } = on.compose(false)
    try {
      service.start()
      await engine.whenReady()
      await expect
        .poll(() => asRoot("SELECT user FROM mysql.global_priv WHERE host <> 'localhost'"), {
          timeout: 20_000,
        })
        .toEqual([])
      expect(await over('198.51.100.99')).toMatch(/connect to|Can't connect/)
      const state = await service.remote.state()
      expect(state.engines).toEqual([{ engine: 'mariadb', port: null, problem: null }])
      const open = await openMariadb(on.socket, shop, PASSWORD, shop)
      await open.end()
    } finally {
      await service.stop()
    }
    // What was allowed counts again when it is turned on.
    Object.assign(on, on.compose(true))
    on.service.start()
    await on.engine.whenReady()
    await expect.poll(() => over('198.51.100.99'), { timeout: 20_000 }).toBe('42\n')
  })
})
