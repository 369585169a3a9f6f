import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'
import type { PanelImport } from '#handlers/ports/recovery.ts'
import { ADMIN, adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '../api-node.ts'
import type { NodeApi } from '../api-node.ts'

const DAY_SECS = 86_400
const AWAY: RemoteTarget = {
  name: 'away',
  type: 's3',
  endpoint: 'https://s3.example.com',
  bucket: 'b',
  path: null,
  region: null,
  username: null,
  is_default: true,
  source: 'panel',
  access_key_id: null,
  host_key: null,
  allow_private: false,
}

interface Row {
  username: string
  state: string
  backup: string | null
  location: string | null
  notes: string[]
}

const NO_RECOVERY = {
  held: false,
  kitMadeAt: null,
  kitVerifiedAt: null,
  exportedAt: null,
  hooksWaiting: 0,
  hostsWaiting: 0,
}

let api: NodeApi
let admin: ApiClient
let imported: PanelImport | null

beforeEach(async () => {
  imported = null
  api = await makeNodeApi({
    backupsConfig: { schedule: 2, retention_days: 30, at_once: 1 },
    recovery: () => ({ ...NO_RECOVERY, imported }),
  })
  admin = await adminClient(api)
  api.host.backups.configured = [AWAY]
  for (const username of ['alice', 'berta', 'carla']) await createAccount(admin, username)
  await admin.post('/api/databases', {
    account_id: 1,
    db_name: 'shop',
    db_password: 'a long password',
  })
})
afterEach(() => api.close())

const backUp = async (id: number): Promise<string> => {
  const { body } = await admin.post(`/api/backups/accounts/${id}`)
  api.clock.advanceSecs(2)
  return (body.data as { filename: string }).filename
}
/** As on another machine: what was on the first alone is lost. */
const moveHouse = (): void => {
  for (const name of api.host.backups.files.keys())
    if (name.startsWith('local/')) api.host.backups.files.delete(name)
  imported = { id: 'x', at: '2099-01-01 00:00:00', accounts: ['alice', 'berta', 'carla'] }
}
const archiveOf = (filename: string, proof: 'own' | 'unproved'): FakeArchive => {
  const content = api.host.backups.files.get(`away/${filename}`) ?? ''
  return {
    secrets: null,
    facts: {
      sha256: createHash('sha256').update(content).digest('hex'),
      sizeBytes: content.length,
      version: 2,
      madeBy: 'berth 1',
      username: 'alice',
      createdAt: '2098-01-01 00:00:00',
      uid: null,
      home: null,
      uidIsFree: true,
      proof,
      keyId: null,
      hasSecrets: true,
      record: null,
      databaseUsers: [],
      databases: [],
      homeEntries: 0,
      homeBytes: 0,
      formerHomes: [],
      configs: [],
      report: [],
    },
  }
}
const refill = async (body: object = {}): Promise<Row[]> => {
  const answer = await admin.post('/api/backups/refills', body)
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return (answer.body.data as { accounts: Row[] }).accounts
}
const states = (rows: Row[]): string[] => rows.map(({ username, state }) => `${username} ${state}`)

it('brings each account back from its newest backup, and does nothing twice', async () => {
  await backUp(1)
  const newest = await backUp(1)
  await backUp(2)
  await admin.post('/api/accounts/2/suspend')
  moveHouse()
  const rows = await refill({ at_once: 3 })
  expect(states(rows)).toEqual(['alice done', 'berta done', 'carla none'])
  const local = (await api.store.listBackups({ filters: { location: 'local' } })).rows
  expect(local).toEqual([])
  expect(rows[0]).toMatchObject({ backup: newest, location: 'away', databases: 1, notes: [] })
  expect(api.host.backups.restored.sort()).toEqual([
    `all ${newest}`,
    expect.stringMatching(/^all berta-/),
  ])
  expect((await api.store.accountById(2))?.status).toBe('suspended')
  await refill()
  expect(api.host.backups.restored).toHaveLength(2)
  await refill({ accounts: ['alice'] })
  expect(api.host.backups.restored).toHaveLength(3)
  expect((await admin.post('/api/backups/refills', { accounts: ['bob'] })).status).toBe(400)
})

it('takes an older backup where the newest cannot be read, and says so', async () => {
  const older = await backUp(1)
  const newest = await backUp(1)
  moveHouse()
  api.host.backups.files.set(`away/${newest}`, 'damaged')
  const [alice] = await refill()
  expect(alice).toMatchObject({ state: 'done', backup: older })
  expect(alice?.notes).toEqual([expect.stringContaining(newest)])
})

it('one that fails stops none of the others, and is tried by the next call', async () => {
  await backUp(1)
  await backUp(2)
  moveHouse()
  api.host.backups.failures = [unavailable('The server is down.')]
  expect(states(await refill({ at_once: 1, from: 'away' }))).toEqual([
    'alice failed',
    'berta done',
    'carla none',
  ])
  expect(states(await refill())).toEqual(['alice done', 'berta done', 'carla none'])
  expect(api.host.backups.restored).toHaveLength(2)
})

it('names what is not at the target, and what this machine lacks', async () => {
  await backUp(1)
  api.host.backups.configured = []
  await backUp(2)
  moveHouse()
  api.host.backups.configured = [AWAY]
  const engines = api.host.ports.databases.engines
  api.host.ports.databases.engines = async () => []
  const [alice, berta] = await refill({ from: 'away' })
  api.host.ports.databases.engines = engines
  expect(alice?.notes.join(' ')).toMatch(/alice_shop was left out: it needs mariadb/)
  expect(api.host.backups.restored).toEqual([expect.stringMatching(/^files alice-/)])
  expect([berta?.state, berta?.notes]).toEqual(['failed', ['It has no backup at "away".']])
})

it('until an account is filled its backups are neither made nor removed by the schedule', async () => {
  await backUp(1)
  await backUp(1)
  await backUp(2)
  moveHouse()
  const dayMs = DAY_SECS * 1000
  const untilThree = 3 * 3600 - Math.floor((api.clock.nowMs() % dayMs) / 1000)
  api.clock.advanceSecs(40 * DAY_SECS + untilThree)
  const login = await admin.post('/api/auth/login', ADMIN)
  admin.token = (login.body.data as { token: string }).token
  const before = (await api.store.listBackups()).total
  await api.app.scheduledBackups()
  expect((await api.store.listBackups()).total).toBe(before)
  const told = async (): Promise<string[]> =>
    ((await admin.get('/api/doctor')).body.data as { findings: { what: string }[] }).findings
      .map(({ what }) => what)
      .filter((what) => what.includes('still empty'))
  expect(await told()).toEqual(['of the import are still empty: 3'])
  await refill()
  expect(await told()).toEqual([])
  await api.app.scheduledBackups()
  const rows = (await api.store.listBackups()).rows
  expect(rows.filter(({ account_id: id }) => id === 2).length).toBeGreaterThan(1)
})

it('a whole backup that is put back by hand counts, and a later namesake is none of the import', async () => {
  const filename = await backUp(1)
  moveHouse()
  await admin.post(`/api/backups/accounts/1/restore/${filename}`)
  const list = async (): Promise<Row[]> =>
    ((await admin.get('/api/backups/refills')).body.data as { accounts: Row[] }).accounts
  expect(states(await list())).toEqual(['alice done', 'berta waiting', 'carla waiting'])
  imported = { id: 'y', at: '2001-01-01 00:00:00', accounts: ['alice'] }
  expect(await list()).toEqual([])
})

it('finds an archive at a target that was made after the export, if a key of ours proves it', async () => {
  const older = await backUp(1)
  const newer = await backUp(1)
  const forged = await backUp(1)
  for (const name of [newer, forged])
    for (const place of ['local', 'away']) await api.store.deleteBackup(name, place)
  moveHouse()
  for (const [filename, proof] of [
    [newer, 'own'],
    [forged, 'unproved'],
  ] as const)
    api.host.imports.archives.set(`away/${filename}`, archiveOf(filename, proof))
  const [alice] = await refill()
  expect(alice).toMatchObject({ state: 'done', backup: newer, location: 'away' })
  expect(alice?.notes).toEqual([
    expect.stringMatching(/not proved/),
    expect.stringMatching(/alice_shop is not in the backup/),
  ])
  expect(older < newer).toBe(true)
})
