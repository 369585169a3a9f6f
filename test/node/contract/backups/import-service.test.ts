import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '../api-node.ts'
import type { NodeApi } from '../api-node.ts'

const PATH = '/root/gina.tar.gz'
const SITE = {
  ...usualSiteSettings(),
  deny: ['192.0.2.9'],
  protected: [
    { path: '/in', realm: 'In', users: [{ name: 'ann', hash: `$2b$10$${'a'.repeat(53)}` }] },
  ],
}

let api: NodeApi
let admin: ApiClient
beforeEach(async () => {
  api = await makeNodeApi()
  admin = await adminClient(api)
  const { record, secrets } = newRecord('gina')
  api.host.imports.archives.set(PATH, {
    secrets: { ...secrets, second_factor: 'JBSWY3DPEHPK3PXP' },
    facts: {
      sha256: 'a'.repeat(64),
      sizeBytes: 1,
      version: 2,
      madeBy: 'berth 1',
      username: 'gina',
      createdAt: '2026-01-01 00:00:00',
      uid: 23_456,
      home: '/srv/gina',
      uidIsFree: true,
      proof: 'own',
      keyId: null,
      hasSecrets: true,
      record: {
        ...record,
        domains: record.domains.map((one) => ({ ...one, site: SITE })),
        account: { ...record.account, suspended: true, suspend_reason: 'unpaid' },
      },
      databaseUsers: [],
      databases: [
        { engine: 'mariadb', database: 'gina_a', user: 'gina_a', sizeBytes: 1, hasPassword: true },
      ],
      homeEntries: 0,
      homeBytes: 0,
      formerHomes: [],
      configs: [],
      report: [],
    },
  })
})
afterEach(() => api.close())

const run = () => admin.post('/api/backups/imports', { path: PATH })

const nothingIsLeft = async (): Promise<void> => {
  expect((await api.store.listAccounts()).rows).toEqual([])
  expect((await api.store.listDomains()).rows).toEqual([])
  expect([...api.host.users.made.keys()]).toEqual([])
  expect([...api.host.databases.made.keys()]).toEqual([])
  expect([...api.host.webServer.hosts.keys()]).toEqual([])
  expect(await api.store.openOperations()).toEqual([])
}

it('takes over password, second factor and suspension', async () => {
  const { status, body } = await run()
  expect([status, body.error]).toEqual([200, undefined])
  const account = await api.store.accountByName('gina')
  expect(account).toMatchObject({
    password_hash: newRecord('gina').secrets.password_hash,
    status: 'suspended',
    suspend_reason: 'unpaid',
  })
  // Before the passwords, and with them: the site asks for what it asked for before.
  expect(api.host.webServer.hosts.get('gina.example')?.site).toEqual(SITE)
  expect([...(await api.store.listSiteSettings()).values()]).toEqual([SITE])
  expect(await api.store.secondFactor({ role: 'account', id: account?.id ?? 0 })).toMatchObject({
    secret: 'JBSWY3DPEHPK3PXP',
    confirmed: true,
  })
})

it.each([
  'users.create',
  'webServer.apply',
  'databases.create',
  'imports.fill',
  'imports.wait',
  'imports.takePasswords',
  'webServer.purge',
  'users.suspend',
])('leaves nothing when %s fails, before or after it was done', async (method) => {
  for (const when of ['before', 'after'] as const) {
    api.host.inject({ method, when, error: unavailable('It is away.'), times: 1 })
    expect([when, (await run()).status]).toEqual([when, 503])
    await nothingIsLeft()
    api.host.clearFaults()
  }
  expect((await run()).status).toBe(200)
})

it('is undone by the next panel after a crash in the middle', async () => {
  const error = unavailable('The answer was lost.')
  api.host.inject({ method: 'imports.takePasswords', when: 'before', error, times: 1 })
  // The undoing fails too, as after a crash of both.
  api.host.inject({ method: 'users.remove', when: 'before', error, times: 1 })
  expect((await run()).status).toBe(503)
  const restarted = api.restart()
  await restarted.settleOpenOperations()
  await nothingIsLeft()
  expect((await run()).status).toBe(200)
})
