import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyStore } from '#adapters/node/store/copy/copy-store.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { account, domain, NOW, operation, UNLIMITED } from '#test/contract/store/store-rows.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

let server: PostgresServer
beforeAll(async () => {
  makeDirectory()
  server = await startPostgres()
})
afterAll(() => server?.stop())

const add = async (store: Awaited<ReturnType<typeof openStore>>['store'], name: string) => {
  const made = await store.insertAccount(
    account(name),
    domain(`${name}.example`),
    operation(name),
    UNLIMITED,
  )
  if (typeof made === 'string') throw new Error(made)
  return made
}

/** A store with rows of every kind of table: numbered, named, ordered by their coming, without a key. */
const filled = async (file: string): Promise<void> => {
  const { store, close } = await openStore(file)
  await store.createFirstAdmin({
    ...{ username: 'boss', password_hash: 'hash', not_before_secs: 0, created_at: NOW },
  })
  for (let at = 0; at < 600; at++) await add(store, `site${at}`)
  const last = await add(store, 'gone')
  await store.closeOperation(operation('gone').id, 'done')
  await store.deleteAccount(last.account.id)
  await store.putMetric(60, {
    ...{ at_secs: 60, cpu_percent: 12.5, memory_used_mb: 1 / 3, memory_total_mb: 100 },
    ...{ disk_used_mb: null, load_1: 0, load_5: 0, load_15: 0 },
    ...{ requests_per_sec: null, hits_per_sec: null, lookups_per_sec: null },
  })
  await store.insertAudit([
    {
      ...{
        at: NOW,
        actor: 'boß "x" \\ \u{1f600}\n',
        role: null,
        via: null,
        action: 'POST /',
        summary: '',
      },
      ...{
        target: "'; drop table audit; --",
        address: '::1',
        status: 200,
        reseller_id: null,
        result: 'done',
      },
    },
  ])
  close()
}

test('a store goes to PostgreSQL and comes back as it was, and no number is given twice', async () => {
  const [first, second] = [join(directory, 'first.db'), join(directory, 'second.db')]
  await filled(first)
  const url = await server.newDatabase()
  const seen: number[] = []
  const there = await copyStore({ file: first }, { url }, ({ rows }) => seen.push(rows))
  expect(there.rows).toBeGreaterThan(1800)
  expect(seen.at(-1)).toBe(there.rows)
  expect(await copyStore({ url }, { file: second })).toEqual(there)
  const dump = (file: string) => {
    const db = new Database(file, { readonly: true })
    const everyColumnOf = (table: string): string =>
      db.prepare('select cid + 1 from pragma_table_info(?)').pluck().all(table).join(', ')
    const tables = db
      .prepare("select name from sqlite_schema where type = 'table' and name <> 'schema_versions'")
      .pluck()
      .all()
      .map(String)
    const rows = tables.map((name) => [
      name,
      db
        .prepare(`select * from "${name}" order by ${everyColumnOf(name)}`)
        .all()
        // Of tables that never had a row SQLite says so, or nothing.
        .filter((row) => name !== 'sqlite_sequence' || (row as { seq: number }).seq > 0),
    ])
    db.close()
    return Object.fromEntries(rows) as Record<string, unknown[]>
  }
  const [copied, original] = [dump(second), dump(first)]
  for (const [name, rows] of Object.entries(original))
    expect([name, copied[name]]).toEqual([name, rows])

  // The highest number had an account that is gone.
  const panel = await openPostgres(url)
  const { account: next } = await add(panel.store, 'next')
  expect(next.id).toBe(602)
  expect((await panel.store.openOperations()).map(({ subject }) => subject).slice(0, 3)).toEqual([
    'site0',
    'site1',
    'site2',
  ])
  await panel.close()
})

test('a store that is in use is not written over', async () => {
  const file = join(directory, 'used.db')
  const { store, close } = await openStore(file)
  await add(store, 'alice')
  close()
  const url = await server.newDatabase()
  await copyStore({ file }, { url })
  await expect(copyStore({ file }, { url })).rejects.toThrow('in use at the target')
  await expect(copyStore({ url }, { file })).rejects.toThrow('in use at the target')
  await expect(copyStore({ file: join(directory, 'none.db') }, { url })).rejects.toThrow(
    'There is no',
  )
})

test('a copy that breaks off, or differs, changes nothing', async () => {
  const file = join(directory, 'broken.db')
  const { store, close } = await openStore(file)
  await add(store, 'alice')
  close()
  const url = await server.newDatabase()
  const panel = await openPostgres(url)
  await panel.close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A server that changes what it is given.
  await client.query(`create function spoil() returns trigger language plpgsql as
    $$ begin new.email := 'other'; return new; end $$`)
  await client.query(
    'create trigger spoil before insert on accounts for each row execute function spoil()',
  )
  await expect(copyStore({ file }, { url })).rejects.toThrow(
    'table accounts is not like the original',
  )
  expect((await client.query('select 1 from accounts')).rows).toEqual([])
  expect((await client.query('select 1 from plans')).rows).toHaveLength(3)
  await client.end()
})
