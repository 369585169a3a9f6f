import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyDatabase } from '#adapters/node/agent/recovery/export/copy-database.ts'

let room: string
beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), 'berth-copy-'))
})
afterEach(() => {
  rmSync(room, { recursive: true, force: true })
})

/** Writes pairs that belong together, as fast as it can, with checkpoints in between, the file locked for itself. */
const WRITER = `
import Database from 'better-sqlite3'
const db = new Database(process.argv[1])
db.pragma('locking_mode = EXCLUSIVE')
db.pragma('journal_mode = WAL')
db.pragma('wal_autocheckpoint = 200')
db.exec('create table a (n integer, pad text); create table b (n integer)')
const put = db.transaction((n) => {
  db.prepare('insert into a values (?, ?)').run(n, 'x'.repeat(2000))
  db.prepare('insert into b values (?)').run(n)
  // Kept small: a file that only grows takes ever longer to copy.
  for (const table of ['a', 'b']) db.prepare('delete from ' + table + ' where n < ?').run(n - 200)
})
put(0)
process.stdout.write('ready')
for (let n = 1; ; n += 1) put(n)
`

test('copies of a database that is locked and written to all the time are of one moment each', async () => {
  const file = join(room, 'a.db')
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file], {
    cwd: process.cwd(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(writer.stdout, 'data')
    let last = 0
    for (let turn = 0; turn < 10; turn += 1) {
      const copy = join(room, `copy-${turn}.db`)
      // A log that begins anew under every copy is told, not taken.
      const made = await copyDatabase(file, copy).then(
        () => true,
        (error: unknown) => {
          expect(String(error)).toMatch(/cannot be copied/)
          return false
        },
      )
      if (!made) continue
      const db = new Database(copy, { readonly: true })
      const count = (table: string): number =>
        (db.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n
      const newest = (table: string): number =>
        (db.prepare(`select max(n) as n from ${table}`).get() as { n: number }).n
      expect([count('a'), newest('a')]).toEqual([count('b'), newest('b')])
      expect(newest('a')).toBeGreaterThanOrEqual(last)
      last = newest('a')
      db.close()
    }
    expect(last).toBeGreaterThan(0)
  } finally {
    writer.kill('SIGKILL')
  }
})

test('a database without a log is copied too', async () => {
  const file = join(room, 'a.db')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec('create table a (n integer); insert into a values (7)')
  db.close()
  await copyDatabase(file, join(room, 'copy.db'))
  const copy = new Database(join(room, 'copy.db'), { readonly: true })
  expect(copy.prepare('select n from a').get()).toEqual({ n: 7 })
  copy.close()
})
