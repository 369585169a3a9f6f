import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Header } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type { RestoreWish } from '#handlers/domain/backups/restore-parts.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createBackupFixture } from '#test/node/backups/backup-fixture.ts'
import type { BackupFixture } from '#test/node/backups/backup-fixture.ts'

let host: BackupFixture
let outside = ''
beforeAll(async () => {
  host = await createBackupFixture()
  outside = path.join(host.directory, 'outside')
  await mkdir(outside)
  await chmod(outside, 0o777)
  await writeFile(path.join(outside, 'secret'), 'secret')
})
afterAll(async () => {
  await host?.dispose()
})

type Member = [Partial<Header> & Pick<Header, 'name'>, (string | Buffer)?]

const manifestOf = (user: OsUser, dumps: Record<string, string>): Member => [
  { name: 'manifest.json' },
  JSON.stringify({
    version: 1,
    username: user.username,
    created_at: '2026-01-01 00:00:00',
    databases: Object.entries(dumps).map(([database, sql]) => ({
      engine: 'mariadb',
      database,
      file: `mariadb-${database}.sql`,
      size_bytes: Buffer.byteLength(sql),
      sha256: createHash('sha256').update(sql).digest('hex'),
    })),
  }),
]

const tarOf = async (members: readonly Member[]): Promise<Buffer> => {
  const tar = pack()
  for (const [header, content] of members) tar.entry(header, content ?? '')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Puts an archive in the place of a backup and restores it, its checksum as if it had been made so. */
const restoreBytes = async (
  user: OsUser,
  archive: Buffer,
  what: RestoreWish['what'] = 'all',
): Promise<BackupProgress> => {
  const filename = host.nameOf(user)
  await writeFile(path.join(host.backupsDir, filename), archive, { mode: 0o600 })
  const sha256 = createHash('sha256').update(archive).digest('hex')
  return host.work({
    kind: 'restore',
    username: user.username,
    filename,
    location: 'local',
    parts: restoreParts({ what }),
    sha256,
    sizeBytes: archive.length,
  })
}
const restoreMembers = async (
  user: OsUser,
  members: readonly Member[],
  dumps: Record<string, string> = {},
  what?: RestoreWish['what'],
): Promise<BackupProgress> => {
  const inside: Member[] = Object.entries(dumps).map(([database, sql]) => [
    { name: `databases/mariadb-${database}.sql` },
    sql,
  ])
  return restoreBytes(
    user,
    gzipSync(await tarOf([manifestOf(user, dumps), ...inside, ...members])),
    what,
  )
}

describe('hostile archives', () => {
  it.each<[string, Member[]]>([
    ['..', [[{ name: 'home/../../outside/evil' }, 'x']]],
    ['an absolute name', [[{ name: '/etc/evil' }, 'x']]],
    ['an absolute name below home', [[{ name: 'home//etc/evil' }, 'x']]],
    ['a member beside home', [[{ name: 'etc/evil' }, 'x']]],
    ['a link out', [[{ name: 'home/l', type: 'symlink', linkname: '/etc' }]]],
    ['a relative link out', [[{ name: 'home/a/l', type: 'symlink', linkname: '../../x' }]]],
    [
      'writing through a link',
      [
        [{ name: 'home/public_html', type: 'symlink', linkname: 'tmp' }],
        [{ name: 'home/public_html/evil' }, 'x'],
      ],
    ],
    ['a hard link', [[{ name: 'home/h', type: 'link', linkname: '/etc/shadow' }]]],
    ['a device', [[{ name: 'home/d', type: 'block-device', devmajor: 8, devminor: 0 }]]],
    ['a pipe', [[{ name: 'home/p', type: 'fifo' }]]],
  ])('with %s are refused, and nothing is changed', async (_name, members) => {
    const user = await host.account()
    await host.shell(user, 'echo mine > public_html/mine.txt')
    const before = await readdir(user.home)
    const good: Member = [{ name: 'home/good.txt' }, 'good']
    const { error } = await restoreMembers(user, [good, ...members])
    expect(error?.status).toBe(409)
    expect(error?.message).toMatch(/refused|not valid/)
    expect(await readdir(user.home)).toEqual(before)
    expect(await host.shell(user, 'cat public_html/mine.txt')).toBe('mine\n')
    expect(await readdir(outside)).toEqual(['secret'])
    expect(existsSync('/etc/evil')).toBe(false)
  })

  it('owner, setuid and setgid of members do not count', async () => {
    const user = await host.account()
    const { error } = await restoreMembers(user, [
      [{ name: 'home/bin', uid: 0, gid: 0, uname: 'root', mode: 0o6755 }, '#!/bin/sh\n'],
      [{ name: 'home/dir', type: 'directory', uid: 0, mode: 0o7777 }],
    ])
    expect(error).toBeNull()
    for (const [name, mode] of [
      ['bin', 0o755],
      ['dir', 0o777],
    ] as const) {
      const facts = await stat(path.join(user.home, name))
      expect([facts.uid, facts.mode & 0o7777]).toEqual([user.uid, mode])
    }
  })

  it('more content or entries than the account may have are refused before they are written', async () => {
    const user = await host.account(20)
    const zeros = Buffer.alloc(21 * 2 ** 20)
    const bomb = await restoreMembers(user, [[{ name: 'home/zeros' }, zeros]])
    expect(bomb.error?.status).toBe(413)
    await host.restart({ limits: { maxEntries: 1000, maxBytes: 20 * 2 ** 20 } })
    const members = Array.from({ length: 1001 }, (_, n): Member => [{ name: `home/f${n}` }, ''])
    const { error } = await restoreMembers(user, members)
    expect(error?.status, error?.message).toBe(413)
    await host.restart()
    expect(await readdir(user.home)).not.toContainEqual(expect.stringContaining('.berth-'))
  })

  it.each([
    ['no gzip', Buffer.from('not an archive at all')],
    ['a cut archive', gzipSync(Buffer.alloc(4096)).subarray(0, 20)],
    ['no manifest', gzipSync(Buffer.alloc(1024))],
    ['garbage inside', gzipSync(Buffer.alloc(2048, 'garbage'))],
  ])('%s is refused', async (_name, archive) => {
    const user = await host.account()
    expect((await restoreBytes(user, archive)).error?.status).toBe(409)
  })

  it('a huge extended header takes no memory', async () => {
    const user = await host.account()
    const tar = Buffer.from(await tarOf([[{ name: 'x', type: 'file' }]]))
    tar.write('x', 156, 'latin1')
    tar.write('77777777777', 124, 'latin1')
    tar.fill(' ', 148, 156)
    const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    expect((await restoreBytes(user, gzipSync(tar))).error?.message).toContain('too long')
  })

  it("the archive of another account is refused, also under one's own name", async () => {
    const [user, other] = [await host.account(), await host.account()]
    const archive = gzipSync(await tarOf([manifestOf(other, {})]))
    expect((await restoreBytes(user, archive)).error?.status).toBe(409)
    const known = { username: user.username, location: 'local' }
    for (const filename of [
      host.nameOf(other),
      `${user.username}2-20260101-000000.tar.gz`,
      `../${user.username}-20260101-000000.tar.gz`,
      `${user.username}-20260101-000000.tar.gz/../x`,
      `${user.username}-20260101-000000.tar.gz\n`,
    ]) {
      await expect(host.backups.remove({ ...known, filename })).rejects.toMatchObject({
        status: 400,
      })
      await expect(host.backups.read({ ...known, filename, offset: 0 })).rejects.toMatchObject({
        status: 400,
      })
    }
  })

  it('paths that are swapped meanwhile harm nobody', async () => {
    const user = await host.account()
    const members = Array.from({ length: 300 }, (_, n): Member => [
      { name: `home/public_html/d${n % 10}/f${n}` },
      'x'.repeat(2000),
    ])
    let over = false
    // The account exchanges the working directory and its own for links to a place it may write to.
    const swapping = (async () => {
      while (!over) {
        await host
          .shell(
            user,
            `for d in .berth-restore-*/new/public_html .berth-restore-*/new public_html; do
               mv -T "$d" "$d.moved" 2>/dev/null && ln -s ${outside} "$d" 2>/dev/null; done; true`,
          )
          .catch(() => '')
        await delay(1)
      }
    })()
    const progress = await restoreMembers(user, members)
    over = true
    await swapping
    expect(['done', 'failed']).toContain(progress.state)
    for (const name of await readdir(outside))
      // Whatever came there came with the account's own rights; a link may lead back to the place itself.
      if (name !== 'secret')
        expect([name, (await lstat(path.join(outside, name))).uid]).toEqual([name, user.uid])
    expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe('secret')
  })
})

describe('hostile dumps', () => {
  it('run with the rights of their database alone', async () => {
    const [user, other] = [await host.account(), await host.account()]
    const database = await host.database(user, 'shop')
    const foreign = await host.database(other, 'shop')
    await host.query(foreign, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('theirs')")
    await host.query(database, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('mine')")
    const mark = path.join(outside, 'mark')
    for (const sql of [
      `USE ${foreign}; DELETE FROM a;`,
      `DELETE FROM ${foreign}.a;`,
      'USE mysql; DELETE FROM global_priv;',
      `GRANT ALL ON *.* TO '${database}'@'localhost';`,
      `CREATE DEFINER='root'@'localhost' PROCEDURE p() SQL SECURITY DEFINER DELETE FROM ${foreign}.a;`,
      `CREATE DEFINER='${foreign}'@'localhost' VIEW v AS SELECT 1;`,
      `CREATE USER 'bt_evil'@'localhost';`,
      "SET GLOBAL local_infile = 1; LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE a;",
      "CREATE TABLE l (t TEXT); LOAD DATA INFILE '/etc/passwd' INTO TABLE l;",
      "CREATE TABLE l (t TEXT); LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE l;",
      `SELECT 1 INTO OUTFILE '${mark}';`,
      `\\! touch ${mark}\nSELEC 1;`,
      `system touch ${mark}\nSELEC 1;`,
      'source /etc/passwd\nSELEC 1;',
      `tee ${mark}\nSELEC 1;`,
    ]) {
      const dump = `${sql}\n-- Dump completed on 2026-01-01\n`
      const { error } = await restoreMembers(user, [], { [database]: dump }, 'databases')
      expect([sql, error?.status]).toEqual([sql, 409])
      expect([sql, existsSync(mark)]).toEqual([sql, false])
      // And what was there is there again.
      expect(await host.query(database, 'SELECT b FROM a')).toEqual([{ b: 'mine' }])
    }
    expect(await host.query(foreign, 'SELECT b FROM a')).toEqual([{ b: 'theirs' }])
    const users = await host.query('', "SELECT 1 FROM mysql.user WHERE user = 'bt_evil'", true)
    expect(users).toEqual([])
    const grants = await host.query(database, 'SHOW GRANTS')
    expect(JSON.stringify(grants)).not.toContain('ALL PRIVILEGES ON *.*')
  })

  it('a member that poses as a dump of a foreign database is refused', async () => {
    const [user, other] = [await host.account(), await host.account()]
    const foreign = await host.database(other, 'x')
    const dump = 'SELECT 1;\n-- Dump completed\n'
    const { error } = await restoreMembers(user, [], { [foreign]: dump })
    expect(error?.status).toBe(409)
  })
})

describe('what lies on the host', () => {
  it('archives and unfinished work are closed to everyone, and show no secret in ps', async () => {
    const user = await host.account()
    const database = await host.database(user, 'ps')
    const name = host.nameOf(user)
    const seen = new Set<string>()
    let over = false
    const watching = (async () => {
      while (!over) {
        for (const pid of (await readdir('/proc')).filter((one) => /^\d+$/.test(one)))
          seen.add(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
        await delay(5)
      }
    })()
    const facts = await host.create(user, name)
    const known = { username: user.username, filename: name, location: 'local', ...facts }
    await host.work({ kind: 'restore', parts: restoreParts({ what: 'all' }), ...known })
    over = true
    await watching
    const client = [...seen].filter((line) => line.includes(`--user=${database}`))
    for (const line of client) expect(line).not.toMatch(/password|\0-p/i)
    expect((await stat(host.backupsDir)).mode & 0o777).toBe(0o700)
    await expect(host.shell(user, `cat ${host.backupsDir}/${name}`)).rejects.toThrow()
    await expect(host.shell(user, `ls ${host.backupsDir}`)).rejects.toThrow()
  })
})
