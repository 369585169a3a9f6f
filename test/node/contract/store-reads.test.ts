import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { STORE_READS } from '#test/crash/support/store-reads.ts'

/** Of several shapes: whatever a method takes, one of them gets as far as the database. */
const ARGUMENTS: unknown[][] = [
  [],
  [1, 1, 1, 1],
  [1, '2026-01-01', '2026-01-02'],
  ['x', 'x', 1],
  ['undone', ['x'], '2026-01-01 00:00:00'],
  ['mariadb', 'x'],
  ['hour', 1, 2],
  [{ role: 'admin', id: 1 }, 1],
  ['admin', [1]],
  [[1, 2]],
  [['x']],
  [{}],
]

let directory: string
let opened: Awaited<ReturnType<typeof openStore>>
const prepared: { sql: string; readonly: boolean }[] = []
const prepare = Database.prototype.prepare as (
  this: Database.Database,
  sql: string,
) => Database.Statement
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-reads-'))
  opened = await openStore(join(directory, 'panel.db'))
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql)
    prepared.push({ sql, readonly: statement.readonly })
    return statement
  } as typeof Database.prototype.prepare
})
afterAll(() => {
  Database.prototype.prepare = prepare as typeof Database.prototype.prepare
  opened.close()
  rmSync(directory, { recursive: true, force: true })
})

test.each(STORE_READS)('%s changes nothing, as the rehearsals of crashes believe', async (name) => {
  prepared.length = 0
  const read = opened.store[name] as (...input: unknown[]) => Promise<unknown>
  for (const input of ARGUMENTS)
    await (async () => Reflect.apply(read, opened.store, input))().catch(() => undefined)
  expect(prepared.length).toBeGreaterThan(0)
  expect(prepared.filter((one) => !one.readonly)).toEqual([])
})
