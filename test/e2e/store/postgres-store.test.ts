import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
