import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from './support/run-berth.ts'

interface Made {
  id: string
  size_bytes: number
  added_bytes: number
}

const MB = 1_000_000
let tenant: Tenant
let berth: Berth
let dir: string
let first: Made

/** A query in the account's database, over the socket of the instance's server. */
const query = async (sql: string): Promise<unknown> => {
  const connection = await createConnection({
    socketPath: join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: `${tenant.username}_shop`,
    password: tenant.password,
    database: `${tenant.username}_shop`,
  })
  const [rows] = await connection.query(sql)
  await connection.end()
  return rows
}

beforeAll(async () => {
  tenant = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
  dir = mkdtempSync(join(tmpdir(), 'bcli-'))
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    engine: 'mariadb',
    db_name: 'shop',
    db_password: tenant.password,
  })
  await query('CREATE TABLE orders (id INT PRIMARY KEY, what TEXT)')
  await query("INSERT INTO orders VALUES (1, 'anchor'), (2, 'rope')")
  const noise = Buffer.alloc(2 * MB)
  crypto.getRandomValues(noise.subarray(0, 65_536))
  for (let at = 0; at < noise.length; at += 65_536)
    crypto.getRandomValues(noise.subarray(at, Math.min(at + 65_536, noise.length)))
  await tenant.put('public_html/big.txt', noise.toString('base64'))
  await tenant.put('public_html/index.html', 'first')
})
afterAll(async () => {
  berth?.remove()
  rmSync(dir, { recursive: true, force: true })
})

test('the second snapshot stores little more than what was changed', async () => {
  first = await berth.json<Made>('snapshots create', [tenant.username, '--target', 'local'])
  expect(first).toMatchObject({ databases: [{ database: `${tenant.username}_shop` }], unread: 0 })
  expect(first.added_bytes).toBeGreaterThan(1.5 * MB)
  await tenant.put('public_html/index.html', 'second')
  await query('DELETE FROM orders')
  const second = await berth.json<Made>('snapshots create', [tenant.username])
  expect(second.size_bytes).toBeGreaterThan(2 * MB)
  expect(second.added_bytes).toBeLessThan(0.2 * MB)
  const list = ['--sort', 'created_at', '--order', 'desc', '--per-page', '5']
  const table = await berth.ok('snapshots list', [tenant.username, ...list])
  expect(table).toMatch(/^ACCOUNT\s+SNAPSHOT\s+CREATED\s+SIZE\s+ADDED/)
  expect(table).toContain(first.id.slice(0, 10))
  expect(await berth.ok('snapshots refresh', [tenant.username, '--location', 'local'])).toBe(
    '0 found, 0 gone.\n',
  )
})

test('it is browsed, and gives out files, folders and dumps', async () => {
  const one = [tenant.username, first.id.slice(0, 8)]
  expect(await berth.ok('snapshots browse', one)).toContain('public_html/')
  const inside = await berth.ok('snapshots browse', [...one, 'public_html', '--page', '1'])
  expect(inside).toContain('index.html')
  expect((await berth.run('snapshots browse', [...one, 'nowhere'])).code).toBe(1)
  expect((await berth.run('snapshots browse', [tenant.username, 'ffff'])).stderr).toContain(
    'There is no snapshot "ffff"',
  )
  const page = ['--path', 'public_html/index.html']
  expect(await berth.ok('snapshots download', [...one, '-', ...page])).toBe('first')
  await berth.ok('snapshots download', [...one, ...page], { cwd: dir })
  expect(readFileSync(join(dir, 'index.html'), 'utf8')).toBe('first')
  expect((await berth.run('snapshots download', [...one, ...page], { cwd: dir })).code).toBe(1)
  const again = [...one, ...page, '--force']
  await berth.ok('snapshots download', again, { cwd: dir })
  await berth.ok('snapshots download', [...one, '--path', 'public_html'], { cwd: dir })
  expect(readFileSync(join(dir, 'public_html.tar.gz')).subarray(0, 2)).toEqual(
    Buffer.from([0x1f, 0x8b]),
  )
  const dump = ['-', '--database', `${tenant.username}_shop`]
  expect(await berth.ok('snapshots download', [...one, ...dump])).toContain('anchor')
})

test('one file and one database are restored, and the rest stays', async () => {
  await tenant.put('public_html/later.txt', 'kept')
  const one = [tenant.username, first.id]
  const parts = ['--path', 'public_html/index.html', '--database', `${tenant.username}_shop`]
  expect((await berth.run('snapshots restore', [...one, ...parts])).code).toBe(2)
  const both = await berth.run('snapshots restore', [...one, ...parts, '--what', 'all', '--yes'])
  expect(both.code).toBe(1)
  await berth.ok('snapshots restore', [...one, ...parts, '--yes'])
  expect(readFileSync(tenant.path('public_html/index.html'), 'utf8')).toBe('first')
  expect(readFileSync(tenant.path('public_html/later.txt'), 'utf8')).toBe('kept')
  expect(await query('SELECT what FROM orders ORDER BY id')).toEqual([
    { what: 'anchor' },
    { what: 'rope' },
  ])
  expect((await instance.site(tenant.domain, '/?fresh')).text).toBe('first')
})

test('it is proved by reading it back and by a test restore', async () => {
  const trial = await berth.json('snapshots prove', [tenant.username, '--kind', 'trial'])
  expect(trial).toMatchObject({ ok: true, error: null, figures: { databases: 1, tables: 1 } })
  expect(await berth.ok('snapshots prove', [tenant.username, '--kind', 'check'])).toMatch(
    /^Proved in [\d.]+ s/,
  )
  expect(await berth.ok('snapshots proofs', ['--q', tenant.username])).toMatch(/trial[^]*yes/)
})

test('it is deleted, and the others stay whole', async () => {
  expect((await berth.run('snapshots delete', [tenant.username, first.id])).code).toBe(2)
  await berth.ok('snapshots delete', [tenant.username, first.id, '--yes'])
  const left = await berth.json<Made[]>('snapshots list', [tenant.username])
  expect(left.map(({ id }) => id)).not.toContain(first.id)
  const page = ['-', '--path', 'public_html/index.html']
  expect(await berth.ok('snapshots download', [tenant.username, 'latest', ...page])).toBe('second')
})
