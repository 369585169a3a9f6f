import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { Readable } from 'node:stream'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
beforeAll(async () => {
  host = await createBackupFixture()
})
afterAll(async () => {
  await host?.dispose()
})

const fileOf = (name: string): string => path.join(host.backupsDir, name)
const FILL =
  "CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(50), data BLOB); INSERT INTO goods VALUES (1, 'täst ''quoted''', X'00ff0a27'), (2, NULL, NULL); CREATE VIEW names AS SELECT name FROM goods; CREATE TRIGGER t BEFORE INSERT ON goods FOR EACH ROW SET NEW.name = UPPER(NEW.name); CREATE PROCEDURE two() SELECT 2; CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM goods WHERE id < 0"

/** Everything a home shows of itself. */
const picture = (user: { home: string }): Promise<string> =>
  mustRun('/usr/bin/find', [
    user.home,
    '-mindepth',
    '1',
    '-printf',
    '%P %y %m %s %u %l %T@\n',
  ]).then(({ stdout }) =>
    stdout
      .split('\n')
      // What was there before a restore is kept.
      .filter((line) => !line.startsWith('.berth-restore-'))
      // Directories change their time when something is moved through them.
      .map((line) => line.replace(/ d (\d+) \d+ (\S+) .*$/, ' d $1 $2'))
      .map((line) => line.replace(/\.\d+$/, ''))
      .sort()
      .join('\n'),
  )

describe('backup and restore', () => {
  it('keeps the home and every database in one verified archive', async () => {
    const user = await host.account()
    const database = await host.database(user, 'shop')
    await host.query(database, FILL)
    await host.shell(
      user,
      `mkdir -p public_html/deep/er && echo hello > public_html/deep/er/a.txt && chmod 600 public_html/deep/er/a.txt
       ln -s deep/er/a.txt public_html/inside && ln -s /etc/passwd public_html/outside && mkfifo public_html/pipe
       printf x > "public_html/$(printf 'latin-\\351')" && printf y > "public_html/$(printf 'n%.0s' $(seq 200))"`,
    )
    const name = host.nameOf(user)
    const facts = await host.create(user, name)
    expect(facts.databases).toEqual([{ engine: 'mariadb', database }])
    expect(facts.skipped).toBe(2)
    expect([...facts.skippedPaths].sort()).toEqual(['public_html/outside', 'public_html/pipe'])
    const bytes = await readFile(fileOf(name))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(facts.sha256)
    expect(bytes.length).toBe(facts.sizeBytes)
    const { mode, uid } = await stat(fileOf(name))
    expect([mode & 0o777, uid]).toEqual([0o600, 0])
    expect(await readdir(path.join(host.backupsDir, '.work'))).toEqual([])
    // GNU tar reads what was written.
    const { stdout } = await mustRun('/usr/bin/tar', ['-tzf', fileOf(name)])
    const members = stdout.trim().split('\n')
    expect(members.slice(0, 3)).toEqual([
      'manifest.json',
      'secrets.sealed',
      `databases/mariadb-${database}.sql`,
    ])
    expect(members.at(-1)).toBe('proof.json')
    expect(members).toContain('home/public_html/deep/er/a.txt')
    expect(members).toContain('home/public_html/inside')
    expect(members).toContain(`home/public_html/${'n'.repeat(200)}`)
    expect(members.join(' ')).not.toMatch(/outside|pipe/)

    await host.shell(user, 'rm public_html/outside public_html/pipe')
    const before = await picture(user)
    await host.shell(user, 'rm -r public_html; echo new > new.txt')
    await host.query(database, 'DROP TABLE goods; DROP VIEW names; CREATE TABLE other (a INT)')
    const { username } = user
    const known = { username, filename: name, location: 'local', ...facts }
    const restored = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    expect(restored).toMatchObject({ state: 'done', error: null })
    expect(await picture(user)).toBe(before)
    expect(await host.shell(user, 'cat public_html/inside')).toBe('hello\n')
    const rows = await host.query(database, 'SELECT id, name, HEX(data) AS data FROM goods')
    expect(rows).toEqual([
      { id: 1, name: "täst 'quoted'", data: '00FF0A27' },
      { id: 2, name: null, data: null },
    ])
    expect(await host.query(database, 'SELECT * FROM names')).toHaveLength(2)
    expect(await host.query(database, "SHOW TABLES LIKE 'other'")).toEqual([])
    await host.query(database, "INSERT INTO goods (id, name) VALUES (3, 'up')")
    expect(await host.query(database, 'SELECT name FROM goods WHERE id = 3')).toEqual([
      { name: 'UP' },
    ])
    // The user has one password again, its own.
    const [priv] = await host.query(
      database,
      `SELECT JSON_LENGTH(priv, '$.auth_or') AS ways FROM mysql.global_priv WHERE user = '${database}'`,
      true,
    )
    expect([null, 1]).toContain(priv?.['ways'])
  })

  it('tells what the account itself may not read, and how much that is', async () => {
    const user = await host.account()
    await host.shell(
      user,
      `mkdir shut && echo x > shut/inner && echo x > "a
b" && echo x > key && chmod 000 shut key "a
b"`,
    )
    const some = await host.create(user, host.nameOf(user))
    expect(some.skipped).toBe(3)
    expect([...some.skippedPaths].sort()).toEqual(['a\\nb', 'key', 'shut'])
    await host.shell(
      user,
      'mkdir many && cd many && for n in $(seq 30); do touch $n; done; chmod 000 *',
    )
    const more = await host.create(user, host.nameOf(user))
    expect(more.skipped).toBe(33)
    expect(more.skippedPaths).toHaveLength(20)
    await host.shell(user, 'chmod -R u+rwX .')
    expect(await host.create(user, host.nameOf(user))).toMatchObject({
      skipped: 0,
      skippedPaths: [],
    })
  })

  it('restores files or databases alone', async () => {
    const user = await host.account()
    const database = await host.database(user, 'part')
    await host.query(database, 'CREATE TABLE a (b INT)')
    const name = host.nameOf(user)
    const known = {
      username: user.username,
      filename: name,
      location: 'local',
      ...(await host.create(user, name)),
    }
    await host.shell(user, 'echo new > new.txt')
    await host.query(database, 'DROP TABLE a')
    await host.work({ kind: 'restore', parts: restoreParts({ what: 'databases' }), ...known })
    expect(await host.query(database, 'SHOW TABLES')).toHaveLength(1)
    expect(existsSync(`${user.home}/new.txt`)).toBe(true)
    await host.query(database, 'DROP TABLE a')
    await host.work({ kind: 'restore', parts: restoreParts({ what: 'files' }), ...known })
    expect(await host.query(database, 'SHOW TABLES')).toEqual([])
    expect(existsSync(`${user.home}/new.txt`)).toBe(false)
    // What was there before the last restore, and nothing of the ones before it.
    const kept = (await readdir(user.home)).filter((one) => one.startsWith('.berth-'))
    expect(kept).toHaveLength(1)
    expect(existsSync(`${user.home}/${kept[0]}/old/new.txt`)).toBe(true)
    // A database that is gone since is no reason to touch anything.
    await host.databases.remove({
      operationId: host.operationId(),
      username: user.username,
      engine: 'mariadb',
      database,
      user: database,
    })
    await host.shell(user, 'echo kept > kept.txt')
    const refused = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    expect(refused.error).toMatchObject({ status: 409 })
    expect(refused.error?.message).toContain(database)
    expect(existsSync(`${user.home}/kept.txt`)).toBe(true)
  })

  it('a dump that fails, is empty or has no end is a failed backup', async () => {
    const user = await host.account()
    await host.database(user, 'bad')
    const name = host.nameOf(user)
    const [engine] = host.engines as [Engine]
    for (const dump of [
      () => Readable.from([]),
      () => Readable.from([Buffer.from('CREATE TABLE half (')]),
      () =>
        new Readable({
          read() {
            this.destroy(new Error('gone'))
          },
        }),
    ]) {
      await host.restart({ engines: [{ ...engine, dump }] })
      const failed = await host.work({
        kind: 'create',
        username: user.username,
        filename: name,
        ...newRecord(user.username),
      })
      expect(failed.error).toMatchObject({ status: 503 })
      expect(existsSync(fileOf(name))).toBe(false)
    }
    await host.restart()
    await host.create(user, name)
    const again = await host.work({
      kind: 'create',
      username: user.username,
      filename: name,
      ...newRecord(user.username),
    })
    expect(again.error).toMatchObject({ status: 409 })
  })

  it('refuses an archive that changed, and reads and removes only what is named', async () => {
    const user = await host.account()
    const { username } = user
    const name = host.nameOf(user)
    const facts = await host.create(user, name)
    const known = { username, filename: name, location: 'local' }
    const bytes = await readFile(fileOf(name))
    const { content } = await host.backups.read({ ...known, offset: 10 })
    expect(Buffer.from(content, 'base64').equals(bytes.subarray(10))).toBe(true)
    await writeFile(fileOf(name), Buffer.concat([bytes, Buffer.from('x')]))
    const refused = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
      ...facts,
    })
    expect(refused.error).toMatchObject({ status: 409 })
    await host.backups.remove(known)
    await host.backups.remove(known)
    expect(existsSync(fileOf(name))).toBe(false)
    await expect(host.backups.read({ ...known, offset: 0 })).rejects.toMatchObject({ status: 404 })
    const gone = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
      ...facts,
    })
    expect(gone.error).toMatchObject({ status: 404 })
  })

  it('puts back what was there when a crash or a failure breaks off a restore', async () => {
    const user = await host.account()
    const { username } = user
    const first = await host.database(user, 'one')
    const second = await host.database(user, 'two')
    for (const database of [first, second])
      await host.query(database, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('backup')")
    await host.shell(user, 'echo backup > state.txt')
    const name = host.nameOf(user)
    const facts = await host.create(user, name)
    for (const database of [first, second]) await host.query(database, "UPDATE a SET b = 'now'")
    await host.shell(user, 'echo now > state.txt')
    const [engine] = host.engines as [Engine]
    let restores = 0
    const broken: Engine = {
      ...engine,
      async restore(target, dump) {
        restores += 1
        if (restores === 2) throw new Error('the second database fails')
        await engine.restore(target, dump)
      },
    }
    const known = { username, filename: name, location: 'local', ...facts }
    const asBefore = async (): Promise<void> => {
      expect(await host.shell(user, 'cat state.txt')).toBe('now\n')
      for (const database of [first, second])
        expect(await host.query(database, 'SELECT b FROM a')).toEqual([{ b: 'now' }])
      expect(await readdir(user.home)).not.toContainEqual(expect.stringContaining('.berth-'))
    }
    await host.restart({ engines: [broken] })
    expect(
      await host.work({ kind: 'restore', parts: restoreParts({ what: 'all' }), ...known }),
    ).toMatchObject({
      state: 'failed',
      error: { status: 500 },
    })
    await asBefore()
    // Every attempt to load fails from the second on, as if the agent had died there.
    const dead: Engine = {
      ...engine,
      async restore(target, dump) {
        restores += 1
        if (restores > 1) throw new Error('dead')
        await engine.restore(target, dump)
      },
    }
    restores = 0
    await host.restart({ engines: [dead] })
    await host.work({ kind: 'restore', parts: restoreParts({ what: 'all' }), ...known })
    expect(await host.shell(user, 'cat state.txt')).toBe('backup\n')
    expect(await host.query(first, 'SELECT b FROM a')).toEqual([{ b: 'backup' }])
    await host.restart()
    await asBefore()
    expect(await readdir(path.join(host.backupsDir, '.work'))).toEqual([])
  })

  it('is tried again while the agent lives when it could not be put back at once', async () => {
    const user = await host.account()
    const { username } = user
    const database = await host.database(user, 'late')
    await host.query(database, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('backup')")
    await host.shell(user, 'echo backup > state.txt')
    const name = host.nameOf(user)
    const facts = await host.create(user, name)
    await host.query(database, "UPDATE a SET b = 'now'")
    await host.shell(user, 'echo now > state.txt')
    const [engine] = host.engines as [Engine]
    let away = true
    let attempts = 0
    const restore: Engine['restore'] = async (target, dump) => {
      attempts += 1
      if (away) throw new Error('the server is away')
      await engine.restore(target, dump)
    }
    await host.restart({ engines: [{ ...engine, restore }], firstPauseMs: 20 })
    const known = { username, filename: name, location: 'local', ...facts }
    const failed = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    expect(failed.state).toBe('failed')
    // The restore itself, putting back at its end, and twice again.
    await expect.poll(() => attempts).toBeGreaterThanOrEqual(4)
    const refused = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    expect(refused.error).toMatchObject({ status: 409 })
    expect(refused.error?.message).toContain('tried again')
    away = false
    await expect.poll(() => readdir(path.join(host.backupsDir, '.work'))).toEqual([])
    expect(await host.shell(user, 'cat state.txt')).toBe('now\n')
    expect(await host.query(database, 'SELECT b FROM a')).toEqual([{ b: 'now' }])
    expect(await readdir(user.home)).not.toContainEqual(expect.stringContaining('.berth-'))
    const done = await host.work({
      kind: 'restore',
      parts: restoreParts({ what: 'all' }),
      ...known,
    })
    expect(done.state).toBe('done')
    expect(await host.shell(user, 'cat state.txt')).toBe('backup\n')
  })
})
