import { randomUUID } from 'node:crypto'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseRemotePortContract } from '#test/contract/databases/database-remote-port.ts'
import { openPostgresqlAt } from './open-database.ts'
import { openOtherMachine } from './remote-network.ts'
import type { OtherMachine } from './remote-network.ts'
import {
  createRemoteHost,
  newPair,
  openPostgresqlFrom,
  PASSWORD,
  SERVER_NAME,
} from './remote-subject.ts'
import type { RemoteHost } from './remote-subject.ts'

let on: RemoteHost
beforeAll(async () => {
  on = await createRemoteHost('postgresql')
  on.service.start()
  await on.engine.whenReady()
})
afterAll(async () => {
  await on.service.stop()
  await on.host.dispose()
})

databaseRemotePortContract('PostgreSQL', async () => ({
  databases: on.service,
  users: on.service.users,
  remote: on.service.remote,
  engine: 'postgresql',
  username: on.registerAccount(),
  otherUsername: on.registerAccount(),
  open: (from, user, password, database) =>
    openPostgresqlFrom(on, from, { user, password, database }, { ca: on.pair.cert }),
}))

describe('PostgreSQL from another machine', () => {
  let machine: OtherMachine
  let username = ''
  let shop = ''
  let ca = ''
  const NEAR = '198.51.101.7'
  const FAR = '198.51.101.99'
  const SIX = ['2001:db8:78::7', '2001:db8:78:1::5']

  const letIn = (addresses: string[], name = username) =>
    on.service.remote.setAddresses({ operationId: randomUUID(), username: name, addresses })
  const made = async (name: string) => {
    const database = `${name}_shop`
    await on.service.create({
      ...{ operationId: randomUUID(), username: name, engine: 'postgresql', database },
      ...{ user: database, password: PASSWORD },
    })
    return database
  }
  /** What Debian's client answers. */
  const client = (
    from: string,
    statement: string,
    { mode = 'verify-full', user = shop, database = shop } = {},
  ) =>
    machine.run(
      from,
      '/usr/bin/psql',
      [
        `host=${SERVER_NAME} hostaddr=${from.includes(':') ? machine.server.six : machine.server.four} port=${on.port} user=${user} dbname=${database} sslmode=${mode} sslrootcert=${ca} connect_timeout=10`,
        ...['-XAtq', '-c', statement],
      ],
      { PGPASSWORD: PASSWORD },
    )
  const asAdministrator = async (sql: string) => {
    const open = await openPostgresqlAt(on.socket, on.port, 'postgres', '', 'postgres')
    const rows = await open.run(sql)
    await open.end()
    return rows
  }

  beforeAll(async () => {
    machine = openOtherMachine([NEAR, FAR, ...SIX], {
      four: '198.51.101.1',
      six: '2001:db8:78::1',
    })
    username = on.registerAccount()
    shop = await made(username)
    ca = `${on.host.directory}/ca.pem`
    await writeFile(ca, on.pair.cert)
  })
  afterAll(() => machine.close())

  it('serves Debian’s client over TLS, which takes no other certificate and no plain connection', async () => {
    await letIn([NEAR])
    expect(
      await client(NEAR, 'SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    ).toMatch(/^TLSv1\.[23]\n$/)
    expect(await client(FAR, 'SELECT 42')).toContain('no pg_hba.conf entry')
    expect(await client(NEAR, 'SELECT 42', { mode: 'disable' })).toContain('no pg_hba.conf entry')
    await writeFile(ca, newPair().cert)
    expect(await client(NEAR, 'SELECT 42')).toMatch(/certificate verify failed/)
    await writeFile(ca, on.pair.cert)
    expect(await client(NEAR, 'SELECT 42')).toBe('42\n')
  })

  it('tells blocks of IPv6 apart', async () => {
    await letIn(['2001:db8:78:1::/64'])
    const answers = () =>
      SIX.reduce<Promise<boolean[]>>(
        async (before, from) => [...(await before), (await client(from, 'SELECT 42')) === '42\n'],
        Promise.resolve([]),
      )
    expect(await answers()).toEqual([false, true])
    await letIn(['2001:db8:78::/48'])
    expect(await answers()).toEqual([true, true])
  })

  it('lets in to the account’s databases alone, and the administrator from nowhere', async () => {
    const other = await made(on.registerAccount())
    await letIn([NEAR])
    for (const [user, database] of [
      [shop, other],
      [shop, 'postgres'],
      [shop, 'template1'],
      ['postgres', shop],
      ['postgres', 'postgres'],
      [other, other],
      [other, shop],
      ['all', shop],
      [`${shop},postgres`, shop],
    ])
      expect(await client(NEAR, 'SELECT 42', { user, database }), `${user} ${database}`).toMatch(
        /pg_hba.conf|FATAL/,
      )
    const rules = await asAdministrator(
      "SELECT database, user_name, auth_method FROM pg_hba_file_rules WHERE type = 'hostssl'",
    )
    expect(rules).toEqual([{ database: [shop], user_name: [shop], auth_method: 'scram-sha-256' }])
  })

  it('takes nothing that somebody put beside the rules', async () => {
    const file = `${on.host.stateDir}/databases/postgresql-remote.conf`
    const before = await readFile(file, 'utf8')
    await appendFile(
      file,
      'host all all 0.0.0.0/0 trust\nhostssl "x" "x" 0.0.0.0/0 scram-sha-256\nhostssl "a_b" "a_b" 1.2.3.4/32 scram-sha-256 include_all\n',
    )
    await letIn([FAR])
    expect(await readFile(file, 'utf8')).not.toContain('trust')
    await letIn([NEAR])
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await client(NEAR, 'SELECT 42')).toBe('42\n')
  })

  it('takes up a renewed certificate without a restart', async () => {
    const open = await openPostgresqlAt(on.socket, on.port, shop, PASSWORD, shop)
    on.pair = newPair()
    await on.listener().lay()
    await on.engine.remote.renewCertificate()
    expect(await client(NEAR, 'SELECT 42')).toMatch(/certificate verify failed/)
    await writeFile(ca, on.pair.cert)
    expect(await client(NEAR, 'SELECT 42')).toBe('42\n')
    expect(await open.run('SELECT 1 AS a')).toEqual([{ a: 1 }])
    await open.end()
  })

  it('bears thousands of addresses of many accounts', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `198.51.${at + 102}.0/24`)
    for (let count = 0; count < 30; count += 1) {
      const name = on.registerAccount()
      on.host.registry.addDatabase({
        ...{ engine: 'postgresql', database: `${name}_shop`, user: `${name}_shop` },
        ...{ username: name, locked: false },
      })
      on.host.registry.putDatabaseAddresses(name, many)
    }
    const began = performance.now()
    await letIn([NEAR, FAR])
    expect(performance.now() - began).toBeLessThan(5000)
    const [row] = await asAdministrator(
      "SELECT count(*)::int AS rules FROM pg_hba_file_rules WHERE type = 'hostssl'",
    )
    expect(row).toEqual({ rules: 3002 })
    expect(await client(FAR, 'SELECT 42')).toBe('42\n')
  })

  it('is the machine’s own again once it is turned off', async () => {
    await on.service.stop()
    const { service, engine } = on.compose(false)
    try {
      service.start()
      await engine.whenReady()
      const open = await openPostgresqlAt(on.socket, 5432, shop, PASSWORD, shop)
      const rows = await open.run('SHOW listen_addresses')
      expect(JSON.stringify(rows)).not.toContain('*')
      await open.end()
      const hba = await readFile(`${on.host.stateDir}/databases/postgresql-hba.conf`, 'utf8')
      expect(hba).not.toContain('hostssl')
      const state = await service.remote.state()
      expect(state.engines).toEqual([{ engine: 'postgresql', port: null, problem: null }])
    } finally {
      await service.stop()
    }
    // What was allowed counts again when it is turned on.
    Object.assign(on, on.compose(true))
    on.service.start()
    await on.engine.whenReady()
    await expect.poll(() => client(FAR, 'SELECT 42'), { timeout: 20_000 }).toBe('42\n')
  })
})
