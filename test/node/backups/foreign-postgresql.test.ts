import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findPostgresql } from '#adapters/node/agent/databases/postgresql/process.ts'
import { takeDumps } from '#adapters/node/agent/foreign-archives/take-dumps.ts'
import { outputOf } from '#adapters/node/process/stream-command.ts'
import type { ImportProgress } from '#handlers/ports/host/backups/imports.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { cpanelArchive } from '#test/support/foreign-archives/cpanel-archive.ts'
import { tarOf } from '#test/support/foreign-archives/tar-of.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { createBackupFixture, PASSWORD } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
let dropped = ''
beforeAll(async () => {
  host = await createBackupFixture({ postgresql: true })
  dropped = path.join(host.directory, 'dropped')
  await mkdir(dropped, { mode: 0o700 })
})
afterAll(async () => {
  await host?.dispose()
})

const programs = findPostgresql(null) ?? ''

/** What of the table of contents is exchanged for statements of an attacker, byte for byte. */
const DEFINITION = 'CREATE FUNCTION public.two() RETURNS integer'
const BODY = `SELECT 2 /* ${'x'.repeat(400)} */`
const FILL = `CREATE TABLE goods (id serial PRIMARY KEY, name text UNIQUE, data bytea);
  COMMENT ON TABLE goods IS 'of the shop';
  INSERT INTO goods (name, data) VALUES ('täst ''quoted''', '\\x00ff0a27'), (NULL, NULL);
  CREATE VIEW names AS SELECT name FROM goods WHERE name IS NOT NULL;
  CREATE FUNCTION two() RETURNS int LANGUAGE sql AS '${BODY}'`

const dumped = (database: string, format: 'custom' | 'tar' = 'custom'): Promise<Buffer> =>
  buffer(
    outputOf(`${programs}/pg_dump`, [`--format=${format}`, `--dbname=${database}`], {
      env: {
        PGHOST: path.join(host.directory, 'run/postgresql'),
        PGUSER: database,
        PGPASSWORD: PASSWORD,
        PGPASSFILE: '/dev/null',
      },
    }),
  )

let serial = 0
const follow = async (importId: string, step: 'open' | 'fill'): Promise<ImportProgress> => {
  for (;;) {
    const progress = await host.backups.imports.wait({ importId, step })
    if (progress.state !== 'running') return progress
  }
}
const certificate = { ...makeCertificate({ names: ['shop.example'] }), chain: '' }
const open = async (postgresql: Buffer) => {
  const importId = `foreign-pg-${process.pid}-${(serial += 1)}`
  const file = path.join(dropped, `${importId}.tar`)
  const archive = await cpanelArchive({ username: 'shop', certificate }, { postgresql })
  await writeFile(file, archive, { mode: 0o600 })
  await host.backups.imports.open({ importId, source: { kind: 'file', path: file } })
  return { importId, ...(await follow(importId, 'open')) }
}
const fill = async (importId: string, user: OsUser, to: string) => {
  const databases = [{ engine: 'postgresql', from: 'shop_notes', to } as const]
  await host.backups.imports.fill({ importId, username: user.username, databases })
  return follow(importId, 'fill')
}
const makeDatabase = async () => {
  const user = await host.account()
  return { user, database: await host.database(user, 'notes', 'postgresql') }
}
const made = async () => {
  const one = await makeDatabase()
  await host.queryPostgresql(one.database, FILL)
  return one
}

it.each(['custom', 'tar'] as const)('a dump in the format %s fills a database', async (format) => {
  const { importId, result, error } = await open(await dumped((await made()).database, format))
  expect(error).toBeNull()
  expect(result?.databases).toContainEqual(
    expect.objectContaining({ engine: 'postgresql', database: 'shop_notes' }),
  )
  expect(result?.report).toContainEqual({
    ...{ what: 'taken', subject: 'database shop_notes', reason: '' },
  })
  const { user, database } = await makeDatabase()
  expect(await fill(importId, user, database)).toMatchObject({ state: 'done', error: null })
  const rows = await host.queryPostgresql(database, 'SELECT id, name, data FROM goods ORDER BY id')
  expect(rows).toEqual([
    { id: 1, name: "täst 'quoted'", data: Buffer.from('00ff0a27', 'hex') },
    { id: 2, name: null, data: null },
  ])
  const seen = await host.queryPostgresql(database, 'SELECT two() AS n, name FROM names')
  expect(seen).toEqual([{ n: 2, name: "täst 'quoted'" }])
  // It is its new owner's.
  await host.queryPostgresql(
    database,
    "ALTER TABLE goods ADD more int; INSERT INTO goods (name) VALUES ('c')",
  )
  await host.backups.imports.close({ importId })
})

it('a dump whose table of contents is an attacker’s has the rights of its database alone', async () => {
  const source = await dumped((await made()).database)
  const at = source.indexOf(DEFINITION)
  expect(at).toBeGreaterThan(0)
  const { user, database } = await made()
  const other = await made()
  const mark = `/tmp/${user.username}-mark`
  for (const sql of [
    `COPY (SELECT 1) TO PROGRAM 'touch ${mark}';`,
    "SELECT pg_read_file('/etc/passwd');",
    `SET ROLE "${other.database}";`,
    'SET SESSION AUTHORIZATION postgres;',
    'RESET ROLE; CREATE ROLE bt_evil SUPERUSER;',
    `\n\\connect "${other.database}"\nDELETE FROM goods;`,
    `\n\\! touch ${host.directory}/mark\nthis is no SQL;`,
    `\n\\copy goods to '${host.directory}/mark'\n`,
    `DROP DATABASE "${other.database}";`,
  ]) {
    const evil = Buffer.from(source)
    evil.write(`${sql} --`.padEnd(DEFINITION.length + BODY.length - 2), at)
    const { importId, state } = await open(evil)
    if (state === 'done')
      expect([sql, (await fill(importId, user, database)).error?.status]).toEqual([sql, 409])
    expect([sql, existsSync(mark), existsSync(`${host.directory}/mark`)]).toEqual([
      ...[sql, false, false],
    ])
    const kept = await host.queryPostgresql(database, 'SELECT count(*)::int AS goods FROM goods')
    expect([sql, kept]).toEqual([sql, [{ goods: 2 }]])
    await host.backups.imports.close({ importId })
  }
  const [row] = await host.queryPostgresql(
    other.database,
    "SELECT count(*)::int AS goods, (SELECT count(*)::int FROM pg_roles WHERE rolname = 'bt_evil') AS evil FROM goods",
  )
  expect(row).toEqual({ goods: 2, evil: 0 })
})

/** Where the number of entries stands: behind how it is compressed, seven parts of a date and three texts. */
const countAt = (dump: Buffer): number => {
  const isNew = dump.readUInt8(6) >= 15
  let at = 11 + (isNew ? 1 : 5) + 7 * 5
  for (let text = 0; text < 3; text += 1) at += 5 + dump.readInt32LE(at + 1)
  return at
}

it('a dump that cannot be read is left and told, and the rest is taken', async () => {
  const whole = await dumped((await made()).database)
  const huge = Buffer.from(whole)
  huge.writeInt32LE(2 ** 31 - 1, countAt(whole) + 1)
  for (const bytes of [
    Buffer.from('PGDMP'),
    Buffer.from('CREATE TABLE a (b int);'),
    whole.subarray(0, 300),
    whole.subarray(0, whole.length / 2),
    huge,
    Buffer.alloc(0),
  ]) {
    const { importId, result, error } = await open(bytes)
    expect(error).toBeNull()
    const engines = result?.databases.map(({ engine }) => engine)
    expect([bytes.length, engines]).toEqual([bytes.length, ['mariadb']])
    expect(result?.report).toContainEqual({
      what: 'left',
      subject: 'database shop_notes',
      reason: expect.stringMatching(/^Its dump cannot be read here: \S/) as string,
    })
    await host.backups.imports.close({ importId })
  }
})

it('what it grows to is bounded, and nothing of it is left', async () => {
  const { database } = await makeDatabase()
  await host.queryPostgresql(
    database,
    "CREATE TABLE big AS SELECT repeat('a', 1000000) AS text FROM generate_series(1, 40)",
  )
  const dump = await dumped(database)
  expect(dump.length).toBeLessThan(2 ** 20)
  const file = path.join(dropped, 'bomb.tar')
  await writeFile(file, await tarOf({ dump }))
  const directory = path.join(dropped, 'bomb')
  await mkdir(directory)
  const postgresql = host.engines.find(({ name }) => name === 'postgresql')
  const taking = takeDumps({
    ...{ file, directory, limits: { maxEntries: 10, maxBytes: 8 * 2 ** 20 } },
    databases: [
      {
        ...{ engine: 'postgresql', name: 'big', dump: 'dump', compression: 'none' },
        ...{ form: 'pg_custom', charset: null, collation: null, users: [] },
      },
    ],
    nameOf: () => 'big.sql',
    plainDump: (bytes) => postgresql?.plainDump?.(bytes) ?? null,
    onRefused: () => undefined,
  })
  await expect(taking).rejects.toMatchObject({ status: 413 })
  expect(await readdir(directory)).toEqual(['big.sql'])
  await rm(directory, { recursive: true })
})
