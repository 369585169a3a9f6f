import { chmod, chown, cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { shadowEntry } from '#adapters/node/agent/accounts/os-names.ts'
import type { ArchiveSource } from '#handlers/ports/host/backups/archived-records.ts'
import type { DatabaseMove, ImportProgress } from '#handlers/ports/host/backups/imports.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { newName } from '#test/node/agent/agent-fixture.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
let dropped = ''
beforeAll(async () => {
  host = await createBackupFixture()
  dropped = path.join(host.directory, 'dropped')
  await mkdir(dropped, { mode: 0o700 })
})
afterAll(async () => {
  await host?.dispose()
})

const FILL =
  "CREATE TABLE goods (id INT PRIMARY KEY, name TEXT); INSERT INTO goods VALUES (1, 'CREATE DEFINER=`x`@`localhost` tea'), (2, 'a\\nCREATE DEFINER=b'); CREATE VIEW names AS SELECT name FROM goods; CREATE TRIGGER t BEFORE INSERT ON goods FOR EACH ROW SET NEW.name = UPPER(NEW.name); CREATE PROCEDURE two() SELECT 2; CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM goods WHERE id < 0"

let serial = 0
const newId = (): string => `import-${process.pid}-${(serial += 1)}`

const follow = async (importId: string, step: 'open' | 'fill'): Promise<ImportProgress> => {
  for (;;) {
    const progress = await host.backups.imports.wait({ importId, step })
    if (progress.state !== 'running') return progress
  }
}
const open = async (source: ArchiveSource, importId = newId()) => {
  await host.backups.imports.open({ importId, source })
  return { importId, ...(await follow(importId, 'open')) }
}
const openFile = (file: string) => open({ kind: 'file', path: file })

/** Moves a fresh backup of the account out of the way, as a copy that came from elsewhere. */
const archiveOf = async (user: OsUser): Promise<string> => {
  const name = host.nameOf(user)
  await host.create(user, name)
  const file = path.join(dropped, name)
  await rename(path.join(host.backupsDir, name), file)
  return file
}

/** A further user who reads a database, with his own name as password. */
const furtherUser = async (
  { username }: OsUser,
  name: string,
  database: string,
): Promise<string> => {
  const user = `${username}_${name}`
  await host.databases.users.create({
    ...{ operationId: host.operationId(), username, engine: 'mariadb', user, password: user },
    grants: [{ database, rights: 'read' }],
  })
  return user
}

describe('archives that are brought in', () => {
  it('fill another account: links, definitions and passwords come along under its names', async () => {
    const user = await host.account()
    const database = await host.database(user, 'shop')
    await host.query(database, FILL)
    const reader = await furtherUser(user, 'reader', database)
    await host.shell(
      user,
      `echo hello > public_html/a.txt && ln -s ${user.home}/public_html/a.txt public_html/inside && ln -s a.txt public_html/near`,
    )
    const file = await archiveOf(user)
    const { importId, state, error, result } = await openFile(file)
    expect([state, error]).toEqual(['done', null])
    expect(result).toMatchObject({
      version: 2,
      username: user.username,
      uid: user.uid,
      home: user.home,
      uidIsFree: false,
      proof: 'own',
      hasSecrets: true,
      record: newRecord(user.username).record,
      databases: [{ engine: 'mariadb', database, user: database, hasPassword: true }],
      databaseUsers: [{ engine: 'mariadb', user: reader, grants: [{ database, rights: 'read' }] }],
    })
    expect(JSON.stringify(result)).not.toMatch(/argon2|\$y\$|\*[0-9A-F]{40}/)

    const other = await host.account()
    const moved = await host.database(other, 'shop')
    await host.databases.setPassword({
      operationId: host.operationId(),
      username: other.username,
      engine: 'mariadb',
      database: moved,
      user: moved,
      password: 'another password',
    })
    const databases: DatabaseMove[] = [{ engine: 'mariadb', from: database, to: moved }]
    const { imports } = host.backups
    await imports.fill({ importId, username: other.username, databases })
    expect(await follow(importId, 'fill')).toMatchObject({ state: 'done', error: null })
    expect(await host.shell(other, 'cat public_html/inside public_html/near')).toBe(
      'hello\nhello\n',
    )
    expect(await host.shell(other, 'readlink public_html/inside')).toBe(
      `${other.home}/public_html/a.txt\n`,
    )
    const before = await shadowEntry(other.username)
    const secrets = await imports.takePasswords({
      importId,
      username: other.username,
      databases,
      users: [{ engine: 'mariadb', from: reader, to: await furtherUser(other, 'teller', moved) }],
      system: true,
    })
    expect(secrets).toEqual(newRecord(user.username).secrets)
    const teller = (sql: string) => host.queryAs(`${other.username}_teller`, moved, sql, reader)
    expect(await teller('SELECT COUNT(*) AS count FROM goods')).toHaveLength(1)
    await expect(teller("INSERT INTO goods VALUES (9, 'no')")).rejects.toThrow(/denied/)
    // The fixture's password is the one that the archive's database had.
    expect(
      await host.query(moved, 'SELECT id, names.name FROM names, goods WHERE id = 2'),
    ).toHaveLength(2)
    await host.query(moved, "INSERT INTO goods VALUES (3, 'up')")
    expect(await host.query(moved, 'SELECT name FROM goods ORDER BY id')).toEqual([
      { name: 'CREATE DEFINER=`x`@`localhost` tea' },
      { name: 'a\nCREATE DEFINER=b' },
      { name: 'UP' },
    ])
    expect(await host.query(moved, 'CALL two()')).toHaveLength(2)
    const after = await shadowEntry(other.username)
    const original = await shadowEntry(user.username)
    expect([after?.hash === original?.hash, before?.hash === after?.hash]).toEqual([true, false])
    await imports.close({ importId })
    await expect(
      imports.fill({ importId, username: other.username, databases }),
    ).rejects.toMatchObject({ status: 409 })
  })

  it('are had from a known backup, of which another file is refused', async () => {
    const user = await host.account()
    const filename = host.nameOf(user)
    const { sha256, sizeBytes } = await host.create(user, filename)
    const source = {
      kind: 'backup' as const,
      username: user.username,
      filename,
      location: 'local',
      sha256,
      sizeBytes,
    }
    expect(await open(source)).toMatchObject({ state: 'done', result: { proof: 'own' } })
    expect(await open({ ...source, sha256: '0'.repeat(64) })).toMatchObject({
      state: 'failed',
      error: { status: 409, field: 'location' },
    })
    expect((await open({ ...source, username: 'btnobody0' })).error?.status).toBe(400)
  })

  it('are found where root alone can have put them, and nowhere else', async () => {
    const user = await host.account()
    const file = await archiveOf(user)
    const { imports } = host.backups
    const names = (await imports.find({ path: dropped })).map(({ path: one }) => one)
    expect(names).toContain(file)
    expect(await imports.find({ path: file })).toHaveLength(1)
    await expect(imports.find({ path: 'dropped' })).rejects.toMatchObject({ status: 400 })
    await expect(imports.find({ path: '/nowhere' })).rejects.toMatchObject({ status: 404 })
    expect((await openFile(dropped)).error?.status).toBe(409)
    expect((await openFile('/etc/shadow')).error?.status).toBe(409)
    // A tenant's file, a link to a good one from a tenant's place, and one that others write to.
    const inHome = path.join(user.home, 'x.tar.gz')
    await cp(file, inHome)
    expect((await openFile(inHome)).error?.status).toBe(409)
    await expect(imports.find({ path: user.home })).rejects.toMatchObject({ status: 409 })
    const theirs = path.join(dropped, 'theirs.tar.gz')
    await cp(file, theirs)
    await chown(theirs, user.uid, user.gid)
    expect((await openFile(theirs)).error?.status).toBe(409)
    await chown(theirs, 0, 0)
    await chmod(theirs, 0o666)
    expect((await openFile(theirs)).error?.status).toBe(409)
    const link = path.join(dropped, 'link.tar.gz')
    await symlink(inHome, link)
    expect((await openFile(link)).error?.status).toBe(409)
    expect((await imports.find({ path: dropped })).map(({ filename }) => filename)).not.toContain(
      'link.tar.gz',
    )
  })

  it('tell whether a key proves them, and open what is sealed only then', async () => {
    const user = await host.account()
    const file = await archiveOf(user)
    await host.restart({ keys: createArchiveKeys(path.join(host.directory, 'other-keys')) })
    try {
      const foreign = await openFile(file)
      expect(foreign.result).toMatchObject({ proof: 'unproved', hasSecrets: false, uid: user.uid })
      const taken = await host.backups.imports.takePasswords({
        importId: foreign.importId,
        username: user.username,
        databases: [],
        users: [],
        system: true,
      })
      expect(taken).toBeNull()
      await cp(
        path.join(host.directory, 'keys', 'own.key'),
        path.join(host.directory, 'other-keys', 'a.key'),
      )
      expect((await openFile(file)).result).toMatchObject({ proof: 'known', hasSecrets: true })
      const bytes = Buffer.from(gunzipSync(await readFile(file)))
      bytes.write('evil', bytes.indexOf('public_html'))
      const changed = path.join(dropped, 'changed.tar.gz')
      await writeFile(changed, gzipSync(bytes))
      expect((await openFile(changed)).error).toMatchObject({
        status: 409,
        message: expect.stringContaining('changed after') as string,
      })
    } finally {
      await host.restart()
    }
  })

  it('are forgotten by a restart, and leave nothing behind', async () => {
    const user = await host.account()
    const { importId } = await openFile(await archiveOf(user))
    await host.restart()
    const input = { importId, username: user.username, databases: [] }
    await expect(host.backups.imports.fill(input)).rejects.toMatchObject({ status: 409 })
    expect((await host.backups.imports.wait({ importId, step: 'fill' })).state).toBe('unknown')
  })
})

describe('the number of a system user', () => {
  it('is the one that is wanted where it is free and for accounts, else a fresh one', async () => {
    const make = (uid: number) =>
      host.users.create({
        operationId: host.operationId(),
        username: newName(),
        password: 'a password',
        primaryDomain: 'a.example',
        diskQuotaMb: 0,
        uid,
      })
    const wanted = 45_678
    const first = await make(wanted)
    expect(first.uid).toBe(wanted)
    expect((await make(wanted)).uid).toBe(wanted + 1)
    for (const uid of [0, 33, 1000, 19_999, 65_534, 4_000_000_000])
      expect([uid, (await make(uid)).uid > wanted]).toEqual([uid, true])
  })
})
