import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderStore } from '#adapters/node/store/copy/order-store.ts'
import { isStoreInUse, putStore, saveStore } from '#adapters/node/store/copy/save-store.ts'
import { makeSqliteSchema, sqliteVersion } from '#adapters/node/store/copy/schema-of.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { NO_FILES } from '#adapters/node/store/postgres/connection-of.ts'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'
import { account, domain, operation, UNLIMITED } from '#test/contract/store/store-rows.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

let server: PostgresServer
beforeAll(async () => {
  makeDirectory()
  chmodSync(directory, 0o755)
  server = await startPostgres()
})
afterAll(() => server?.stop())

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0
/** Of a version whose accounts can be told from the newest ones. */
const EARLIER = NEWEST - 3

const versionIn = (file: string): number => {
  const db = new Database(file, { readonly: true })
  try {
    return sqliteVersion(db)
  } finally {
    db.close()
  }
}
const place = (url: string) => ({ url, files: NO_FILES })
const panelWith = async (url: string, ...names: string[]): Promise<void> => {
  const { store, close } = await openPostgres(url)
  for (const name of names)
    await store.insertAccount(account(name), domain(`${name}.example`), operation(name), UNLIMITED)
  await close()
}
const accountsIn = async (url: string): Promise<string[]> => {
  const { store, close } = await openPostgres(url)
  try {
    return (await store.openOperations()).map(({ subject }) => subject)
  } finally {
    await close()
  }
}

test('a store is saved to a file, and put back over what came after it, as it was', async () => {
  const url = await server.newDatabase()
  expect(await isStoreInUse(place(url))).toBe(false)
  await panelWith(url, 'alice')
  expect(await isStoreInUse(place(url))).toBe(true)
  const file = join(directory, 'saved.db')
  const saved = await saveStore(place(url), file)
  expect(versionIn(file)).toBe(NEWEST)
  const { store, close } = await openStore(file)
  expect(await store.countAccounts()).toBe(1)
  close()
  await panelWith(url, 'bob')
  expect(await putStore(file, place(url))).toEqual(saved)
  expect(await accountsIn(url)).toEqual(['alice'])
  await expect(saveStore(place(url), file)).rejects.toThrow('EEXIST')
})

test('it keeps the version of the schema, also over a newer one', async () => {
  const file = join(directory, 'earlier.db')
  const made = new Database(file)
  makeSqliteSchema(made, EARLIER)
  made.close()
  const url = await server.newDatabase()
  await panelWith(url, 'later')
  await putStore(file, place(url))
  const again = join(directory, 'again.db')
  await saveStore(place(url), again)
  expect(versionIn(again)).toBe(EARLIER)
  // The program of today goes on with it.
  await panelWith(url, 'alice')
  expect(await accountsIn(url)).toEqual(['alice'])
})

test('what breaks off changes nothing and leaves no file', async () => {
  const url = await server.newDatabase()
  await panelWith(url, 'alice')
  const stranger = join(directory, 'stranger.db')
  new Database(stranger).exec('CREATE TABLE x (y)').close()
  await expect(putStore(stranger, place(url))).rejects.toThrow('no store of a panel')
  const newer = join(directory, 'newer.db')
  const db = new Database(newer)
  makeSqliteSchema(db, NEWEST)
  db.exec(`INSERT INTO schema_versions (version) VALUES (${NEWEST + 1})`)
  db.close()
  await expect(putStore(newer, place(url))).rejects.toThrow('Use the newer program')
  expect(await accountsIn(url)).toEqual(['alice'])
  const empty = await server.newDatabase()
  const file = join(directory, 'none.db')
  await expect(saveStore(place(empty), file)).rejects.toThrow('no store of a panel')
  expect(existsSync(file)).toBe(false)
})

test('a process of its own does it, tells how far it is, and what is wrong', async () => {
  const url = await server.newDatabase()
  await panelWith(url, 'alice')
  const order = { directory, server: place(url) }
  expect(await orderStore({ action: 'is-used', ...order })).toEqual({ kind: 'used', used: true })
  const file = join(directory, 'ordered.db')
  const tables: string[] = []
  const answer = await orderStore({ action: 'save', file, ...order }, ({ table }) => {
    tables.push(table)
  })
  expect(answer).toMatchObject({ kind: 'copied' })
  expect(tables).toContain('accounts')
  await expect(orderStore({ action: 'put', file: '/none.db', ...order })).rejects.toThrow(
    'There is no /none.db',
  )
})
