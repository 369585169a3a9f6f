import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Header } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createBackupFixture } from '#test/node/backups/backup-fixture.ts'
import type { BackupFixture } from '#test/node/backups/backup-fixture.ts'

let host: BackupFixture
let outside: string
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

type Member = [Partial<Header> & Pick<Header, 'name'>, string?]

const restoreMembers = async (
  user: OsUser,
  members: readonly Member[],
  parts: RestoreParts,
): Promise<BackupProgress> => {
  const { username } = user
  const manifest = { version: 1, username, created_at: '2026-01-01 00:00:00', databases: [] }
  const tar = pack()
  tar.entry({ name: 'manifest.json' }, JSON.stringify(manifest))
  for (const [header, content] of members) tar.entry(header, content ?? '')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  const archive = gzipSync(Buffer.concat(chunks))
  const filename = host.nameOf(user)
  await writeFile(path.join(host.backupsDir, filename), archive, { mode: 0o600 })
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const known = { username, filename, location: 'local', sha256, sizeBytes: archive.length }
  return host.work({ kind: 'restore', parts, ...known })
}
const folders = async (user: OsUser): Promise<string[]> =>
  (await readdir(user.home)).filter((name) => name.startsWith('.berth-'))

it('paths that lead elsewhere are refused before anything is asked of the host', () => {
  for (const chosen of ['../x', 'a/../../x', '/etc/passwd', 'a\0b', 'a\nb', '', '/', '.', 'a\\b'])
    expect(() => restoreParts({ paths: [chosen] }), JSON.stringify(chosen)).toThrow(/paths/)
  const many = Array.from({ length: 1001 }, (_, n) => `f${n}`)
  expect(() => restoreParts({ paths: many })).toThrow(/1000/)
  expect(() => restoreParts({ paths: [] })).toThrow(/Nothing is chosen/)
  expect(() => restoreParts({ what: 'all', paths: ['a'] })).toThrow(/not both/)
})

it.each<[string, RestoreParts['files']]>([
  ['..', ['../../outside/evil']],
  ['an absolute path', ['/etc/passwd']],
  ['a path through ..', ['a/../../outside/secret']],
  ['the folder of restores itself', ['.berth-restore-0000000000000000']],
  ['an empty one', ['']],
])('also an agent that is sent %s touches nothing', async (_, files) => {
  const user = await host.account()
  const members: Member[] = [[{ name: 'home/a' }, 'x']]
  const { error } = await restoreMembers(user, members, { files, databases: 'none' })
  expect(error?.status).toBe(404)
  expect(await readdir(outside)).toEqual(['secret'])
  expect(await folders(user)).toEqual([])
})

it.each<[string, Member[]]>([
  ['a hard link', [[{ name: 'home/d/h', type: 'link', linkname: '/etc/shadow' }]]],
  ['a link out', [[{ name: 'home/d/l', type: 'symlink', linkname: '/etc' }]]],
  [
    'writing through a link',
    [[{ name: 'home/d', type: 'symlink', linkname: 'tmp' }], [{ name: 'home/d/evil' }, 'x']],
  ],
  ['a member of .. beside the chosen one', [[{ name: 'home/d/../../evil' }, 'x']]],
])('%s in the archive refuses the chosen part', async (_, hostile) => {
  const user = await host.account()
  await host.shell(user, 'mkdir d; echo kept > d/kept')
  const { error } = await restoreMembers(
    user,
    [[{ name: 'home/d/a' }, 'x'], ...hostile],
    restoreParts({ paths: ['d'] }),
  )
  expect(error?.status).toBe(409)
  expect(await host.shell(user, 'ls d')).toBe('kept\n')
  expect(await folders(user)).toEqual([])
})

it('names with newlines come with their folder and nothing else', async () => {
  const user = await host.account()
  const progress = await restoreMembers(
    user,
    [
      [{ name: 'home/d/a\nb' }, 'x'],
      [{ name: 'home/dd/evil' }, 'x'],
      [{ name: 'home/d\n' }, 'x'],
    ],
    restoreParts({ paths: ['d'] }),
  )
  expect(progress.error).toBeNull()
  expect(await readdir(path.join(user.home, 'd'))).toEqual(['a\nb'])
  expect((await readdir(user.home)).filter((name) => name.startsWith('d'))).toEqual(['d'])
})

it.each([
  ['a link to another place', 'ln -s OUTSIDE d'],
  ['a link inside the home', 'mkdir e; ln -s e d'],
  ['a file', 'echo x > d'],
])('a folder above the path that is now %s is not followed', async (_, script) => {
  const user = await host.account()
  await host.shell(user, script.replace('OUTSIDE', outside))
  const members: Member[] = [[{ name: 'home/d/secret' }, 'evil']]
  const { error } = await restoreMembers(user, members, restoreParts({ paths: ['d/secret'] }))
  expect(error?.status).toBe(409)
  expect(error?.message).toContain('"d" is no folder now')
  expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe('secret')
  expect(await folders(user)).toEqual([])
})

it('a link in the place of the path itself gives way and is not followed', async () => {
  const user = await host.account()
  await host.shell(user, `ln -s ${outside}/secret s; ln -s ${outside} d`)
  const members: Member[] = [
    [{ name: 'home/s' }, 'mine'],
    [{ name: 'home/d/secret' }, 'mine'],
  ]
  const progress = await restoreMembers(user, members, restoreParts({ paths: ['s', 'd'] }))
  expect(progress.error).toBeNull()
  expect(await host.shell(user, 'cat s d/secret')).toBe('minemine')
  expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe('secret')
})

it('folders that are swapped for links meanwhile harm nobody, nor does undoing', async () => {
  const user = await host.account()
  const members = Array.from({ length: 200 }, (_, n): Member => [
    { name: `home/d/d${n % 10}/f${n}` },
    'x'.repeat(2000),
  ])
  const paths = Array.from({ length: 10 }, (_, n) => `d/d${n}`)
  await host.shell(user, 'mkdir d; for n in 0 1 2 3 4 5 6 7 8 9; do mkdir d/d$n; done')
  let over = false
  const swapping = (async () => {
    while (!over) {
      await host
        .shell(
          user,
          `for d in d .berth-restore-*/tree/d .berth-restore-*/new .berth-restore-*/old .berth-restore-*; do
             mv -T "$d" "$d.moved$RANDOM" 2>/dev/null && ln -s ${outside} "$d" 2>/dev/null
             rm "$d" 2>/dev/null; mkdir "$d" 2>/dev/null; done; true`,
        )
        .catch(() => '')
      await delay(1)
    }
  })()
  for (let round = 0; round < 6; round += 1) {
    const progress = await restoreMembers(user, members, restoreParts({ paths }))
    expect(['done', 'failed']).toContain(progress.state)
    const [kept] = await host.backups.restores({ username: user.username })
    if (kept) await host.work({ kind: 'undo', username: user.username, restoreId: kept.id })
  }
  over = true
  await swapping
  for (const name of await readdir(outside))
    if (name !== 'secret')
      expect([name, (await lstat(path.join(outside, name))).uid]).toEqual([name, user.uid])
  expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe('secret')
})

it('a later account of the same name cannot undo what an earlier one has restored', async () => {
  const user = await host.account()
  await host.shell(user, 'echo old > a')
  const members: Member[] = [[{ name: 'home/a' }, 'x']]
  expect((await restoreMembers(user, members, restoreParts({ paths: ['a'] }))).error).toBeNull()
  const [kept] = await host.backups.restores({ username: user.username })
  // As a new home has it: the folder with the name that nobody else knows is not there.
  await host.shell(user, 'rm -rf .berth-*')
  const undone = await host.work({
    kind: 'undo',
    username: user.username,
    restoreId: kept?.id ?? '',
  })
  expect(undone.error?.status).toBe(409)
})
