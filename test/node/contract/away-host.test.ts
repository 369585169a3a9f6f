import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { makeNodeApi, type NodeApi } from './api-node.ts'
import { addSecondHost, linksTo, reached } from './support/second-host.ts'

let api: NodeApi
let admin: ApiClient
let two: ReturnType<typeof createFakeHost>
let twoId = 0
let isThere = true

beforeEach(async () => {
  isThere = true
  two = createFakeHost()
  const ports = reached(two.ports)
  const cut = new Proxy(ports, {
    get: (target, port: keyof typeof ports) =>
      isThere || typeof port !== 'string' || !(port in target)
        ? target[port]
        : new Proxy(target[port], {
            get: () => () => Promise.reject(unavailable('The host host-2 cannot be reached.')),
          }),
  })
  api = await makeNodeApi({
    hostLinks: linksTo(cut, () =>
      isThere
        ? Promise.resolve({ disk_free_percent: 60, php_versions: '["8.2"]' })
        : Promise.reject(unavailable('no')),
    ),
  })
  twoId = await addSecondHost(api.store)
  admin = await adminClient(api)
  await api.app.probeHosts()
})
afterEach(() => api.close())

const create = (username: string, more: object = {}) =>
  admin.post('/api/accounts', {
    ...{ username, domain: `${username}.example`, email: 'a@mail.example' },
    ...{ password: 'a long enough password', plan: 'free', ...more },
  })
const stateOf = async () =>
  ((await admin.get('/api/hosts')).body.data as { name: string; state: string }[]).find(
    ({ name }) => name === 'two',
  )?.state
const cutOff = async (): Promise<void> => {
  isThere = false
  for (let probes = 0; probes < 3; probes += 1) await api.app.probeHosts()
}

it('accounts go where they are named for, else to the fewest accounts for the weight', async () => {
  const hostOf = async (username: string, more?: object) =>
    (await create(username, more)).body.data as { host_id: number }
  expect(await hostOf('aaa')).toMatchObject({ host_id: LOCAL_HOST })
  expect(await hostOf('bbb')).toMatchObject({ host_id: twoId })
  expect([...two.users.made.keys()]).toEqual(['bbb'])
  expect((await admin.send('PATCH', '/api/hosts/two', { weight: 3 })).status).toBe(200)
  expect(await hostOf('ccc')).toMatchObject({ host_id: twoId })
  expect(await hostOf('ddd', { host: 'local' })).toMatchObject({ host_id: LOCAL_HOST })
  const rows = (await admin.get('/api/accounts?host=two')).body.data as { username: string }[]
  expect(rows.map(({ username }) => username)).toEqual(['bbb', 'ccc'])
  expect((await create('eee', { host: 'three' })).body.error).toContain('three')
  expect((await admin.post('/api/hosts/two/close')).status).toBe(200)
  expect((await create('eee', { host: 'two' })).status).toBe(409)
  expect(await hostOf('eee')).toMatchObject({ host_id: LOCAL_HOST })
  expect((await admin.send('DELETE', '/api/hosts/two')).status).toBe(409)
})

it('a host with a full disk gets none by itself, and none has room where no other is open', async () => {
  await api.store.hostAnswered(twoId, Math.floor(api.clock.nowMs() / 1000), {
    ...{ disk_free_percent: 14, php_versions: '[]' },
  })
  await api.store.changeHost(LOCAL_HOST, { state: 'closed' })
  expect(await create('aaa')).toMatchObject({ status: 503 })
  expect(await api.store.accountByName('aaa')).toBeNull()
  expect((await create('aaa', { host: 'two' })).status).toBe(200)
})

it('after three misses a host is away: nothing of a creation is stored, and no other host gets it', async () => {
  isThere = false
  await api.app.probeHosts()
  await api.app.probeHosts()
  expect(await stateOf()).toBe('open')
  isThere = true
  await api.app.probeHosts()
  await cutOff()
  expect(await stateOf()).toBe('away')
  const refused = await create('aaa', { host: 'two' })
  expect(refused).toMatchObject({ status: 503 })
  expect(refused.body.error).toContain('two')
  expect(await api.store.accountByName('aaa')).toBeNull()
  expect(await api.store.openOperations()).toEqual([])
  expect(api.host.users.made.size).toBe(0)
  expect((await create('aaa')).body.data).toMatchObject({ host_id: LOCAL_HOST })
  isThere = true
  await api.app.probeHosts()
  expect(await stateOf()).toBe('open')
})

it('suspensions and deletions are accepted while it is away, and reach it when it is back', async () => {
  for (const username of ['aaa', 'bbb']) await create(username, { host: 'two' })
  const [aaa, bbb] = await Promise.all(['aaa', 'bbb'].map((name) => api.store.accountByName(name)))
  await cutOff()
  const changed = await admin.send('PATCH', `/api/accounts/${aaa?.id}`, { disk_quota_mb: 100 })
  expect(changed.status).toBe(503)
  expect(await admin.post(`/api/accounts/${aaa?.id}/suspend`)).toMatchObject({
    status: 200,
    body: { data: { status: 'suspended' } },
  })
  expect((await admin.del(`/api/accounts/${bbb?.id}`)).body.data).toMatchObject({
    waits_for: 'two',
  })
  const listed = (await admin.get('/api/accounts')).body.data as { status: string }[]
  expect(listed.map(({ status }) => status)).toEqual(['suspended', 'deleting'])
  expect(two.users.made.get('aaa')?.suspended).toBe(false)
  const examined = (await admin.get('/api/doctor')).body.data as {
    findings: { subject: string }[]
    skipped: { check: string }[]
  }
  expect(examined.skipped.map(({ check }) => check)).toContain('host two')
  expect(examined.findings.filter(({ subject }) => /aaa|bbb/.test(subject))).toEqual([])

  isThere = true
  await api.app.probeHosts()
  await waitFor(async () => expect(await api.store.openOperations()).toEqual([]))
  expect(two.users.made.get('aaa')?.suspended).toBe(true)
  expect(two.users.made.has('bbb')).toBe(false)
  expect(await api.store.accountByName('bbb')).toBeNull()
})
