import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createArchiveIndex } from '#adapters/node/agent/backups/restore/archive-index.ts'
import type { IndexedArchive } from '#adapters/node/agent/backups/restore/archive-index.ts'

const FILES = 100_000
const SHA256 = 'a'.repeat(64)
let directory = ''

const nameOf = (n: number): string => `f${String(n).padStart(6, '0')}`
const archive = (sha256: string, username: string, withFile: IndexedArchive['withFile']) => ({
  ...{ sha256, username, withFile },
  limits: { maxEntries: 1, maxBytes: 1 },
})
const never = (): Promise<void> => Promise.reject(new Error('not to be read'))

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-index-'))
  const index = new Database(path.join(directory, `${SHA256}.index`))
  index.exec(`
    CREATE TABLE entries (parent TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      size INTEGER NOT NULL, mode TEXT NOT NULL, modified_at TEXT NOT NULL,
      PRIMARY KEY (parent, name)) WITHOUT ROWID;
    CREATE TABLE databases (engine TEXT NOT NULL, name TEXT NOT NULL);`)
  const insert = index.prepare('INSERT INTO entries VALUES (?, ?, ?, 1, 644, 0)')
  index.transaction(() => {
    insert.run('', 'flat', 'directory')
    for (let n = 0; n < FILES; n++) insert.run('flat', nameOf(n), 'file')
  })()
  index.close()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const indexes = () => createArchiveIndex({ directory, keys: {} as never })

it('a folder of very many files is looked into without holding up everything else', async () => {
  let turns = 0
  let over = false
  const count = (): void => {
    turns += 1
    if (!over) setImmediate(count)
  }
  setImmediate(count)
  const wanted = { directory: 'flat', offset: 98_500 }
  const found = await indexes().contents(archive(SHA256, 'alice', never), wanted, 10_000)
  over = true
  expect(found?.total).toBe(FILES)
  expect(found?.entries).toHaveLength(1000)
  expect(found?.entries[0]?.path).toBe(`flat/${nameOf(98_500)}`)
  expect(turns).toBeGreaterThanOrEqual(FILES / 2000)
  for (const [offset, length] of [
    [0, 1000],
    [99_999, 1],
    [FILES, 0],
    [10_000_000, 0],
  ] as const) {
    const page = await indexes().contents(
      archive(SHA256, 'alice', never),
      { directory: 'flat', offset },
      10_000,
    )
    expect([page?.total, page?.entries.length]).toEqual([FILES, length])
  }
})

it('of one account one archive is read after the other, of several at once', async () => {
  const index = indexes()
  /** What ends the reading of each that was begun; accounts do not wait for one another, in no order. */
  const begun = new Map<string, () => void>()
  const look = (sha256: string, username: string) =>
    index
      .contents(
        archive(
          sha256,
          username,
          () =>
            new Promise((_resolve, reject) => begun.set(sha256, () => reject(new Error('broken')))),
        ),
        { directory: '', offset: 0 },
        60_000,
      )
      .catch(String)
  const looks = [look('1', 'alice'), look('2', 'alice'), look('3', 'alice'), look('4', 'bobby')]
  const untilBegun = (names: string[]) =>
    expect.poll(() => [...begun.keys()].toSorted()).toEqual(names)
  await untilBegun(['1', '4'])
  begun.get('1')?.()
  expect(await looks[0]).toContain('broken')
  await untilBegun(['1', '2', '4'])
  begun.get('2')?.()
  await untilBegun(['1', '2', '3', '4'])
  for (const end of begun.values()) end()
  await Promise.all(looks)
})
