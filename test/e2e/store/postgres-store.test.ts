import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyServerStore } from '#adapters/node/store/copy/copy-server-store.ts'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { putStateBack, takeStateBackup } from '#adapters/node/install/state-backup.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { Berth } from '../../cli/support/run-berth.ts'

let server: PostgresServer
let instance: Instance
let panel: PanelClient
let berth: Berth

beforeAll(async () => {
  server = await startPostgres()
  const store = await server.newDatabase()
  instance = await startInstance({
    settings: { server: 'workers = 1', panel: `store = ${JSON.stringify(store)}` },
  })
  berth = new Berth('--config', instance.config.file)
  panel = new PanelClient(instance)
  await panel.setup()
})
afterAll(async () => {
  await instance?.stop()
  await server?.stop()
})

const admins = async (): Promise<string[]> =>
  (await panel.data<{ username: string }[]>('GET', '/api/users')).map(({ username }) => username)

test('the product runs with its records in PostgreSQL, and has no SQLite file', async () => {
  expect(await admins()).toEqual(['admin'])
  expect(existsSync(join(instance.config.paths.state_dir, 'panel', 'panel.db'))).toBe(false)
  const made = await berth.run('admin create', ['second'], { input: 'correct horse 10\n' })
  expect([made.code, made.stderr]).toEqual([0, ''])
  expect(await admins()).toEqual(['admin', 'second'])
})

test('without the server it says so, and goes on by itself when it is back', async () => {
  await server.kill()
  const answer = await panel.call('GET', '/api/users')
  expect([answer.status, answer.body.error]).toEqual([
    503,
    expect.stringContaining('database of the panel'),
  ])
  await server.start()
  await waitFor(async () => expect(await admins()).toEqual(['admin', 'second']))
})

test('what was recorded is there after a restart', async () => {
  await instance.stop({ keep: true })
  await instance.startAgain()
  expect(await admins()).toEqual(['admin', 'second'])
})

test('an export holds the records, and an upgrade that fails puts them back', async () => {
  const { config } = instance
  const loaded = await loadConfig(config.file)
  if (!loaded.ok) throw new Error('the configuration has mistakes')
  // A directory of its own, as /etc/berth is.
  const file = join(config.paths.state_dir, '..', 'etc', 'berth.toml')
  mkdirSync(dirname(file))
  copyFileSync(config.file, file)
  const backup = await takeStateBackup({ ...loaded.config, file }, Date.now())
  expect(backup).toMatchObject({ fromServer: true, databases: ['agent/registry.db'] })
  const made = await berth.run('admin create', ['third'], { input: 'correct horse 11\n' })
  expect(made.code).toBe(0)
  expect(await admins()).toEqual(['admin', 'second', 'third'])
  const copy = join(config.paths.state_dir, 'exported.db')
  await copyServerStore(loaded.config, copy)
  const { store, close } = await openStore(copy)
  expect((await store.listAdmins()).rows.map(({ username }) => username)).toContain('third')
  close()
  await instance.stop({ keep: true })
  await putStateBack(loaded.config, backup)
  await instance.startAgain()
  expect(await admins()).toEqual(['admin', 'second'])
})

test('an import puts the records into the database of the configuration, if that is empty', async () => {
  const place = join(instance.config.paths.state_dir, '..', 'etc')
  const [exported, passphrase] = [join(place, 'panel.age'), join(place, 'passphrase')]
  writeFileSync(passphrase, 'five quite random words here\n', { mode: 0o600 })
  const words = [exported, '--passphrase-file', passphrase]
  const out = await berth.run('panel export', words)
  expect([out.code, out.stdout]).toEqual([0, expect.stringContaining('read back')])
  const refused = await berth.run('panel import', words)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('RENAME TO panel_1')])
  expect(refused.stderr).toContain('runs again as before')
  expect((await berth.run('service stop')).code).toBe(0)
  await server.query('alter database panel_1 rename to panel_1_before')
  await server.query('create database panel_1')
  const imported = await berth.run('panel import', words)
  expect([imported.code, imported.stderr]).toEqual([0, ''])
  await instance.startAgain()
  expect(await admins()).toEqual(['admin', 'second'])
})

test('records move to SQLite and back, and the earlier store stays as it was', async () => {
  const { file, paths } = instance.config
  const database = join(paths.state_dir, 'panel', 'panel.db')
  const store = instance.config.panel.store ?? ''
  const out = await berth.run('panel move-store', ['--to', 'sqlite', '--json'])
  expect([out.code, out.stderr]).toEqual([0, ''])
  expect(JSON.parse(out.stdout)).toMatchObject({ now: database, before: store, started: true })
  expect(readFileSync(file, 'utf8')).not.toContain('store =')
  await instance.untilReady()
  expect(await admins()).toEqual(['admin', 'second'])

  const used = await berth.run('panel move-store', ['--to', store])
  expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('Name an empty one')])
  const open = 'postgres://berth@db.example.com/berth'
  const refused = await berth.run('panel move-store', ['--to', open])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('verify-full')])
  // Neither stopped it.
  expect(await admins()).toEqual(['admin', 'second'])

  const empty = await server.newDatabase()
  const back = await berth.run('panel move-store', ['--to', empty])
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('Berth runs again.')])
  expect(back.stderr).toMatch(/rows {2}admins/)
  expect(existsSync(database)).toBe(true)
  await instance.untilReady()
  expect(await admins()).toEqual(['admin', 'second'])
})
