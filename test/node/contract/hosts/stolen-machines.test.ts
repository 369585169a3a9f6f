import { afterEach, beforeEach, expect, it } from 'vitest'
import { invalid } from '#handlers/errors.ts'
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

type Name = 'stolen' | 'two' | 'a-front' | 'b-front'
let api: NodeApi
let admin: ApiClient
let machines: Record<Name, FakeHost>
/** What hangs is let go, so that nothing is left of a test. */
let letGo: (() => void)[]

const hanging = (): Promise<never> =>
  new Promise((_, reject) => letGo.push(() => reject(new Error('the test is over'))))
const add = async (name: Name, role: 'host' | 'front'): Promise<void> => {
  const made = await api.store.insertHost({
    ...{ name, role, address: '192.0.2.2:7072', link_id: name, trust_version: 0 },
    ...{ certificate: null, next_certificate: null, join_key: 'key', join_until_secs: 0 },
    ...{ state: 'joining', seen_secs: null, misses: 0, disk_free_percent: null },
    ...{ php_versions: '[]', weight: 1, created_at: NOW },
  })
  if (made === 'duplicate') throw new Error('it is the first')
  await api.store.openHost(made.id, 'key', 'PEM')
}
/** Puts other methods in the place of those of a port. */
const lies = <P extends keyof HostPorts>(
  name: Name,
  port: P,
  methods: Partial<HostPorts[P]>,
): void => {
  machines[name].ports[port] = { ...machines[name].ports[port], ...methods }
}

beforeEach(async () => {
  letGo = []
  machines = {
    ...{ stolen: createFakeHost(), two: createFakeHost() },
    ...{ 'a-front': createFakeHost(), 'b-front': createFakeHost() },
  }
  const refused = (): Promise<never> => Promise.reject(new Error('nobody is met here'))
  const hostLinks: HostLinks = {
    ...{ invite: refused, meet: refused, tell: refused },
    ...noLinkKeys,
    // Asked for anew, so that a machine may begin to lie.
    reach: ({ link_id: id }) => Promise.resolve(reached(machines[id as Name].ports)),
    probe: () => Promise.resolve({ disk_free_percent: 60, php_versions: '["8.2"]' }),
  }
  api = await makeNodeApi({ hostLinks })
  admin = await adminClient(api)
  await add('stolen', 'host')
  await add('two', 'host')
  await add('a-front', 'front')
  await add('b-front', 'front')
  await api.app.probeHosts()
  await api.app.bringFronts()
})
afterEach(async () => {
  for (const one of letGo) one()
  await api.close()
})

const create = async (username: string, host: string): Promise<void> => {
  const { status } = await admin.post('/api/accounts', {
    ...{ username, domain: `${username}.example`, email: 'a@mail.example', plan: 'free', host },
    password: 'a long enough password',
  })
  expect(status).toBe(200)
}
const idOf = async (username: string): Promise<number> =>
  (await api.store.accountByName(username))?.id ?? 0
const siteAt = (front: 'a-front' | 'b-front', domain: string) =>
  machines[front].frontSites.sites.get(domain)
const everywhere = async (domain: string): Promise<void> => {
  await waitFor(() => {
    expect(siteAt('a-front', domain)).toBeDefined()
    expect(siteAt('b-front', domain)).toBeDefined()
  })
}

it('a host that listens where nobody can be keeps no site of others from fronts', async () => {
  await create('evil', 'stolen')
  await everywhere('evil.example')
  const { state } = machines.stolen.ports.webChannel
  const listen = [`${'x'.repeat(400)}:7443`]
  lies('stolen', 'webChannel', { state: async (one) => ({ ...(await state(one)), listen }) })
  await api.app.bringFronts()
  await create('honest', 'two')
  await everywhere('honest.example')
})

it('a host whose certificate of the channel is none keeps nobody else out of it', async () => {
  const { state } = machines.stolen.ports.webChannel
  const other = await machines['a-front'].ports.webChannel.state({ role: 'front' })
  lies('stolen', 'webChannel', {
    state: async (one) => ({ ...(await state(one)), certificate: other.certificate }),
  })
  await api.app.bringFronts()
  const { peers } = await machines['b-front'].ports.webChannel.state({ role: 'front' })
  for (const { id, certificate } of peers)
    expect(atob(certificate.split('\n')[1] ?? '').trim()).toBe(id)
})

it('a host whose pair does not hold keeps no site of others from fronts', async () => {
  await create('evil', 'stolen')
  await everywhere('evil.example')
  for (const front of ['a-front', 'b-front'] as const) {
    const { keepPairs } = machines[front].ports.frontSites
    lies(front, 'frontSites', {
      async keepPairs(input) {
        if (input.pairs.some(({ domain }) => domain === 'evil.example'))
          throw invalid('key', 'The key does not belong to the certificate.')
        await keepPairs(input)
      },
    })
  }
  expect((await admin.post('/api/ssl/provision', { domain: 'evil.example' })).status).toBe(200)
  await create('honest', 'two')
  expect((await admin.post('/api/ssl/provision', { domain: 'honest.example' })).status).toBe(200)
  await waitFor(() => {
    expect(siteAt('a-front', 'honest.example')?.certificate).toBeTruthy()
    expect(siteAt('b-front', 'honest.example')?.certificate).toBeTruthy()
  })
  expect(siteAt('b-front', 'evil.example')?.certificate).toBeNull()
})

it('a host that calls a certificate otherwise than it was ordered is not believed', async () => {
  await create('evil', 'stolen')
  const { issue } = machines.stolen.ports.certificates
  lies('stolen', 'certificates', {
    issue: async (input) => ({ ...(await issue(input)), version: 'no name of one' }),
  })
  await admin.post('/api/ssl/provision', { domain: 'evil.example' })
  await create('honest', 'two')
  await everywhere('honest.example')
})

it('a front that never answers holds up no suspension, and no other front', async () => {
  await create('honest', 'two')
  await everywhere('honest.example')
  lies('a-front', 'frontSites', { edition: hanging, held: hanging, apply: hanging })
  const { status } = await admin.post(`/api/accounts/${await idOf('honest')}/suspend`, {
    reason: 'unpaid',
  })
  expect(status).toBe(200)
  expect(siteAt('b-front', 'honest.example')).toMatchObject({ suspended: true })
  expect(machines.two.users.made.get('honest')).toMatchObject({ suspended: true })
}, 40_000)

it('a front that never answers does not put off that it is forgotten', async () => {
  lies('a-front', 'frontSites', { edition: hanging, held: hanging, apply: hanging })
  expect((await admin.del('/api/hosts/a-front')).status).toBe(200)
}, 40_000)

it('a front that loads for ever keeps the others from loading for a moment only', async () => {
  await create('honest', 'two')
  await everywhere('honest.example')
  lies('a-front', 'frontSites', { apply: hanging })
  await create('later', 'two')
  await waitFor(() => expect(siteAt('b-front', 'later.example')).toBeDefined(), { timeout: 35_000 })
}, 50_000)

it('a host that never answers about the channel keeps no site of others from fronts', async () => {
  lies('stolen', 'webChannel', { state: hanging, arrange: hanging })
  await create('honest', 'two')
  await waitFor(() => expect(siteAt('b-front', 'honest.example')).toBeDefined(), {
    timeout: 35_000,
  })
}, 50_000)
