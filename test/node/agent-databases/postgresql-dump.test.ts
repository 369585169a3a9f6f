import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { randomAccountName } from '#test/node/agent-php/host-fixture.ts'
import { createPostgresqlFixture } from './postgresql-fixture.ts'
import type { PostgresqlFixture } from './postgresql-fixture.ts'

const PASSWORD = 'correct horse 9 battery'
let on: PostgresqlFixture
let service: DatabasesService
let engine: Engine
let account: RegisteredAccount
let serial = 0
const operationId = (): string => `op-${(serial += 1)}`

const makeDatabase = async (name: string, username = account.username) => {
  const full = `${username}_${name}`
  const made = { username, engine: 'postgresql' as const, database: full, user: full }
  await service.create({ ...made, operationId: operationId(), password: PASSWORD })
  return made
}
const query = async (database: string, ...statements: string[]): Promise<unknown[]> => {
  const client = await on.connect(database, PASSWORD, database)
  try {
    const rows: unknown[] = []
    for (const statement of statements) rows.push(...(await client.query(statement)).rows)
    return rows
  } finally {
    await client.end()
  }
}
const restore = (database: string, dump: string): Promise<void> => {
  const runAs = { uid: account.uid, gid: account.gid, groups: 'none' as const }
  return engine.restore({ database, user: database, runAs }, Readable.from([Buffer.from(dump)]))
}
/** Roles and databases that only stand while a dump or a restore runs. */
const passing = (): Promise<unknown[]> =>
  on.asAdministrator(
    'postgres',
    "SELECT rolname FROM pg_roles WHERE rolname LIKE '%:%'",
    "SELECT datname FROM pg_database WHERE datname LIKE '%:%'",
  )

beforeAll(async () => {
  on = await createPostgresqlFixture()
  engine = on.compose()
  service = on.createService(engine)
  account = await on.host.createAccount()
  await engine.whenReady()
})
afterAll(async () => {
  await service.stop()
  await on.host.dispose()
})

describe('dumps of PostgreSQL databases', () => {
  it('bring back tables, rows, schemas, functions and extensions', async () => {
    const { database } = await makeDatabase('whole')
    const odd = `'"\\\\.\t\n\\restrict %_ä`
    await query(
      database,
      'CREATE EXTENSION pg_trgm',
      'CREATE SCHEMA "my schema"',
      'CREATE TABLE "my schema".t (id serial PRIMARY KEY, a text, b bytea)',
      'CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS $$ SELECT $1 * 2 $$',
      'CREATE VIEW v AS SELECT twice(id) AS d FROM "my schema".t',
    )
    const client = await on.connect(database, PASSWORD, database)
    await client.query('INSERT INTO "my schema".t (a, b) VALUES ($1, $2)', [odd, randomBytes(9)])
    const before = (await client.query('SELECT t.*, v.d FROM "my schema".t, v')).rows
    await client.end()
    const dump = await text(engine.dump(database))
    expect(dump.slice(-1024)).toMatch(engine.dumpEnd)
    expect(dump).not.toMatch(/OWNER TO|^GRANT|^\\connect|CREATE DATABASE/m)
    await query(database, 'DROP SCHEMA "my schema" CASCADE', 'CREATE TABLE later (a int)')
    await restore(database, dump)
    expect(await query(database, 'SELECT t.*, v.d FROM "my schema".t, v')).toEqual(before)
    expect(await query(database, "SELECT to_regclass('later') AS gone")).toEqual([{ gone: null }])
    const owners = await query(
      database,
      "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname !~ '^pg_|^information'",
    )
    expect(owners).toEqual([{ tableowner: database }])
    expect(await passing()).toEqual([])
    // Restored databases are as closed as new ones, and can be changed by their user.
    const other = await makeDatabase('other')
    expect(await on.canLogIn(other.user, PASSWORD, database)).toBe(false)
    await query(database, 'INSERT INTO "my schema".t (a) VALUES (NULL)')
  })

  it('of a locked account are made and restored too, and the lock stays', async () => {
    const { database } = await makeDatabase('locked')
    await query(database, 'CREATE TABLE t AS SELECT 5 AS a')
    const { username } = account
    await service.setLocked({ operationId: operationId(), username, locked: true })
    const dump = await text(engine.dump(database))
    await restore(database, dump)
    expect(await on.canLogIn(database, PASSWORD, database)).toBe(false)
    await service.setLocked({ operationId: operationId(), username, locked: false })
    expect(await query(database, 'SELECT a FROM t')).toEqual([{ a: 5 }])
  })

  it('fail when the server, or the database, is not there', async () => {
    await expect(text(engine.dump(`${account.username}_none`))).rejects.toMatchObject({
      status: 404,
    })
    expect(await passing()).toEqual([])
  })

  it('run nothing that a tenant hid as the administrator', async () => {
    const { database } = await makeDatabase('trap')
    await query(
      database,
      'CREATE TABLE witness (who text)',
      `CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO witness VALUES (session_user || '/' || current_user); RETURN 1; END $$`,
      'CREATE FUNCTION count(anyelement) RETURNS bigint LANGUAGE sql AS $$ SELECT trap()::bigint $$',
      'CREATE TABLE pg_class AS SELECT 1 AS relkind',
      'CREATE TABLE t (a int DEFAULT trap(), b int GENERATED ALWAYS AS (1) STORED)',
      'CREATE VIEW v AS SELECT trap()',
    )
    await text(engine.dump(database))
    await service.facts({ username: account.username })
    const seen = (await query(database, 'SELECT who FROM witness')) as { who: string }[]
    expect(seen.filter(({ who }) => who.includes('postgres'))).toEqual([])
  })
})

describe('a hostile dump', () => {
  const marker = `/tmp/bt-${randomBytes(6).toString('hex')}`
  const attacks: [string, (victim: string) => string, RegExp][] = [
    ['becomes another', (victim) => `SET ROLE "${victim}"; SELECT 1;`, /set role/],
    ['becomes the administrator', () => 'SET SESSION AUTHORIZATION postgres;', /set session auth/],
    [
      'returns to who it was',
      () => `RESET ROLE; RESET SESSION AUTHORIZATION; CREATE ROLE evil;`,
      /create role/,
    ],
    ['is nobody', () => 'SET ROLE NONE; CREATE TABLE evil (a int);', /schema public/],
    ['runs a program', () => `COPY (SELECT 1) TO PROGRAM 'touch ${marker}';`, /superuser/],
    ['writes a file of the server', () => `COPY (SELECT 1) TO '${marker}';`, /superuser/],
    ['reads a file of the server', () => "SELECT pg_read_file('/etc/passwd');", /pg_read_file/],
    [
      'connects elsewhere',
      (victim) => `\\connect "${victim}"\nSELECT 1;`,
      /permission denied for database/,
    ],
    ['connects to the server’s own', () => '\\connect postgres\nSELECT 1;', /rejects connection/],
    ['takes its way back', () => 'ALTER ROLE CURRENT_USER SUPERUSER;', /superuser/],
    [
      'opens a database',
      (victim) => `GRANT CONNECT ON DATABASE "${victim}" TO PUBLIC;`,
      /permission denied for database/,
    ],
    ['loads a language', () => 'CREATE EXTENSION plpython3u;', /extension/],
    ['is no SQL', () => 'this is not SQL', /syntax error/],
  ]

  let database = ''
  let victim = ''

  beforeAll(async () => {
    database = (await makeDatabase('target')).database
    victim = (await makeDatabase('v', on.registerAccount(randomAccountName()))).database
    await query(database, 'CREATE TABLE kept AS SELECT 3 AS a')
  })

  it.each(attacks)('that %s is refused, and changes nothing', async (_, make, said) => {
    const failed = restore(database, `CREATE TABLE t (a int);\n${make(victim)}\n`)
    await expect(failed).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(said),
    })
    expect(existsSync(marker)).toBe(false)
    expect(await query(database, 'SELECT a FROM kept')).toEqual([{ a: 3 }])
    expect(await query(database, "SELECT to_regclass('t') AS t")).toEqual([{ t: null }])
    expect(await passing()).toEqual([])
    expect(
      await on.asAdministrator(
        'postgres',
        "SELECT rolname FROM pg_roles WHERE rolsuper OR rolname = 'evil'",
      ),
    ).toEqual([{ rolname: 'postgres' }])
  })

  it('has its commands of the client run as the account', async () => {
    const { database } = await makeDatabase('shell')
    const file = `${account.home}/tmp/who-${serial}`
    await restore(database, `\\! mkdir -p ${account.home}/tmp; id -u > ${file}\nSELECT 1;`)
    expect(readFileSync(file, 'utf8').trim()).toBe(String(account.uid))
    expect(statSync(file).uid).toBe(account.uid)
  })

  it('leaves no trace of who ran it', async () => {
    const { database } = await makeDatabase('grants')
    await restore(
      database,
      `CREATE TABLE t (a int); GRANT SELECT ON t TO SESSION_USER;
       ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO SESSION_USER;`,
    )
    expect(await passing()).toEqual([])
    expect(await query(database, 'SELECT count(*)::int AS n FROM t')).toEqual([{ n: 0 }])
  })
})

it('a restore that was broken off is settled at the next start', async () => {
  const { database } = await makeDatabase('half')
  const gone = await makeDatabase('swapped')
  await query(gone.database, 'CREATE TABLE t AS SELECT 8 AS a')
  await on.asAdministrator('postgres', `CREATE DATABASE "restoring:${database}"`)
  await on.asAdministrator(
    'postgres',
    `ALTER DATABASE "${gone.database}" RENAME TO "restoring:${gone.database}"`,
  )
  await on.asAdministrator('postgres', 'CREATE ROLE "passing:left" LOGIN')
  await service.stop()
  engine = on.compose()
  service = on.createService(engine)
  await engine.whenReady()
  expect(await passing()).toEqual([])
  expect(await query(gone.database, 'SELECT a FROM t')).toEqual([{ a: 8 }])
  expect(await on.canLogIn(database, PASSWORD, database)).toBe(true)
})
