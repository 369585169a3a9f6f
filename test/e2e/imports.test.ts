import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { osUser, shadowEntry } from '#adapters/node/agent/accounts/os-names.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'

const PASSWORD = 'long enough 1'

let first: Instance
let panel: PanelClient
let tenant: Tenant
let directory = ''
let filename = ''
let database = ''
let systemHash = ''

const start = async (): Promise<{ instance: Instance; client: PanelClient }> => {
  const instance = await startInstance({ settings: { server: 'workers = 1' } })
  const client = new PanelClient(instance)
  await client.setup()
  return { instance, client }
}

const ask = async (instance: Instance, name: string): Promise<unknown> => {
  const connection = await mysql.createConnection({
    socketPath: path.join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: name,
    password: PASSWORD,
    database: name,
  })
  try {
    return (await connection.query('SELECT b FROM names'))[0]
  } finally {
    await connection.end()
  }
}

/** Everything of the account is there as it was. */
const isWhole = async (instance: Instance, client: PanelClient): Promise<void> => {
  const { username, domain, password, uid } = tenant
  expect((await osUser(username))?.uid).toBe(uid)
  expect((await shadowEntry(username))?.hash).toBe(systemHash)
  const login = await client.call('POST', '/api/auth/login', { username, password }, null)
  expect(login.status).toBe(200)
  expect((await instance.site(domain, '/')).text).toBe('the page')
  expect((await instance.site(`two-${domain}`, '/')).text).toBe('second site')
  expect(await ask(instance, database)).toEqual([{ b: 'tea' }])
  const domains = await client.data<{ domain_name: string; cache_ttl: number }[]>(
    'GET',
    `/api/domains?q=${username}&sort=domain_name`,
  )
  expect(domains).toMatchObject([
    { domain_name: domain, cache_ttl: 77 },
    { domain_name: `two-${domain}`, domain_type: 'addon' },
  ])
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-imports-'))
  ;({ instance: first, client: panel } = await start())
  tenant = await Tenant.create(panel, 'pro')
  const made = await panel.data<{ database: string }>('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'shop',
    db_password: PASSWORD,
    engine: 'mariadb',
  })
  ;({ database } = made)
  const connection = await mysql.createConnection({
    socketPath: path.join(first.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: database,
    password: PASSWORD,
    database,
    multipleStatements: true,
  })
  await connection.query(
    "CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('tea'); CREATE VIEW names AS SELECT b FROM a",
  )
  await connection.end()
  await panel.data('POST', '/api/domains', {
    account_id: tenant.id,
    domain_name: `two-${tenant.domain}`,
    domain_type: 'addon',
    document_root: `${tenant.home}/two`,
  })
  await panel.data('PATCH', `/api/cache/${tenant.domain}`, { ttl: 77 })
  await writeFile(path.join(tenant.home, 'public_html', 'index.html'), 'the page')
  await writeFile(path.join(tenant.home, 'two', 'index.html'), 'second site')
  systemHash = (await shadowEntry(tenant.username))?.hash ?? ''
  ;({ filename } = await panel.data<{ filename: string }>(
    'POST',
    `/api/backups/accounts/${tenant.id}`,
  ))
  await cp(
    path.join(first.config.paths.state_dir, 'backups', filename),
    path.join(directory, filename),
  )
}, 180_000)
afterAll(async () => {
  await first?.stop()
  await rm(directory, { recursive: true, force: true })
})

test('a deleted account comes back from its own backup, whole', async () => {
  await panel.data('DELETE', `/api/accounts/${tenant.id}`)
  expect(await osUser(tenant.username)).toBeNull()
  const { account, notes } = await panel.data<{ account: { id: number }; notes: string[] }>(
    'POST',
    '/api/backups/imports',
    { account_id: tenant.id, filename },
  )
  expect(notes).toEqual([])
  await isWhole(first, panel)
  expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
  await panel.data('DELETE', `/api/accounts/${account.id}`)
}, 120_000)

interface Job {
  state: string
}

test('an archive makes the account on another host, whole or not at all', async () => {
  const { instance, client } = await start()
  const { paths } = instance.config
  try {
    const source = { path: path.join(directory, filename) }
    const seen = await client.data<{ proof: string; has_secrets: boolean }>(
      'POST',
      '/api/backups/imports/inspect',
      source,
    )
    expect(seen).toMatchObject({ proof: 'unproved', has_secrets: false, problems: [] })
    expect((await client.call('POST', '/api/backups/imports', source)).status).toBe(409)
    // A backup, which makes this host's own key, is no condition.
    await cp(
      path.join(first.config.paths.state_dir, 'agent', 'archive-keys', 'own.key'),
      path.join(paths.state_dir, 'agent', 'archive-keys', 'first.key'),
    )
    for (const [name, delayMs] of [
      ['agent', 300],
      ['panel', 900],
      ['agent', 1500],
      ['panel', 2200],
    ] as const) {
      const { job_id: id } = await client.data<{ job_id: string }>(
        'POST',
        '/api/backups/imports',
        source,
        { prefer: 'respond-async' },
      )
      await delay(delayMs)
      await instance.kill(name)
      await instance.untilReady()
      const accountsNow = () => client.data<{ id: number }[]>('GET', '/api/accounts')
      // What has failed is undone behind the answer.
      const ending = async (): Promise<string> => {
        const { state } = await client.data<Job>('GET', `/api/jobs/${id}`)
        if (state === 'failed') return (await accountsNow()).length === 0 ? 'nothing' : 'undoing'
        return state === 'done' ? 'whole' : state
      }
      await expect.poll(ending, { timeout: 60_000 }).toMatch(/nothing|whole/)
      const accounts = await accountsNow()
      if (accounts[0] === undefined) {
        await expect.poll(() => osUser(tenant.username), { timeout: 30_000 }).toBeNull()
        expect(await readdir(paths.home_base)).toEqual([])
      } else {
        await isWhole(instance, client)
        await client.data('DELETE', `/api/accounts/${accounts[0].id}`)
      }
      expect(driftOf(await client.data('GET', '/api/doctor'))).toEqual([])
    }
    await client.data('POST', '/api/backups/imports', source)
    await isWhole(instance, client)
    expect(driftOf(await client.data('GET', '/api/doctor'))).toEqual([])
    // What a killed panel had open is forgotten at last.
    await instance.kill('agent')
    await instance.untilReady()
    const work = () => readdir(path.join(paths.state_dir, 'backups', '.work'))
    await expect.poll(work, { timeout: 30_000 }).toEqual([])
  } finally {
    await instance.stop()
  }
}, 300_000)
