import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { sampled } from '#test/support/sampled.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { makeNodeApi, type NodeApi } from '../api-node.ts'
import { addSecondHost, linksTo, reached } from '../support/second-host.ts'

let api: NodeApi
let admin: ApiClient
let two: ReturnType<typeof createFakeHost>
let twoId = 0
let id = 0

const DAY_SECS = 86_400
const FACTS = { disk_free_percent: 60, php_versions: '["8.2"]' }
const inHome = (host: { files: { trees: Map<string, Map<string, unknown>> } }) =>
  [...(host.files.trees.get('alice')?.keys() ?? [])].sort()

const setUp = async (): Promise<void> => {
  two = createFakeHost()
  api = await makeNodeApi({
    hostLinks: linksTo(reached(two.ports), () => Promise.resolve(FACTS)),
  })
  twoId = await addSecondHost(api.store)
  admin = await adminClient(api)
  await api.app.probeHosts()
  const made = await admin.post('/api/accounts', {
    ...{ username: 'alice', domain: 'alice.example', email: 'a@mail.example', host: 'local' },
    ...{ password: 'a long enough password', plan: 'business' },
  })
  id = (made.body.data as { id: number }).id
  await admin.post('/api/databases', {
    ...{ account_id: id, db_name: 'shop', db_password: 'a long enough password' },
  })
  await admin.post('/api/files/mkdir', { account_id: id, path: 'public_html/media' })
}
beforeEach(setUp)
afterEach(() => api.close())

const move = (host = 'two') => admin.post(`/api/accounts/${id}/relocate`, { host })
const findings = async () =>
  ((await admin.get('/api/doctor')).body.data as { findings: { subject: string; what: string }[] })
    .findings

it('an account goes over whole, and its former host leads there until the copy is removed', async () => {
  const before = inHome(api.host)
  expect(before).toContain('public_html/media')
  const moved = await move()
  expect(moved).toMatchObject({
    status: 200,
    body: { data: { username: 'alice', from: 'local', to: 'two', skipped: 0 } },
  })
  expect(inHome(two)).toEqual(before)
  expect(two.users.made.get('alice')).toMatchObject({ suspended: false })
  expect(two.databases.made.get('mariadb:alice_shop')).toMatchObject({ locked: false })
  expect(two.webServer.hosts.get('alice.example')).toMatchObject({ suspended: false })
  expect(await api.store.accountByName('alice')).toMatchObject({ host_id: twoId })
  expect(api.host.users.made.get('alice')?.suspended).toBe(true)
  expect(api.host.webServer.hosts.get('alice.example')).toMatchObject({
    ...{ php: null, suspended: false },
    site: {
      backends: [{ path: '/', servers: [{ url: 'http://192.0.2.2' }], preserve_host: true }],
    },
  })
  expect(await findings()).toEqual([])
  await admin.post('/api/webserver/regenerate')
  expect(api.host.webServer.hosts.has('alice.example')).toBe(true)

  expect((await admin.get('/api/hosts/local/copies')).body.data).toMatchObject([
    { username: 'alice' },
  ])
  api.clock.advanceSecs(6 * DAY_SECS)
  await api.app.probeHosts()
  expect(api.host.users.made.has('alice')).toBe(true)
  api.clock.advanceSecs(2 * DAY_SECS)
  await api.app.probeHosts()
  expect(api.host.users.made.has('alice')).toBe(false)
  expect(two.users.made.has('alice')).toBe(true)
  expect(await api.store.listAccountCopies()).toEqual([])
})

it('what a failed move left on a host that is away has no date: it goes as soon as that answers', async () => {
  await api.store.putAccountCopy({ username: 'alice', host_id: twoId, until_secs: 0, leads: [] })
  expect((await admin.get('/api/hosts/two/copies')).body.data).toEqual([
    { username: 'alice', until: null },
  ])
  await api.app.probeHosts()
  expect((await admin.get('/api/hosts/two/copies')).body.data).toEqual([])
})

it('what the other host lacks is told at once, and nothing is made there', async () => {
  expect((await move('three')).status).toBe(400)
  expect((await move('local')).status).toBe(409)
  two.databases.installed = [{ ...two.databases.installed[0]!, version: '10.5.1' }]
  const refused = await move()
  expect(refused.status).toBe(409)
  expect(refused.body.error).toContain('mariadb 10.11.6 or newer')
  await api.store.changeHost(twoId, { state: 'closed' })
  expect((await move()).status).toBe(409)
  expect(two.users.made.size).toBe(0)
  expect(api.host.users.made.get('alice')?.suspended).toBe(false)
})

it('a suspension does not wait for a copy that takes hours: the move is given up', async () => {
  // The former host goes on listing for ever.
  const read = vi.spyOn(api.host.ports.moves, 'read').mockResolvedValue(null)
  try {
    const moving = move()
    await waitFor(() => expect(read).toHaveBeenCalled())
    expect((await admin.post(`/api/accounts/${id}/suspend`, { reason: 'unpaid' })).status).toBe(200)
    const given = await moving
    expect(given.status).toBe(409)
    expect(given.body.error).toContain('a suspension or deletion of alice came')
  } finally {
    read.mockRestore()
  }
  expect(await api.store.accountByName('alice')).toMatchObject({
    ...{ host_id: LOCAL_HOST, status: 'suspended' },
  })
  expect(api.host.users.made.get('alice')?.suspended).toBe(true)
  expect(two.users.made.has('alice')).toBe(false)
  expect(await api.store.openOperations()).toEqual([])
})

it('a suspended account moves and stays suspended', async () => {
  await admin.post(`/api/accounts/${id}/suspend`)
  expect((await move()).status).toBe(200)
  expect(two.users.made.get('alice')?.suspended).toBe(true)
  expect(two.databases.made.get('mariadb:alice_shop')?.locked).toBe(true)
  await admin.post(`/api/accounts/${id}/unsuspend`)
  expect(two.users.made.get('alice')?.suspended).toBe(false)
})

it('goes back over the copy of before, and its deletion takes the copy along', async () => {
  await move()
  await admin.post('/api/files/mkdir', { account_id: id, path: 'public_html/later' })
  const refused = await move('local')
  expect(refused.status).toBe(409)
  expect(refused.body.error).toContain('berth hosts address local')
  const lead = (name: string, address: string) =>
    admin.send('PATCH', `/api/hosts/${name}`, { address })
  for (const wrong of ['192.0.2.1:80', 'http://192.0.2.1', 'a b'])
    expect((await lead('local', wrong)).status, wrong).toBe(400)
  expect((await lead('two', '192.0.2.9')).status).toBe(409)
  expect(await lead('local', '2001:db8::7')).toMatchObject({
    body: { data: { address: '2001:db8::7', weight: 1 } },
  })
  expect((await move('local')).status).toBe(200)
  expect(two.webServer.hosts.get('alice.example')?.site?.backends).toMatchObject([
    { servers: [{ url: 'http://[2001:db8::7]' }] },
  ])
  expect(inHome(api.host)).toContain('public_html/later')
  expect(await api.store.accountByName('alice')).toMatchObject({ host_id: LOCAL_HOST })
  expect(two.users.made.has('alice')).toBe(true)
  await admin.del(`/api/accounts/${id}`)
  await api.app.probeHosts()
  expect(two.users.made.has('alice')).toBe(false)
  expect(await api.store.listAccountCopies()).toEqual([])
})

it('a host is drained: what cannot be moved stays, and is told', async () => {
  for (const username of ['bbb', 'ccc'])
    await admin.post('/api/accounts', {
      ...{ username, domain: `${username}.example`, email: 'a@mail.example', host: 'local' },
      ...{ password: 'a long enough password', plan: 'free' },
    })
  two.inject({ method: 'users.create', when: 'before', error: unavailable('full'), times: 1 })
  const drained = await admin.post('/api/hosts/local/drain')
  expect(drained.status).toBe(200)
  const { moved, failed } = drained.body.data as { moved: string[]; failed: object[] }
  expect(moved).toHaveLength(2)
  expect(failed).toHaveLength(1)
  const listed = (await admin.get('/api/hosts')).body.data as { name: string; state: string }[]
  expect(listed.find(({ name }) => name === 'local')?.state).toBe('closed')
})

/** Calls of a move at both hosts, by door, in their order. */
const callsOfMove = async (): Promise<{ there: string[]; here: string[] }> => {
  const [here, there] = [api.host.calls.length, two.calls.length]
  await move()
  return {
    here: [...new Set(api.host.calls.slice(here))],
    there: [...new Set(two.calls.slice(there))],
  }
}
/** Whether a failure there leaves the account where it was, or must be got over. */
const consistent = async (): Promise<void> => {
  await waitFor(async () => expect(await api.store.openOperations()).toEqual([]), {
    timeout: 20_000,
  })
  const row = await api.store.accountByName('alice')
  const [own, other] = row?.host_id === LOCAL_HOST ? [api.host, two] : [two, api.host]
  expect(own.users.made.get('alice')).toMatchObject({ suspended: false })
  expect(own.databases.made.get('mariadb:alice_shop')).toMatchObject({ locked: false })
  expect(own.webServer.hosts.get('alice.example')).toMatchObject({ suspended: false })
  if (row?.host_id === LOCAL_HOST) expect(other.users.made.has('alice')).toBe(false)
  expect(inHome(own)).toContain('public_html/media')
  expect(await findings()).toEqual([])
}

it('wherever a host fails, before or after it did what it was asked, the account is on one of them whole', async () => {
  const { here, there } = await callsOfMove()
  const cases = sampled(
    'failures within a move',
    [
      ...here.map((method) => ['here', method] as const),
      ...there.map((method) => ['there', method] as const),
    ].flatMap(([door, method]) =>
      (['before', 'after'] as const).map((when) => ({ door, method, when })),
    ),
    { keep: 6 },
  )
  for (const { door, method, when } of cases) {
    await api.close()
    await setUp()
    const host = door === 'here' ? api.host : two
    host.inject({ method, when, error: unavailable('It is being restarted.') })
    const { status, body } = await move()
    const row = await api.store.accountByName('alice')
    if (status !== 200 && row?.host_id === LOCAL_HOST)
      expect(body.error, `${door} ${method} ${when}`).toContain('stays on local')
    host.clearFaults()
    await consistent()
  }
}, 300_000)
