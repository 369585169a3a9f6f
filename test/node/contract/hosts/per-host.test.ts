import { afterEach, beforeEach, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { accountClient, adminClient } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { makeNodeApi, type NodeApi } from '../api-node.ts'
import { addSecondHost, linksTo, reached } from '../support/second-host.ts'

let api: NodeApi
let admin: ApiClient
let two: ReturnType<typeof createFakeHost>
let isThere = true

beforeEach(async () => {
  isThere = true
  two = createFakeHost()
  const info = async () => ({
    ...(await createFakeHost().ports.system.info()),
    ...{ hostname: 'two.example', cpu_usage_percent: 80, disk_used_mb: 20_000 },
  })
  const ports = reached({ ...two.ports, system: { info } })
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
  await addSecondHost(api.store)
  admin = await adminClient(api)
  await api.app.probeHosts()
})
afterEach(() => api.close())

const data = async (path: string) => (await admin.get(path)).body.data
const cutOff = async (): Promise<void> => {
  isThere = false
  for (let probes = 0; probes < 3; probes += 1) await api.app.probeHosts()
}
const ASKED = [
  ...['/api/system/info', '/api/system/stats', '/api/veloserve/status', '/api/veloserve/version'],
  ...['/api/logs', '/api/logs/web', '/api/mail', '/api/mail/status', '/api/php/versions'],
]

it('facts, logs, mail and PHP are those of the machine that is named', async () => {
  two.logs.append('web', 'a line of two')
  expect(await data('/api/system/info')).toMatchObject({ hostname: 'fake.example' })
  expect(await data('/api/system/info?host=two')).toMatchObject({ hostname: 'two.example' })
  expect(await data('/api/system/stats?host=two')).toMatchObject({ disk: { used_mb: 20_000 } })
  expect(await data('/api/logs/web')).toMatchObject({ lines: [] })
  expect(await data('/api/logs/web?host=two')).toMatchObject({ lines: [{ raw: 'a line of two' }] })
  for (const path of ASKED) {
    expect((await admin.get(`${path}?host=two`)).status, path).toBe(200)
    expect(await admin.get(`${path}?host=three`), path).toMatchObject({
      ...{ status: 400, body: { error: expect.stringContaining('three') as unknown } },
    })
  }
  for (const action of ['reload', 'restart'])
    expect((await admin.post(`/api/veloserve/${action}?host=two`)).status).toBe(200)
})

it('sums are over all machines, and name those that do not answer', async () => {
  const sums = async () => (await data('/api/hosts/sums')) as Record<string, unknown>
  const both = await sums()
  expect(both).toMatchObject({ machines: 2, accounts: 0, sites: 0, not_counted: [] })
  const own = (await data('/api/system/info')) as { disk_used_mb: number; memory_total_mb: number }
  expect(both['disk']).toMatchObject({ used_mb: own.disk_used_mb + 20_000 })
  expect(both['memory']).toMatchObject({ total_mb: 2 * own.memory_total_mb })
  await cutOff()
  expect(await sums()).toMatchObject({
    ...{ machines: 2, not_counted: ['two'], disk: { used_mb: own.disk_used_mb } },
  })
})

it('of one that is away is said that it is away, and never another one is asked', async () => {
  await cutOff()
  for (const path of ASKED)
    expect(await admin.get(`${path}?host=two`), path).toMatchObject({
      ...{ status: 503, body: { error: expect.stringContaining('two is away') as unknown } },
    })
})

it('each machine has charts of its own, with a gap while it is away', async () => {
  const cpu = async (host: string): Promise<(number | null)[]> => {
    const read = (await data(`/api/system/history?range=15m&host=${host}`)) as {
      series: { cpu_percent: (number | null)[] }
    }
    return read.series.cpu_percent
  }
  const tick = async () => {
    api.clock.advanceSecs(10)
    await api.app.sampleHost()
  }
  // From the beginning of a minute, so that the gap lies within it.
  api.clock.advanceSecs(60 - (Math.floor(api.clock.nowMs() / 1000) % 60))
  for (let n = 0; n < 3; n += 1) await tick()
  await cutOff()
  for (let n = 0; n < 2; n += 1) await tick()
  isThere = true
  await api.app.probeHosts()
  await tick()
  expect((await cpu('local')).slice(-6)).toEqual([12.5, 12.5, 12.5, 12.5, 12.5, 12.5])
  expect((await cpu('two')).slice(-6)).toEqual([80, 80, 80, null, null, 80])
  await api.app.keepSamples()
  const at = Math.floor(api.clock.nowMs() / 1000)
  const id = (await api.store.hostByName('two'))?.id
  expect((await api.store.metrics(60, at - 120, at + 60, id))[0]).toMatchObject({ cpu_percent: 80 })
})

it('an account is told of PHP, and shown the logs, of the machine that it is on', async () => {
  const created = await admin.post('/api/accounts', {
    ...{ username: 'aaa', domain: 'aaa.example', email: 'a@mail.example', plan: 'free' },
    ...{ password: 'account password', host: 'two' },
  })
  expect(created.status).toBe(200)
  const client = await accountClient(api, 'aaa')
  expect((await client.get('/api/php/versions')).status).toBe(200)
  expect((await client.get('/api/logs/access?host=local')).status).toBe(200)
  await cutOff()
  expect(await client.get('/api/php/versions')).toMatchObject({ status: 503 })
  // Whichever it names.
  expect(await client.get('/api/logs/access?host=local')).toMatchObject({ status: 503 })
})

it('who has something on a machine that is away is told so, and sees what was known last', async () => {
  for (const [username, host] of [
    ['aaa', 'two'],
    ['bbb', 'local'],
  ] as const)
    await admin.post('/api/accounts', {
      ...{ username, domain: `${username}.example`, email: 'a@mail.example', plan: 'free' },
      ...{ password: 'account password', host },
    })
  const [aaa, bbb] = [await accountClient(api, 'aaa'), await accountClient(api, 'bbb')]
  const away = async (client: ApiClient) => (await client.get('/api/away-hosts')).body.data
  expect([await away(admin), await away(aaa)]).toEqual([[], []])
  await cutOff()
  const two = { name: 'two', since: expect.stringMatching(/^20/) as unknown }
  expect(await away(admin)).toMatchObject([two])
  expect(await away(aaa)).toMatchObject([two])
  expect(await away(bbb)).toEqual([])
  const id = (await api.store.accountByName('aaa'))?.id
  for (const path of [
    ...[`/api/accounts/${id}`, `/api/domains/account/${id}`, `/api/databases/${id}`],
    ...[
      `/api/backups/accounts/${id}`,
      `/api/cron/${id}`,
      '/api/accounts',
      '/api/domains',
      '/api/backups',
    ],
  ]) {
    const { status, body } = await admin.get(path)
    expect([path, status, JSON.stringify(body.data)]).toEqual([
      ...[path, 200, expect.stringMatching(/aaa|^\[\]$/)],
    ])
  }
  // What only the machine knows is said to be unknown, with its name.
  const files = await admin.get(`/api/files/list?account_id=${id}&path=/`)
  expect(files).toMatchObject({ status: 503 })
  expect(files.body.error).toContain('two is away')
})

it('what is wrong with a machine is told by its name, and stands while it is away', async () => {
  const { disks } = two.machine.now
  if (disks.seen) disks.value = disks.value.map((disk) => ({ ...disk, freeBytes: 0 }))
  api.clock.advanceSecs(3600)
  await api.app.probeHosts()
  await api.app.lookForTroubles()
  const told = async () =>
    ((await data('/api/notifications')) as { message: string; title: string; state: string }[])
      // That it is away is told besides.
      .filter(({ message }) => message !== 'machine.away')
  const full = { message: 'disk.full', title: 'two: The disk at / is full', state: 'standing' }
  expect(await told()).toMatchObject([full])
  await cutOff()
  api.clock.advanceSecs(3600)
  await api.app.lookForTroubles()
  expect(await told()).toMatchObject([full])
})
