import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore, readingDialect } from '#adapters/node/store/open-store.ts'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'
import { createStoreReader, createWriteCompiler } from '#adapters/shared/store/write-compiler.ts'
import { storeContract } from '#test/contract/store/store-contract.ts'

const temporary = () => mkdtemp(join(tmpdir(), 'berth-store-'))

storeContract('SQLite file', async () => {
  const directory = await temporary()
  const { store, close } = await openStore(join(directory, 'panel.sqlite'))
  return {
    store,
    async dispose() {
      close()
      await rm(directory, { recursive: true, force: true })
    },
  }
})

describe('SQLite file', () => {
  let directory: string
  beforeAll(async () => {
    directory = await temporary()
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('from before there were plans keeps its accounts, of whose limits the host is to be told', async () => {
    const file = join(directory, 'old.sqlite')
    const db = new Database(file)
    db.exec('CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, applied_at TEXT)')
    for (const { version, statements } of MIGRATIONS.filter((one) => one.version < 16)) {
      db.prepare('INSERT INTO schema_versions (version) VALUES (?)').run(version)
      for (const statement of statements) db.exec(statement)
    }
    const insert = db.prepare(
      `INSERT INTO accounts (username, primary_domain, email, plan, status, disk_quota_mb,
         bandwidth_quota_mb, disk_used_mb, password_hash, php_mode, not_before_secs, created_at,
         updated_at)
       VALUES (?, 'a.example', 'a@a.example', 'pro', ?, 5000, 100000, 0, 'x', 'fpm', 0, 'now', 'now')`,
    )
    for (const status of ['active', 'suspended', 'creating']) insert.run(`is${status}`, status)
    db.close()
    const { store, close } = await openStore(file)
    expect(await store.planByName('pro')).toMatchObject({ accounts: 3, domains_limit: 25 })
    const open = await store.openOperations()
    expect(open.map(({ kind, subject, data }) => [kind, subject, data])).toEqual([
      ['account.limits', 'isactive', { account_id: 1 }],
      ['account.limits', 'issuspended', { account_id: 2 }],
    ])
    close()
  })

  test('writes nothing outside of a batch', async () => {
    const db = new Database(':memory:')
    db.exec('CREATE TABLE settings (key TEXT, value TEXT)')
    const dialect = readingDialect(db)
    const reader = createStoreReader(dialect)
    const write = createWriteCompiler(dialect)
    await expect(reader.query(sql`delete from settings`)).rejects.toThrow('outside of a batch')
    await expect(write.deleteFrom('settings').execute()).rejects.toThrow('outside of a batch')
    expect(await reader.selectFrom('settings').selectAll().execute()).toEqual([])
    db.close()
  })

  test('belongs to its owner alone and keeps what was written', async () => {
    const file = join(directory, 'panel.sqlite')
    const admin = { username: 'boss', password_hash: 'x', not_before_secs: 0, created_at: 'now' }
    const first = await openStore(file)
    await first.store.createFirstAdmin(admin)
    for (const name of await readdir(directory)) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
    }
    first.close()
    const second = await openStore(file)
    expect(await second.store.adminByName('boss')).toMatchObject(admin)
    expect(await second.store.createFirstAdmin(admin)).toBeNull()
    second.close()
  })
})
