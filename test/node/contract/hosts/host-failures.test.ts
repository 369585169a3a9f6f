import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { makeNodeApi, type NodeApi } from '../api-node.ts'
import { addSecondHost, linksTo, reached } from '../support/second-host.ts'

let api: NodeApi
let admin: ApiClient
let two: ReturnType<typeof createFakeHost>
let twoId = 0
/** Whether calls, and whether probes, reach it. */
let isThere = true
let isProbed = true
/** A call after which the connection is lost, answer and all. */
let cutAfter = ''

const lost = () => unavailable('The host host-2 cannot be reached.')

beforeEach(async () => {
  ;[isThere, isProbed, cutAfter] = [true, true, '']
  two = createFakeHost()
  const ports = reached(two.ports)
  const cut = new Proxy(ports, {
    get: (target, port: keyof typeof ports) =>
      typeof port !== 'string' || !(port in target)
        ? target[port]
        : new Proxy(target[port], {
            get: (methods: object, method: string) => async (input: unknown) => {
              if (!isThere) throw lost()
              const answer: unknown = await (
                Reflect.get(methods, method) as (given: unknown) => Promise<unknown>
              ).call(methods, input)
              if (cutAfter !== `${port}.${method}`) return answer
              isThere = false
              throw lost()
            },
          }),
  })
  api = await makeNodeApi({
    hostLinks: linksTo(cut, () =>
      isThere && isProbed
        ? Promise.resolve({ disk_free_percent: 60, php_versions: '["8.2"]' })
        : Promise.reject(lost()),
    ),
  })
  twoId = await addSecondHost(api.store)
  admin = await adminClient(api)
  await api.app.probeHosts()
})
afterEach(() => api.close())

const create = (username: string, host: string) =>
  admin.post('/api/accounts', {
    ...{ username, domain: `${username}.example`, email: 'a@mail.example', plan: 'free', host },
    password: 'a long enough password',
  })
const stateOfTwo = async () =>
  ((await admin.get('/api/hosts')).body.data as { name: string; state: string }[]).find(
    ({ name }) => name === 'two',
  )?.state
const probes = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await api.app.probeHosts()
}

it('cut off mid-step: the names stay reserved, and what was made there goes first thing when it is back', async () => {
  cutAfter = 'users.create'
  expect(await create('aaa', 'two')).toMatchObject({ status: 503 })
  // It was made, which the panel was not told.
  expect([...two.users.made.keys()]).toEqual(['aaa'])
  await probes(3)
  expect(await stateOfTwo()).toBe('away')
  expect((await api.store.openOperations()).map(({ subject }) => subject)).toEqual(['aaa'])
  const taken = await create('aaa', 'local')
  expect([taken.status, taken.body.error, api.host.users.made.size]).toEqual([
    ...[503, expect.stringContaining('two'), 0],
  ])

  cutAfter = ''
  isThere = true
  await probes(1)
  await waitFor(async () => expect(await api.store.openOperations()).toEqual([]))
  expect(two.users.made.size).toBe(0)
  expect(await api.store.accountByName('aaa')).toBeNull()
  expect((await create('aaa', 'local')).status).toBe(200)
})

it('probes that are missed make a host away only where nothing else of it was answered since', async () => {
  isProbed = false
  await probes(2)
  // Any call that it answers ends the count: it is not away while it works.
  expect((await admin.get('/api/system/info?host=two')).status).toBe(200)
  await probes(2)
  expect(await stateOfTwo()).toBe('open')
  expect((await admin.get('/api/system/info?host=two')).status).toBe(200)
  await probes(3)
  expect(await stateOfTwo()).toBe('away')
})

it('administrators are told of a host that goes away, and of its return', async () => {
  const told = async () =>
    (
      (await admin.get('/api/notifications')).body.data as {
        message: string
        state: string
        title: string
        data: { name: string }
      }[]
    ).filter(({ message }) => message.startsWith('machine.'))
  isThere = false
  await probes(2)
  // It may be but a moment.
  await expect(api.app.lookForTroubles()).rejects.toThrow('cannot be reached')
  expect(await told()).toEqual([])
  await probes(1)
  await api.app.lookForTroubles()
  await api.app.lookForTroubles()
  expect(await told()).toMatchObject([
    { message: 'machine.away', state: 'standing', data: { name: 'two' } },
  ])
  isThere = true
  await probes(2)
  await api.app.lookForTroubles()
  expect((await told()).map(({ message, state }) => [message, state])).toEqual([
    ['machine.back', 'told'],
    ['machine.away', 'resolved'],
  ])
})

it('a service that is down is told of with its machine, until it runs or the machine is removed', async () => {
  const told = async () =>
    ((await admin.get('/api/notifications')).body.data as { message: string; state: string }[])
      .filter(({ message }) => message === 'machine.service')
      .map(({ state }) => state)
  const server = { engine: 'mariadb', unreachable: 'connection refused' } as const
  const well = { readOnly: null, connections: null, damaged: [], oldestTransactions: null }
  const down = { ...server, ...well, notReached: null }
  two.machine.now.databaseServers = { seen: true, value: [down] }
  const ends = [0, 60_000, 120_000].map((atMs) => ({
    ...{ atMs: api.clock.nowMs() - atMs, how: 'signal SIGSEGV' },
  }))
  two.machine.now.children = { seen: true, value: [{ name: 'web', running: true, ends }] }
  await api.app.lookForTroubles()
  expect((await admin.get('/api/notifications')).body.data).toMatchObject([
    { title: expect.stringContaining('two') as unknown, message: 'machine.service' },
    { title: expect.stringContaining('two') as unknown, message: 'machine.service' },
  ])
  two.machine.now.children = { seen: true, value: [{ name: 'web', running: true, ends: [] }] }
  await api.app.lookForTroubles()
  expect((await told()).sort()).toEqual(['resolved', 'standing'])
  expect((await admin.send('DELETE', '/api/hosts/two')).status).toBe(200)
  await api.app.lookForTroubles()
  expect(await told()).toEqual(['resolved', 'resolved'])
})

it('a full disk on a host undoes what is made there, and is nothing to others', async () => {
  const error = unavailable('There is no space left on the disk of this machine.')
  two.inject({ method: 'files.createFolder', when: 'before', error, times: 1000 })
  two.inject({ method: 'users.create', when: 'after', error, times: 1 })
  const refused = await create('aaa', 'two')
  expect(refused.status).toBeGreaterThanOrEqual(500)
  two.clearFaults()
  await waitFor(async () => expect(await api.store.openOperations()).toEqual([]))
  expect([two.users.made.size, await api.store.accountByName('aaa')]).toEqual([0, null])
  expect((await create('bbb', 'local')).body.data).toMatchObject({ host_id: LOCAL_HOST })
  await api.store.hostAnswered(twoId, Math.floor(api.clock.nowMs() / 1000), {
    ...{ disk_free_percent: 0, php_versions: '[]' },
  })
  const placed = await admin.post('/api/accounts', {
    ...{ username: 'ccc', domain: 'ccc.example', email: 'a@mail.example', plan: 'free' },
    password: 'a long enough password',
  })
  expect(placed.body.data).toMatchObject({ host_id: LOCAL_HOST })
})
