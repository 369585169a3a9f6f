import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { HostLinks } from '#handlers/ports/host-links.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { NOW } from '#test/contract/store/store-rows.ts'
import { createFakeHost, type FakeHost } from '#test/fakes/fake-host.ts'
import { noLinkKeys } from '#test/fakes/links/link-keys.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { makeNodeApi, type NodeApi } from '../api-node.ts'
import { reached } from '../support/second-host.ts'

type Name = 'two' | 'front-a' | 'front-b'
let api: NodeApi
let admin: ApiClient
let machines: Record<Name, FakeHost>
/** Those that do not answer. */
let away: Set<string>
/** Fronts as they were told to load, in order; `+` begun, `-` ended. */
let loads: string[]

const lost = (name: string) => unavailable(`The host ${name} cannot be reached.`)
const portsOf = (name: Name): HostPorts => {
  const { ports } = machines[name]
  ports.frontSites = new Proxy(ports.frontSites, {
    get: (target, method) =>
      method === 'apply'
        ? async (input: Parameters<HostPorts['frontSites']['apply']>[0]) => {
            loads.push(`+${name}`)
            const answer = await target.apply(input)
            loads.push(`-${name}`)
            return answer
          }
        : (Reflect.get(target, method) as unknown),
  })
  const there = reached(ports)
  return new Proxy(there, {
    get: (target, port: keyof HostPorts) =>
      typeof port === 'string' && port in target && away.has(name)
        ? new Proxy(target[port], { get: () => () => Promise.reject(lost(name)) })
        : target[port],
  })
}
const add = async (name: Name, role: 'host' | 'front'): Promise<void> => {
  const made = await api.store.insertHost({
    ...{ name, role, address: '192.0.2.2:7072', link_id: name, trust_version: 0 },
    ...{
      certificate: null,
      next_certificate: null,
      join_key: 'key',
      join_until_secs: 0,
      state: 'joining',
    },
    ...{ seen_secs: null, misses: 0, disk_free_percent: null, php_versions: '[]' },
    ...{ weight: 1, created_at: NOW },
  })
  if (made === 'duplicate') throw new Error('it is the first')
  await api.store.openHost(made.id, 'key', 'PEM')
}

beforeEach(async () => {
  away = new Set()
  loads = []
  machines = { two: createFakeHost(), 'front-a': createFakeHost(), 'front-b': createFakeHost() }
  const reachedPorts = new Map(
    (Object.keys(machines) as Name[]).map((name) => [name as string, portsOf(name)]),
  )
  const refused = (): Promise<never> => Promise.reject(new Error('nobody is met here'))
  const hostLinks: HostLinks = {
    ...{ invite: refused, meet: refused, tell: refused },
    ...noLinkKeys,
    reach: ({ link_id: id }) => Promise.resolve(reachedPorts.get(id) as HostPorts),
    probe: ({ link_id: id }) =>
      away.has(id)
        ? Promise.reject(lost(id))
        : Promise.resolve({ disk_free_percent: 60, php_versions: '["8.2"]' }),
  }
  api = await makeNodeApi({ hostLinks })
  admin = await adminClient(api)
  await add('two', 'host')
  await add('front-a', 'front')
  await add('front-b', 'front')
  await api.app.probeHosts()
  await api.app.bringFronts()
})
afterEach(() => api.close())

const create = (username: string, host = 'two') =>
  admin.post('/api/accounts', {
    ...{ username, domain: `${username}.example`, email: 'a@mail.example', plan: 'free', host },
    password: 'a long enough password',
  })
const idOf = async (username: string): Promise<number> =>
  (await api.store.accountByName(username))?.id ?? 0
const siteAt = (front: 'front-a' | 'front-b', domain: string) =>
  machines[front].frontSites.sites.get(domain)
const cutOff = async (name: Name): Promise<void> => {
  away.add(name)
  for (let probes = 0; probes < 3; probes += 1) await api.app.probeHosts()
}
const back = async (name: Name): Promise<void> => {
  away.delete(name)
  await api.app.probeHosts()
}

it('each machine asks or lets in those of the other role, and no others', async () => {
  const peers = async (name: Name, role: 'host' | 'front') =>
    (await machines[name].ports.webChannel.state({ role })).peers.map(({ id }) => id)
  expect(await peers('two', 'host')).toEqual(['front-a', 'front-b'])
  expect(await peers('front-a', 'front')).toEqual(['host-local', 'two'])
  expect(await api.store.listChannelMachines()).toMatchObject([
    ...[{ address: '10.0.0.2:7443' }, { address: '10.0.0.2:7443' }],
    ...[{ address: null }, { address: null }],
  ])
  expect((await admin.del('/api/hosts/front-a')).status).toBe(200)
  await api.app.bringFronts()
  expect(await peers('two', 'host')).toEqual(['front-b'])
  expect((await admin.del('/api/hosts/front-b')).status).toBe(200)
  await api.app.bringFronts()
  expect(await peers('two', 'host')).toEqual([])
  expect(await api.store.listChannelMachines()).toEqual([])
})

it('a site, what is changed of it and its end come to all fronts, one after the other', async () => {
  expect((await create('yonder')).status).toBe(200)
  await waitFor(() => {
    for (const front of ['front-a', 'front-b'] as const)
      expect(siteAt(front, 'yonder.example')).toMatchObject({
        aliases: ['www.yonder.example'],
        suspended: false,
        origin: { address: '10.0.0.2:7443', channel: 'two' },
      })
  })
  expect((await create('here', 'local')).status).toBe(200)
  await waitFor(() =>
    expect(siteAt('front-b', 'here.example')).toMatchObject({
      origin: { channel: 'host-local' },
    }),
  )
  const ordered = await admin.post('/api/ssl/provision', { domain: 'yonder.example' })
  expect(ordered.status).toBe(200)
  await waitFor(() => expect(siteAt('front-b', 'yonder.example')?.certificate).not.toBeNull())
  expect(machines['front-b'].frontSites.pairs.size).toBe(1)
  expect((await admin.del(`/api/accounts/${await idOf('yonder')}`)).status).toBe(200)
  // With the answer, not later.
  for (const front of ['front-a', 'front-b'] as const)
    expect(siteAt(front, 'yonder.example')).toBeUndefined()
  // Never do two load at once.
  expect(loads.length).toBeGreaterThan(6)
  for (let at = 0; at < loads.length; at += 2)
    expect(loads[at]?.slice(1)).toBe(loads[at + 1]?.slice(1))
})

it('a suspension is at the fronts when it is answered, also while the host is away', async () => {
  await create('yonder')
  await waitFor(() => expect(siteAt('front-b', 'yonder.example')).toBeDefined())
  await cutOff('two')
  const id = await idOf('yonder')
  await admin.post(`/api/accounts/${id}/suspend`, { reason: 'unpaid' })
  for (const front of ['front-a', 'front-b'] as const)
    expect(siteAt(front, 'yonder.example')).toMatchObject({ suspended: true })
  expect(machines.two.users.made.get('yonder')).toMatchObject({ suspended: false })
  await back('two')
  await waitFor(() =>
    expect(machines.two.users.made.get('yonder')).toMatchObject({ suspended: true }),
  )
  expect((await admin.post(`/api/accounts/${id}/unsuspend`)).status).toBe(200)
  await waitFor(() => expect(siteAt('front-b', 'yonder.example')?.suspended).toBe(false))
})

it('a front that was away gets all when it is back, and one that is away holds up none', async () => {
  await create('yonder')
  await waitFor(() => expect(siteAt('front-b', 'yonder.example')).toBeDefined())
  await cutOff('front-a')
  await create('later')
  await admin.post(`/api/accounts/${await idOf('yonder')}/suspend`, { reason: 'unpaid' })
  expect(siteAt('front-b', 'yonder.example')?.suspended).toBe(true)
  await waitFor(() => expect(siteAt('front-b', 'later.example')).toBeDefined())
  expect(siteAt('front-a', 'later.example')).toBeUndefined()
  await back('front-a')
  await waitFor(() => {
    expect(siteAt('front-a', 'later.example')).toBeDefined()
    expect(siteAt('front-a', 'yonder.example')?.suspended).toBe(true)
  })
})

it('the doctor tells what was changed at a front by hand, and puts it right', async () => {
  await create('yonder')
  await waitFor(() => expect(siteAt('front-b', 'yonder.example')).toBeDefined())
  machines['front-a'].frontSites.changed.add('yonder.example')
  const findings = async () => {
    const { body } = await admin.get('/api/doctor')
    return (body.data as { findings: Record<string, unknown>[] }).findings
  }
  expect(await findings()).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'virtual-host', host: 'front-a', subject: 'yonder.example', repairable: true },
      what: 'has a file there that was changed by hand',
    }),
  )
  // What lies at the front without the panel's order goes by itself.
  const foreign = { ...siteAt('front-b', 'yonder.example'), domain: 'foreign.example', aliases: [] }
  machines['front-b'].frontSites.sites.set('foreign.example', foreign as never)
  expect((await admin.post('/api/doctor/fix')).status).toBe(200)
  expect(machines['front-a'].frontSites.changed.size).toBe(0)
  expect(siteAt('front-b', 'foreign.example')).toBeUndefined()
  expect((await findings()).filter(({ host }) => host !== undefined)).toEqual([])
})

it('no account is placed on a front', async () => {
  expect(await create('yonder', 'front-a')).toMatchObject({ status: 400 })
  expect((await create('yonder')).status).toBe(200)
  const moved = await admin.post(`/api/accounts/${await idOf('yonder')}/relocate`, {
    host: 'front-a',
  })
  expect(moved.status).toBeGreaterThanOrEqual(400)
  expect(await api.store.hostOfAccount('yonder')).not.toBeNull()
})
