import Database from 'better-sqlite3'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import { createPostgresBatch } from '#adapters/node/store/postgres/postgres-batch.ts'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'
import { SEQUENCE } from '#adapters/shared/store/postgres/postgres-schema.ts'
import { storeContract } from '#test/contract/store/store-contract.ts'
import { account, domain, operation } from '#test/contract/store/store-rows.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

storeContract('PostgreSQL', async () => {
  const { store, close } = await openPostgres(await server.newDatabase())
  return { store, dispose: close }
})

type Opened = Awaited<ReturnType<typeof openPostgres>>

describe('PostgreSQL', () => {
  let url: string
  let panels: Opened[]
  beforeAll(async () => {
    url = await server.newDatabase()
    // Of programs that migrate at once one does each step, and all of them start.
    panels = await Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
  })
  afterAll(async () => {
    for (const { close } of panels ?? []) await close()
  })
  const add = (panel: number, name: string, accounts: number) =>
    panels[panel]!.store.insertAccount(account(name), domain(`${name}.example`), operation(name), {
      accounts,
      domains: -1,
    })
  const ask = async <T extends object>(text: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<T>(text)).rows
    } finally {
      await client.end()
    }
  }

  test('has the tables, columns and unique keys of SQLite', async () => {
    const db = new Database(':memory:')
    for (const statement of MIGRATIONS.flatMap(({ statements }) => statements)) db.exec(statement)
    const sqlite = db
      .prepare(
        `select tables.name || '.' || columns.name || case columns."notnull" when 1 then ' not null' else '' end
          || case when columns.pk > 0 then ' key' else '' end as line
        from sqlite_schema as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and tables.name not like 'sqlite_%'`,
      )
      .pluck()
      .all()
    const uniques = db
      .prepare(
        `select tables.name || ' ' || (select group_concat(coalesce(name, '?')) from pragma_index_info(keys.name)) as line
        from sqlite_schema as tables join pragma_index_list(tables.name) as keys
        where tables.type = 'table' and keys."unique" = 1 and keys.origin <> 'pk'`,
      )
      .pluck()
      .all()
    db.close()
    const keys = `array(select coalesce(a.attname, '?') from unnest(i.indkey) with ordinality as k (number, place)
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number and k.number > 0 order by place)`
    const columns = await ask<{ line: string }>(
      `select c.relname || '.' || a.attname || case when a.attnotnull and not coalesce(a.attnum = any(i.indkey), false)
          then ' not null' else '' end || case when a.attnum = any(i.indkey) then ' key' else '' end as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and c.relname <> 'schema_versions' and a.attname <> '${SEQUENCE}'`,
    )
    const own = await ask<{ line: string }>(
      `select c.relname || ' ' || array_to_string(${keys}, ',') as line
      from pg_index i join pg_class c on c.oid = i.indrelid
      where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary`,
    )
    // What is a key is never null there; SQLite says so of some.
    const plain = (line: unknown): string => String(line).replace(' not null key', ' key')
    expect(columns.map(({ line }) => line).toSorted()).toEqual(sqlite.map(plain).toSorted())
    expect(own.map(({ line }) => line).toSorted()).toEqual(uniques.map(String).toSorted())
  })

  test('lets panels at once have exactly as many accounts as there is room for', async () => {
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, at) => add(at % panels.length, `many${at}`, 20)),
    )
    expect(made.filter((one) => one === 'account-limit')).toHaveLength(40)
    expect(await panels[0]!.store.countAccounts()).toBe(20)
  })

  test('numbers the changes of jobs one by one, whoever makes them', async () => {
    const job = (id: string) => ({
      ...{ id, kind: 'account.create', subject: 'a', account_id: null, reseller_id: null },
      ...{ state: 'queued' as const, progress: 0, step: null, detail: null, result: null },
      ...{ error: null, status: null, created_at: '2026-01-01 00:00:00' },
      ...{ started_at: null, finished_at: null },
    })
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        panels[at % panels.length]!.store.insertJob(job(`job-${at}`), '2025-01-01 00:00:00'),
      ),
    )
    const { rows } = await panels[1]!.store.listJobs()
    expect(rows.map(({ change }) => change).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    )
    expect(rows.every((row) => !(SEQUENCE in row))).toBe(true)
  })

  test('lets nobody who stands still within a batch hold up the others for long', async () => {
    const pool = new pg.Pool({
      connectionString: url,
      options: '-c idle_in_transaction_session_timeout=500',
    })
    pool.on('error', () => undefined)
    const frozen = await pool.connect()
    frozen.on('error', () => undefined)
    await frozen.query('begin')
    await frozen.query('select pg_advisory_xact_lock(7071)')
    expect(await add(0, 'patient', -1)).toMatchObject({ account: { username: 'patient' } })
    await expect(frozen.query('commit')).rejects.toThrow()
    frozen.release(true)
    await pool.end()
    const [settings] = await ask<{ found: string }>(
      `select string_agg(query, '') as found from pg_stat_activity where datname = current_database()
        and application_name = 'berth panel' and state like 'idle in%'`,
    )
    expect(settings?.found).toBeNull()
  })

  const insert = (key: string) =>
    CompiledQuery.raw('insert into settings (key, value) values ($1, $2)', [key, 'x'])
  const written = async (key: string): Promise<boolean> =>
    (await ask(`select 1 from settings where key = '${key}'`)).length === 1

  /** Batches over a real pool, where the answer to `commit` is lost; `before`: what happens instead of it. */
  const losing = (pool: pg.Pool, before: (client: pg.PoolClient) => Promise<unknown>) =>
    createPostgresBatch({
      connect: async () => {
        const client = await pool.connect()
        client.on('error', () => undefined)
        return new Proxy(client, {
          get: (target, name) => {
            if (name !== 'query') return Reflect.get(target, name, target)
            return async (text: string, values?: unknown[]) => {
              if (text !== 'commit') return target.query(text, values)
              await before(target)
              throw new Error('Connection terminated unexpectedly')
            }
          },
        })
      },
      query: (text: string, values: unknown[]) => pool.query(text, values),
    } as unknown as pg.Pool)

  test('outlives connections that end between two statements of a batch', async () => {
    let over = false
    let ended = 0
    const writing = Array.from({ length: 150 }, (_, at) =>
      add(at % 3, `ends${at}`, -1).then(
        () => 'written',
        (error: unknown) => (error as { status?: number }).status ?? String(error),
      ),
    )
    const ends = async (): Promise<void> => {
      while (!over)
        ended += (
          await ask(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where application_name = 'berth panel' and state = 'idle in transaction'`,
          )
        ).length
    }
    const ending = ends()
    const outcomes = new Set(await Promise.all(writing))
    over = true
    await ending
    expect(ended).toBeGreaterThan(0)
    expect(outcomes).toEqual(new Set(['written', 503]))
  })

  test('asks what became of a commit whose answer was lost', async () => {
    const pool = new pg.Pool({ connectionString: url })
    pool.on('error', () => undefined)
    const kept = losing(pool, (client) => client.query('commit'))
    expect(await kept([insert('kept')])).toMatchObject([{ changes: 1 }])
    expect(await written('kept')).toBe(true)
    const cutOff = losing(pool, (client) => client.query('rollback'))
    await expect(cutOff([insert('cut-off')])).rejects.toMatchObject({ status: 503 })
    expect(await written('cut-off')).toBe(false)
    await pool.end()
  })

  test('says 503 while the server is away, and goes on when it is back', async () => {
    await server.kill()
    await expect(add(0, 'meanwhile', -1)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('does not answer'),
    })
    await expect(panels[1]!.store.countAccounts()).rejects.toMatchObject({ status: 503 })
    await server.start()
    await waitFor(async () => expect(await add(0, 'later', -1)).toMatchObject({ account: {} }))
    expect(await panels[1]!.store.accountByName('patient')).not.toBeNull()
    expect(await panels[1]!.store.accountByName('meanwhile')).toBeNull()
  })

  test('refuses a server that would lose or garble what it is given', async () => {
    const loses = await server.newDatabase()
    await server.query(
      `alter database ${new URL(loses).pathname.slice(1)} set synchronous_commit = off`,
    )
    await expect(openPostgres(loses)).rejects.toThrow('synchronous_commit is off')
    await server.query(`create database garbled encoding 'SQL_ASCII' template template0`)
    await expect(openPostgres(loses.replace(/panel_\d+/, 'garbled'))).rejects.toThrow(
      'has the encoding SQL_ASCII',
    )
  })
})
