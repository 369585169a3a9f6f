import { readFile, symlink, writeFile, chown, readdir } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { DatabaseCopyWork } from '#handlers/ports/host/database-copies.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { databaseCopiesContract } from '#test/contract/databases/database-copies-port.ts'
import { createBackupFixture, PASSWORD } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
beforeAll(async () => {
  host = await createBackupFixture({ postgresql: true })
})
afterAll(async () => {
  await host?.dispose()
})

type Engine = 'mariadb' | 'postgresql'
type Wanted = { kind: 'export'; format: 'sql' | 'gz' | 'zip' } | { kind: 'import'; path: string }
let serial = 0

const work = async (user: OsUser, database: string, engine: Engine, wanted: Wanted) => {
  const operationId = `copy-${process.pid}-${(serial += 1)}`
  const { copies } = host.backups
  const order = { operationId, username: user.username, engine, database, ...wanted }
  await copies.start(order as DatabaseCopyWork)
  for (;;) {
    const progress = await copies.wait({ operationId })
    if (progress.state !== 'running') return { ...progress, operationId }
  }
}
const bytesOf = async (user: OsUser, filename: string): Promise<Buffer> => {
  const parts: Buffer[] = []
  for (let offset = 0; ;) {
    const { content } = await host.backups.copies.read({
      username: user.username,
      filename,
      offset,
    })
    const bytes = Buffer.from(content, 'base64')
    if (bytes.length === 0) return Buffer.concat(parts)
    parts.push(bytes)
    offset += bytes.length
  }
}
const put = async (user: OsUser, name: string, content: string | Buffer): Promise<string> => {
  const file = path.join(user.home, name)
  await writeFile(file, content)
  await chown(file, user.uid, user.gid)
  return name
}
const exported = async (
  user: OsUser,
  database: string,
  engine: Engine,
  format: 'sql' | 'gz' | 'zip' = 'sql',
): Promise<Buffer> => {
  const done = await work(user, database, engine, { kind: 'export', format })
  expect(done).toMatchObject({ state: 'done', error: null })
  return bytesOf(user, done.result?.filename ?? '')
}
/** As `zip` of everybody's computer makes them. */
const zipped = async (files: Record<string, string>): Promise<Buffer> => {
  const directory = path.join(host.directory, `zip-${(serial += 1)}`)
  const script = `import sys,json,zipfile
z=zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED)
[z.writestr(n,c) for n,c in json.loads(sys.argv[2]).items()]
z.close()`
  await mustRun('/usr/bin/python3', ['-c', script, directory, JSON.stringify(files)])
  return readFile(directory)
}

databaseCopiesContract('the agent with a real MariaDB', async () => {
  const own = await createBackupFixture()
  const [user, other] = [await own.account(), await own.account()]
  return {
    copies: own.backups.copies,
    username: user.username,
    otherUsername: other.username,
    engine: 'mariadb',
    database: await own.database(user, 'shop'),
    put: async (name, content) => {
      await writeFile(path.join(user.home, name), content)
      await chown(path.join(user.home, name), user.uid, user.gid)
    },
    dispose: () => own.dispose(),
  }
})

const FILL = {
  mariadb: `CREATE TABLE goods (name VARCHAR(20), data BLOB); INSERT INTO goods VALUES ('täst', X'00ff'), (NULL, NULL);
    CREATE VIEW names AS SELECT name FROM goods`,
  postgresql: `CREATE TABLE goods (name text, data bytea); INSERT INTO goods VALUES ('täst', '\\x00ff'), (NULL, NULL);
    CREATE VIEW names AS SELECT name FROM goods`,
}
const query = (engine: Engine, database: string, sql: string) =>
  engine === 'mariadb' ? host.query(database, sql) : host.queryPostgresql(database, sql)

describe.each(['mariadb', 'postgresql'] as const)('a database of %s', (engine) => {
  it('goes out in three formats and comes back from each of them, in another account too', async () => {
    const [user, other] = [await host.account(), await host.account()]
    const database = await host.database(user, 'shop', engine)
    const into = await host.database(other, 'copy', engine)
    await query(engine, database, FILL[engine])
    const sql = await exported(user, database, engine)
    expect(sql.toString()).toContain('täst')
    const gz = await exported(user, database, engine, 'gz')
    expect(gunzipSync(gz).toString()).toContain('täst')
    const zip = await exported(user, database, engine, 'zip')
    await put(other, 'a.zip', zip)
    const listed = await mustRun('/usr/bin/python3', ['-m', 'zipfile', '-l', `${other.home}/a.zip`])
    expect(listed.stdout).toContain(`${database}.sql`)
    await mustRun('/usr/bin/python3', ['-m', 'zipfile', '-t', `${other.home}/a.zip`])
    await put(other, 'a.sql', sql)
    await put(other, 'a.sql.gz', gz)
    for (const name of ['a.sql', 'a.sql.gz', 'a.zip']) {
      const done = await work(other, into, engine, { kind: 'import', path: name })
      expect(done).toMatchObject({ state: 'done', error: null })
      expect(await query(engine, into, 'SELECT name FROM names WHERE name IS NOT NULL')).toEqual([
        { name: 'täst' },
      ])
      await query(engine, into, "UPDATE goods SET name = 'changed'")
    }
    // Of a database the last export alone is kept.
    expect(await host.backups.copies.exports({ username: user.username })).toHaveLength(1)
  })

  it('is as before when a dump is refused, and an import can be undone', async () => {
    const user = await host.account()
    const database = await host.database(user, 'shop', engine)
    await query(engine, database, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('before')")
    const kept = () => query(engine, database, 'SELECT b FROM a')
    await put(
      user,
      'bad.sql',
      "CREATE TABLE a (b VARCHAR(9));\nINSERT INTO a VALUES ('half');\nNONSENSE;\n",
    )
    const refused = await work(user, database, engine, { kind: 'import', path: 'bad.sql' })
    expect(refused).toMatchObject({ state: 'failed', error: { status: 409 } })
    expect(refused.error?.message).toMatch(/refused by the server: .*(line 3|NONSENSE)/)
    expect(await kept()).toEqual([{ b: 'before' }])
    await put(user, 'good.sql', "CREATE TABLE a (b VARCHAR(9));\nINSERT INTO a VALUES ('after');\n")
    const done = await work(user, database, engine, { kind: 'import', path: 'good.sql' })
    expect(await kept()).toEqual([{ b: 'after' }])
    const [restore] = await host.backups.restores({ username: user.username })
    expect(restore).toMatchObject({
      id: done.operationId,
      from: { kind: 'dump', path: 'good.sql' },
      lost: null,
    })
    const { username } = user
    await host.work({ kind: 'undo', username, restoreId: done.operationId })
    expect(await kept()).toEqual([{ b: 'before' }])
  })
})

it('a dump that only pg_restore reads is imported too', async () => {
  const user = await host.account()
  const database = await host.database(user, 'shop', 'postgresql')
  await query('postgresql', database, FILL.postgresql)
  const file = path.join(user.home, 'custom.dump')
  const programs = `/usr/lib/postgresql/${(await readdir('/usr/lib/postgresql')).at(-1)}/bin`
  await mustRun(
    `${programs}/pg_dump`,
    ['--format=custom', `--file=${file}`, `--dbname=${database}`],
    {
      env: {
        PGHOST: path.join(host.directory, 'run/postgresql'),
        PGUSER: database,
        PGPASSWORD: PASSWORD,
      },
    },
  )
  await chown(file, user.uid, user.gid)
  await query('postgresql', database, "UPDATE goods SET name = 'changed'")
  const done = await work(user, database, 'postgresql', { kind: 'import', path: 'custom.dump' })
  expect(done.error).toBeNull()
  const names = 'SELECT name FROM names WHERE name IS NOT NULL'
  expect(await query('postgresql', database, names)).toEqual([{ name: 'täst' }])
})

describe('hostile dumps and files', () => {
  const state = async (database: string) =>
    (await host.query(database, 'SELECT b FROM a'))[0]?.['b']
  const victim = async () => {
    const user = await host.account()
    const database = await host.database(user, 'shop')
    await host.query(database, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('before')")
    return { user, database }
  }

  it.each([
    ['another database', 'USE mysql;'],
    ['an own one', 'CREATE DATABASE evil;'],
    ['rights', "GRANT ALL ON *.* TO 'x'@'%';"],
    ['files of the server', "SELECT 1 INTO OUTFILE '/tmp/berth-evil';"],
    ['files of the client', "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE a;"],
    ['a shell', '\\! touch /tmp/berth-evil'],
    ['another file', 'source /etc/shadow'],
    ['a stopped server', 'SHUTDOWN;'],
  ])('a dump that wants %s is refused and changes nothing', async (_what, statement) => {
    const { user, database } = await victim()
    await put(user, 'evil.sql', `CREATE TABLE c (b int);\n${statement}\n`)
    const done = await work(user, database, 'mariadb', { kind: 'import', path: 'evil.sql' })
    expect(done).toMatchObject({ state: 'failed', error: { status: 409 } })
    expect(await state(database)).toBe('before')
    expect((await readdir('/tmp')).includes('berth-evil')).toBe(false)
  })

  it('definers of other servers become the own user', async () => {
    const { user, database } = await victim()
    const dump = `CREATE TABLE a (b VARCHAR(9));
INSERT INTO a VALUES ('after');
/*!50001 CREATE VIEW v AS SELECT 1 AS x */;
/*!50003 CREATE*/ /*!50017 DEFINER=\`root\`@\`%\`*/ /*!50003 TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.b = 'trigger' */;
CREATE DEFINER=\`old_user\`@\`db.example\` PROCEDURE p() SELECT 1;
`
    await put(user, 'definers.sql', dump)
    const done = await work(user, database, 'mariadb', { kind: 'import', path: 'definers.sql' })
    expect(done.error).toBeNull()
    const rows = await host.query(
      database,
      `SELECT DEFINER AS d FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = '${database}'
       UNION SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${database}'`,
    )
    expect(rows).toEqual([{ d: `${database}@localhost` }])
  })

  it('links out of the home, folders, and what is no dump are refused', async () => {
    const { user, database } = await victim()
    await symlink('/etc/shadow', path.join(user.home, 'link.sql'))
    await mustRun('/usr/bin/mkfifo', ['--', path.join(user.home, 'pipe.sql')])
    await put(user, 'custom.sql', 'PGDMP\u0001\u000e')
    await put(user, 'broken.sql.gz', gzipSync('SELECT 1;'.repeat(1000)).subarray(0, 30))
    await put(user, 'two.zip', await zipped({ 'a.sql': 'SELECT 1;', 'b.sql': 'SELECT 2;' }))
    await put(user, 'none.zip', await zipped({ 'a.txt': 'SELECT 1;' }))
    for (const [name, statuses] of [
      ['link.sql', [403, 404]],
      ['pipe.sql', [409]],
      ['public_html', [409]],
      ['../x', [400]],
      ['custom.sql', [409]],
      ['broken.sql.gz', [409]],
      ['two.zip', [409]],
      ['none.zip', [409]],
    ] as const) {
      const done = await work(user, database, 'mariadb', { kind: 'import', path: name })
      expect([name, done.state, statuses.includes(done.error?.status as never)]).toEqual([
        name,
        'failed',
        true,
      ])
    }
    expect(await state(database)).toBe('before')
    expect(await readdir(path.join(host.backupsDir, '.work'))).toEqual([])
  })

  it('a suspended account imports nothing', async () => {
    const { user, database } = await victim()
    await put(user, 'a.sql', 'CREATE TABLE c (b int);\n')
    host.registry.records.setSuspended(user.username, true, null)
    const done = await work(user, database, 'mariadb', { kind: 'import', path: 'a.sql' })
    expect(done).toMatchObject({ state: 'failed', error: { status: 409 } })
    host.registry.records.setSuspended(user.username, false, null)
    expect(await state(database)).toBe('before')
  })

  it('exports go with the account', async () => {
    const { user, database } = await victim()
    await exported(user, database, 'mariadb')
    const directory = path.join(host.backupsDir, '.exports')
    const mine = (await readdir(directory)).filter((name) => name.startsWith(`${user.username}.`))
    expect(mine).toHaveLength(1)
    await host.backups.forgetExports(user.username)
    expect((await readdir(directory)).some((name) => mine.includes(name))).toBe(false)
  })
})
