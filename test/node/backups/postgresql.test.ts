import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
beforeAll(async () => {
  host = await createBackupFixture({ postgresql: true })
})
afterAll(async () => {
  await host?.dispose()
})

const FILL = `CREATE TABLE goods (id serial PRIMARY KEY, name text UNIQUE, data bytea);
  INSERT INTO goods (name, data) VALUES ('täst ''quoted''', '\\x00ff0a27'), (NULL, NULL);
  CREATE VIEW names AS SELECT name FROM goods WHERE name IS NOT NULL;
  CREATE FUNCTION two() RETURNS int LANGUAGE sql AS 'SELECT 2'`

/** An account with a database in each kind of server, both of them filled. */
const makeAccount = async (): Promise<{ user: OsUser; mariadb: string; postgresql: string }> => {
  const user = await host.account()
  const mariadb = await host.database(user, 'shop')
  const postgresql = await host.database(user, 'notes', 'postgresql')
  await host.query(mariadb, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('backup')")
  await host.queryPostgresql(postgresql, FILL)
  return { user, mariadb, postgresql }
}

const backUp = async (user: OsUser) => {
  const filename = host.nameOf(user)
  const facts = await host.create(user, filename)
  return { username: user.username, filename, location: 'local', ...facts }
}

describe('PostgreSQL beside MariaDB', () => {
  it('both are dumped, verified, and restored whole or alone', async () => {
    const { user, mariadb, postgresql } = await makeAccount()
    const known = await backUp(user)
    expect(known.databases).toEqual([
      { engine: 'mariadb', database: mariadb },
      { engine: 'postgresql', database: postgresql },
    ])
    const { stdout } = await mustRun('/usr/bin/tar', [
      '-tzf',
      path.join(host.backupsDir, known.filename),
    ])
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'manifest.json',
      'secrets.sealed',
      `databases/mariadb-${mariadb}.sql`,
      `databases/postgresql-${postgresql}.sql`,
    ])
    for (const what of ['all', 'databases'] as const) {
      await host.shell(user, 'echo new > new.txt')
      await host.query(mariadb, "UPDATE a SET b = 'now'")
      await host.queryPostgresql(
        postgresql,
        'DROP VIEW names; DROP TABLE goods; CREATE TABLE other (a int)',
      )
      const restored = await host.work({ kind: 'restore', parts: restoreParts({ what }), ...known })
      expect(restored).toMatchObject({ state: 'done', error: null })
      expect(await host.query(mariadb, 'SELECT b FROM a')).toEqual([{ b: 'backup' }])
      expect(
        await host.queryPostgresql(postgresql, 'SELECT id, name, data FROM goods ORDER BY id'),
      ).toEqual([
        { id: 1, name: "täst 'quoted'", data: Buffer.from('00ff0a27', 'hex') },
        { id: 2, name: null, data: null },
      ])
      expect(await host.queryPostgresql(postgresql, 'SELECT two() AS n, name FROM names')).toEqual([
        { n: 2, name: "täst 'quoted'" },
      ])
      expect(
        await host.queryPostgresql(postgresql, "SELECT to_regclass('other') AS other"),
      ).toEqual([{ other: null }])
      expect(existsSync(`${user.home}/new.txt`)).toBe(what === 'databases')
    }
    // Its owner goes on with it: the sequence, and the right to change it.
    await host.queryPostgresql(
      postgresql,
      "INSERT INTO goods (name) VALUES ('third'); ALTER TABLE goods ADD more int",
    )
    expect(
      await host.queryPostgresql(postgresql, "SELECT id FROM goods WHERE name = 'third'"),
    ).toEqual([{ id: 3 }])
  })

  it('a failure of one puts both back', async () => {
    const { user, mariadb, postgresql } = await makeAccount()
    const known = await backUp(user)
    await host.query(mariadb, "UPDATE a SET b = 'now'")
    await host.queryPostgresql(postgresql, "UPDATE goods SET name = 'now' WHERE id = 1")
    await host.shell(user, 'echo now > state.txt')
    const engines = host.engines.map((engine) =>
      engine.name === 'postgresql'
        ? {
            ...engine,
            restore: (...[target, dump]: Parameters<typeof engine.restore>) =>
              failures.pop() ? Promise.reject(new Error('broken')) : engine.restore(target, dump),
          }
        : engine,
    )
    const failures = [1]
    await host.restart({ engines })
    const failed = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    await host.restart()
    expect(failed).toMatchObject({ state: 'failed', error: { status: 500 } })
    expect(await host.query(mariadb, 'SELECT b FROM a')).toEqual([{ b: 'now' }])
    expect(await host.queryPostgresql(postgresql, 'SELECT name FROM goods WHERE id = 1')).toEqual([
      { name: 'now' },
    ])
    expect(await readFile(`${user.home}/state.txt`, 'utf8')).toBe('now\n')
  })

  it('a dump without its end is a failed backup', async () => {
    const { user } = await makeAccount()
    const engines = host.engines.map((engine) =>
      engine.name === 'postgresql'
        ? { ...engine, dump: () => Readable.from([Buffer.from('CREATE TABLE half (')]) }
        : engine,
    )
    await host.restart({ engines })
    const filename = host.nameOf(user)
    const failed = await host.work({
      kind: 'create',
      username: user.username,
      filename,
      ...newRecord(user.username),
    })
    await host.restart()
    expect(failed.error).toMatchObject({ status: 503 })
    expect(existsSync(path.join(host.backupsDir, filename))).toBe(false)
  })
})

/** Restores an archive that holds this dump, its checksums as if it had been made so. */
const restoreDump = async (
  user: OsUser,
  database: string,
  sql: string,
): Promise<BackupProgress> => {
  const sha256Of = (bytes: string | Buffer): string =>
    createHash('sha256').update(bytes).digest('hex')
  const file = `postgresql-${database}.sql`
  const manifest = {
    version: 1,
    username: user.username,
    created_at: '2026-01-01 00:00:00',
    databases: [
      {
        engine: 'postgresql',
        database,
        file,
        size_bytes: Buffer.byteLength(sql),
        sha256: sha256Of(sql),
      },
    ],
  }
  const tar = pack()
  tar.entry({ name: 'manifest.json' }, JSON.stringify(manifest))
  tar.entry({ name: `databases/${file}` }, sql)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  const archive = gzipSync(Buffer.concat(chunks))
  const filename = host.nameOf(user)
  await writeFile(path.join(host.backupsDir, filename), archive, { mode: 0o600 })
  return host.work({
    kind: 'restore',
    parts: restoreParts({ what: 'databases' }),
    username: user.username,
    filename,
    location: 'local',
    sha256: sha256Of(archive),
    sizeBytes: archive.length,
  })
}

it('a hostile dump in an archive has the rights of its database alone, and changes nothing', async () => {
  const { user, postgresql } = await makeAccount()
  const other = await makeAccount()
  const mark = `/tmp/${user.username}-mark`
  for (const sql of [
    `COPY (SELECT 1) TO PROGRAM 'touch ${mark}';`,
    `COPY (SELECT 1) TO '${mark}';`,
    "SELECT pg_read_file('/etc/passwd');",
    `SET ROLE "${other.postgresql}";`,
    'SET SESSION AUTHORIZATION postgres;',
    'RESET ROLE; CREATE ROLE bt_evil SUPERUSER;',
    `\\connect "${other.postgresql}"\nDELETE FROM goods;`,
    `\\! touch ${host.directory}/mark\nthis is no SQL;`,
    `DROP DATABASE "${other.postgresql}";`,
  ]) {
    const dump = `CREATE TABLE evil (a int);\n${sql}\n--\n-- PostgreSQL database dump complete\n--\n`
    const { error } = await restoreDump(user, postgresql, dump)
    expect([sql, error?.status]).toEqual([sql, 409])
    expect([sql, existsSync(mark), existsSync(`${host.directory}/mark`)]).toEqual([
      sql,
      false,
      false,
    ])
    const [row] = await host.queryPostgresql(
      postgresql,
      "SELECT count(*)::int AS goods, to_regclass('evil') AS evil FROM goods",
    )
    expect([sql, row]).toEqual([sql, { goods: 2, evil: null }])
  }
  const [row] = await host.queryPostgresql(
    other.postgresql,
    "SELECT count(*)::int AS goods, (SELECT count(*)::int FROM pg_roles WHERE rolname = 'bt_evil') AS evil FROM goods",
  )
  expect(row).toEqual({ goods: 2, evil: 0 })
  const foreign = await restoreDump(user, other.postgresql, 'SELECT 1;')
  expect(foreign.error?.status).toBe(409)
})
