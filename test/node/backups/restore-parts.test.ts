import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import type { BackupFacts } from '#handlers/ports/host/backups/backups.ts'
import type { KeptRestore, RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
beforeAll(async () => {
  host = await createBackupFixture()
})
afterAll(async () => {
  await host?.dispose()
})

type Known = BackupFacts & { username: string; filename: string; location: string }

const backUp = async (user: OsUser): Promise<Known> => {
  const filename = host.nameOf(user)
  const facts = await host.create(user, filename)
  return { username: user.username, filename, location: 'local', ...facts }
}
const restore = (known: Known, parts: RestoreParts) =>
  host.work({ kind: 'restore', parts, ...known })
const restored = async (known: Known, parts: RestoreParts): Promise<KeptRestore> => {
  expect(await restore(known, parts)).toMatchObject({ state: 'done', error: null })
  const [kept] = await host.backups.restores({ username: known.username })
  if (kept === undefined) throw new Error('nothing is kept of a restore')
  return kept
}
const undo = (user: OsUser, { id }: KeptRestore) =>
  host.work({ kind: 'undo', username: user.username, restoreId: id })
const folders = async (user: OsUser): Promise<string[]> =>
  (await readdir(user.home)).filter((name) => name.startsWith('.berth-'))
const text = (user: OsUser, file: string): Promise<string> => host.shell(user, `cat '${file}'`)

/** An account whose files and databases say `backup` in a backup, and `now` since. */
const twoStates = async () => {
  const user = await host.account()
  const names = [await host.database(user, 'one'), await host.database(user, 'two')] as const
  for (const name of names)
    await host.query(name, "CREATE TABLE a (b VARCHAR(9)); INSERT INTO a VALUES ('backup')")
  await host.shell(
    user,
    `mkdir -p 'a/b c/d' e && echo backup | tee 'a/b c/d/f' a/g e/h i.txt 'ü.txt' >/dev/null; chmod 700 a; ln -s i.txt l`,
  )
  const known = await backUp(user)
  for (const name of names) await host.query(name, "UPDATE a SET b = 'now'")
  await host.shell(
    user,
    `echo now | tee 'a/b c/d/f' 'a/b c/d/new' a/g e/h i.txt 'ü.txt' >/dev/null`,
  )
  const stateOf = async (database: string): Promise<unknown> =>
    (await host.query(database, 'SELECT b FROM a'))[0]?.['b']
  return { user, names, known, stateOf }
}

describe('parts of a backup', () => {
  it('come back alone, folders with all that is in them', async () => {
    const { user, names, known, stateOf } = await twoStates()
    const [one, two] = names
    const parts = restoreParts({
      paths: ['a/b c', 'ü.txt', './e/h/'],
      databases: [{ engine: 'mariadb', database: one }],
    })
    await restored(known, parts)
    for (const file of ['a/b c/d/f', 'ü.txt', 'e/h'])
      expect(await text(user, file)).toBe('backup\n')
    for (const file of ['a/g', 'i.txt']) expect(await text(user, file)).toBe('now\n')
    expect(existsSync(`${user.home}/a/b c/d/new`)).toBe(false)
    expect([await stateOf(one), await stateOf(two)]).toEqual(['backup', 'now'])
    // What is gone comes back with the folders above it, and links as links.
    await host.shell(user, 'rm -r a l; rm i.txt')
    await restored(known, restoreParts({ paths: ['a/b c/d/f', 'a/g', 'l'] }))
    expect(await host.shell(user, 'stat -c %a a; readlink l; cat a/g "a/b c/d/f"')).toBe(
      '700\ni.txt\nbackup\nbackup\n',
    )
    expect(existsSync(`${user.home}/i.txt`)).toBe(false)
    expect(await folders(user)).toHaveLength(1)
  })

  it('that the backup lacks are named, and nothing is changed', async () => {
    const { user, names, known } = await twoStates()
    const lacking = await restore(known, restoreParts({ paths: ['a/g', 'a/none', 'x'] }))
    expect(lacking.error).toMatchObject({ status: 404, field: 'paths' })
    expect(lacking.error?.message).toContain('"a/none" (and 1 more)')
    const database = `${user.username}_none`
    const none = await restore(
      known,
      restoreParts({ paths: ['a/g'], databases: [{ engine: 'mariadb', database }] }),
    )
    expect(none.error).toMatchObject({ status: 404, field: 'databases' })
    // Below a link there is nothing in an archive.
    const behind = await restore(known, restoreParts({ paths: ['l/x'] }))
    expect(behind.error?.status).toBe(404)
    expect(await text(user, 'a/g')).toBe('now\n')
    expect(await folders(user)).toEqual([])
    expect(names).toHaveLength(2)
  })

  it('also read-only folders are exchanged, and keep their modes', async () => {
    const user = await host.account()
    await host.shell(user, 'mkdir -p ro/in && echo backup > ro/in/f && chmod 555 ro/in ro')
    const known = await backUp(user)
    for (const parts of [restoreParts({ paths: ['ro'] }), restoreParts({ what: 'files' })]) {
      await host.shell(user, 'chmod 755 ro ro/in; echo now > ro/in/f; chmod 555 ro/in ro')
      const kept = await restored(known, parts)
      expect(await host.shell(user, 'stat -c %a ro ro/in; cat ro/in/f')).toBe('555\n555\nbackup\n')
      expect(await undo(user, kept)).toMatchObject({ state: 'done', error: null })
      expect(await host.shell(user, 'stat -c %a ro ro/in; cat ro/in/f')).toBe('555\n555\nnow\n')
    }
  })
})

describe('undoing a restore', () => {
  it.each([
    ['parts', { paths: ['a/b c/d', 'gone', 'i.txt'] }],
    ['all files', { what: 'files' }],
    ['everything', { what: 'all' }],
    ['databases', { what: 'databases' }],
  ] as const)('brings back what was there, and can be undone: %s', async (_, wish) => {
    const { user, names, known: first, stateOf } = await twoStates()
    await host.shell(user, 'mkdir -p gone/deep && echo backup > gone/deep/f')
    const known = 'paths' in wish ? await backUp(user) : first
    await host.shell(user, 'rm -rf gone; echo later | tee i.txt "a/b c/d/f" > /dev/null')
    const picture = async () => [
      await host.shell(
        user,
        `find . -not -path './.berth-*' -type f -exec md5sum {} + | sort; find . -not -path './.berth-*' -type d -printf '%P %m\\n' | sort`,
      ),
      ...(await Promise.all(names.map(stateOf))),
    ]
    const before = await picture()
    const kept = await restored(known, restoreParts(wish))
    const after = await picture()
    expect(after).not.toEqual(before)
    expect(kept).toMatchObject({ isUndo: false, lost: null, from: { filename: known.filename } })
    expect(await undo(user, kept)).toMatchObject({ state: 'done', error: null })
    expect(await picture()).toEqual(before)
    const [redo, ...more] = await host.backups.restores({ username: user.username })
    expect([redo?.isUndo, more]).toEqual([true, []])
    expect((await undo(user, kept)).error?.status).toBe(404)
    expect(await undo(user, redo as KeptRestore)).toMatchObject({ state: 'done', error: null })
    expect(await picture()).toEqual(after)
    expect(await folders(user)).toHaveLength('what' in wish && wish.what === 'databases' ? 0 : 1)
    // A backup knows nothing of what is kept.
    expect((await backUp(user)).skipped).toBe(0)
  })

  it('is for its own account, for a day, and for as long as the folder is there', async () => {
    const { user, known } = await twoStates()
    const other = await host.account()
    const parts = restoreParts({ paths: ['i.txt'] })
    let kept = await restored(known, parts)
    expect((await undo(other, kept)).error?.status).toBe(404)
    expect(await host.backups.restores({ username: other.username })).toEqual([])
    await host.shell(user, 'rm -rf .berth-restore-*')
    expect((await undo(user, kept)).error?.status).toBe(409)
    expect(await host.backups.restores({ username: user.username })).toMatchObject([
      { id: kept.id, lost: 'removed' },
    ])
    kept = await restored(known, parts)
    await host.restart({ keepRestoresMs: -1000 })
    expect((await restore(known, parts)).state).toBe('done')
    expect(await host.backups.restores({ username: user.username })).toEqual([])
    await host.restart()
    expect(await folders(user)).toEqual([])
    const left = await readdir(path.join(host.backupsDir, '.kept'))
    expect(left.filter((id) => id === kept.id)).toEqual([])
  })

  it('ends where the quota has too little room left', async () => {
    const user = await host.account(20)
    await host.shell(user, 'head -c 5M /dev/urandom > big; echo backup > small')
    const known = await backUp(user)
    await host.shell(user, 'head -c 9M /dev/urandom > big')
    const kept = await restored(known, restoreParts({ what: 'files' }))
    expect(kept.lost).toBeNull()
    // More than half of the quota is used: the old goes before the new comes.
    const next = await restored(known, restoreParts({ what: 'files' }))
    expect(next.lost).toBeNull()
    await host.shell(user, 'head -c 10M /dev/urandom > more; rm -rf .berth-*')
    const lost = await restored(known, restoreParts({ what: 'files' }))
    expect(lost.lost).toBe('quota')
    expect((await undo(user, lost)).error?.status).toBe(409)
    expect(await folders(user)).toEqual([])
  })

  it('of databases alone needs nothing of the home, and loses nothing with what is in it', async () => {
    const { user, names, known, stateOf } = await twoStates()
    const parts = restoreParts({ what: 'databases' })
    const states = () => Promise.all(names.map(stateOf))
    const kept = await restored(known, parts)
    expect([await folders(user), await states()]).toEqual([[], ['backup', 'backup']])
    const [engine] = host.engines as [Engine]
    let loads = 0
    const dying: Engine = {
      ...engine,
      async restore(...of) {
        if ((loads += 1) === 2) throw new Error('dead')
        return engine.restore(...of)
      },
    }
    // The first of two databases is exchanged when it breaks off.
    await host.restart({ engines: [dying] })
    expect((await undo(user, kept)).state).toBe('failed')
    await host.restart()
    expect([await folders(user), await states()]).toEqual([[], ['backup', 'backup']])
    await host.shell(user, 'rm -rf .berth-restore-*')
    expect(await undo(user, kept)).toMatchObject({ state: 'done', error: null })
    expect([await folders(user), await states()]).toEqual([[], ['now', 'now']])
    const [redo] = await host.backups.restores({ username: user.username })
    expect(redo).toMatchObject({ isUndo: true, lost: null })
  })

  it('is put back when it is broken off, and can be tried again', async () => {
    const { user, names, known, stateOf } = await twoStates()
    const kept = await restored(known, restoreParts({ what: 'all' }))
    const [engine] = host.engines as [Engine]
    const dead: Engine = {
      ...engine,
      async restore() {
        throw new Error('dead')
      },
    }
    await host.restart({ engines: [dead] })
    expect((await undo(user, kept)).state).toBe('failed')
    // As after a crash: another agent settles it.
    await host.restart()
    expect(await text(user, 'i.txt')).toBe('backup\n')
    expect(await Promise.all(names.map(stateOf))).toEqual(['backup', 'backup'])
    expect(await host.backups.restores({ username: user.username })).toMatchObject([{ lost: null }])
    expect(await undo(user, kept)).toMatchObject({ state: 'done', error: null })
    expect(await text(user, 'i.txt')).toBe('now\n')
    expect(await Promise.all(names.map(stateOf))).toEqual(['now', 'now'])
  })
})

describe('what is in an archive', () => {
  it('is listed by folder, after one reading', async () => {
    const { user, names, known } = await twoStates()
    const ask = (directory: string, offset = 0) =>
      host.backups.contents({ ...known, directory, offset })
    const home = await ask('')
    expect(home?.databases).toEqual(names.map((database) => ({ engine: 'mariadb', database })))
    expect(home?.entries.map((one) => `${one.type} ${one.path}`)).toEqual(
      expect.arrayContaining(['directory a', 'symlink l', 'file ü.txt']),
    )
    expect(home?.total).toBe(home?.entries.length)
    expect((await ask('', 2))?.entries).toEqual(home?.entries.slice(2))
    expect((await ask('a'))?.entries).toMatchObject([
      { path: 'a/b c', type: 'directory' },
      { path: 'a/g', type: 'file', sizeBytes: 7, mode: '644' },
    ])
    await expect(ask('a/g')).rejects.toMatchObject({ status: 404 })
    await expect(ask('none')).rejects.toMatchObject({ status: 404 })
    // The list outlives the reading, not the archive's own account.
    await rm(path.join(host.backupsDir, known.filename))
    expect((await ask('e'))?.total).toBe(1)
    const other = { ...known, username: user.username, sha256: 'f'.repeat(64) }
    await expect(
      host.backups.contents({ ...other, directory: '', offset: 0 }),
    ).rejects.toMatchObject({ status: 404 })
  })
})
