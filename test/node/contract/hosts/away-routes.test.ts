import { afterAll, beforeAll, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import type { GuardedRoute, Route } from '#handlers/panel/frame/route.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { accountClient, adminClient } from '#test/contract/frame/api-instance.ts'
import { PUBLIC_KEY } from '#test/contract/sftp/sftp-port.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { makeNodeApi, type NodeApi } from '../api-node.ts'
import { addSecondHost, linksTo, reached } from '../support/second-host.ts'

let api: NodeApi
let admin: ApiClient
let alice: ApiClient
let isThere = true
let accountId = 0
let domainId = 0

const lost = () => unavailable('The host host-2 cannot be reached.')

beforeAll(async () => {
  const two = createFakeHost()
  const ports = reached(two.ports)
  const cut = new Proxy(ports, {
    get: (target, port: keyof typeof ports) =>
      isThere || typeof port !== 'string' || !(port in target)
        ? target[port]
        : new Proxy(target[port], { get: () => () => Promise.reject(lost()) }),
  })
  api = await makeNodeApi({
    hostLinks: linksTo(cut, () =>
      isThere
        ? Promise.resolve({ disk_free_percent: 60, php_versions: '["8.2"]' })
        : Promise.reject(lost()),
    ),
  })
  await addSecondHost(api.store)
  admin = await adminClient(api)
  await api.app.probeHosts()
  const made = await admin.post('/api/accounts', {
    ...{ username: 'alice', domain: 'alice.example', email: 'a@mail.example', plan: 'free' },
    ...{ password: 'account password', host: 'two' },
  })
  accountId = (made.body.data as { id: number }).id
  alice = await accountClient(api, 'alice')
  domainId = ((await alice.get('/api/domains')).body.data as { id: number }[])[0]?.id ?? 0
  const account = { account_id: accountId }
  for (const [path, body] of [
    ['/api/databases', { ...account, db_name: 'shop', db_password: 'long enough' }],
    ['/api/cron', { ...account, schedule: '0 3 * * *', kind: 'shell', command: 'true' }],
    ['/api/sftp/keys', { ...account, name: 'key', public_key: PUBLIC_KEY }],
    ['/api/backups/create', account],
  ] as const)
    expect((await alice.post(path, body)).status, path).toBeLessThan(500)
  const version = { version: '8.2', mode: 'fpm' }
  expect((await admin.post(`/api/php/version/${accountId}`, version)).status).toBe(200)
  isThere = false
  for (let probes = 0; probes < 3; probes += 1) await api.app.probeHosts()
})
afterAll(() => api.close())

const VALUES: Readonly<Record<string, () => string>> = {
  id: () => String(accountId),
  account_id: () => String(accountId),
  accountId: () => String(accountId),
  domain: () => 'alice.example',
  host: () => 'two',
  username: () => 'alice',
}

/** Of a route all parameters are the account's. */
const pathOf = (route: GuardedRoute): string => {
  const path = route.path.replace(/:(\w+)[+*?]?/g, (_, name: string) => {
    if (name === 'id' && route.path.startsWith('/api/domains/:id')) return String(domainId)
    return VALUES[name]?.() ?? '1'
  })
  const asked = Object.keys(route.query?.shape ?? {}).flatMap((name) => {
    const value = name === 'path' ? 'public_html' : VALUES[name]?.()
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  return asked.length === 0 ? path : `${path}?${asked.join('&')}`
}

const GETS = allRoutes({} as PanelDeps, {} as Services).filter(
  (route): route is Route & GuardedRoute =>
    !route.open &&
    route.method === 'GET' &&
    // They go on for as long as somebody listens.
    route.raw?.mediaTypes.includes('text/event-stream') !== true,
)

/** What only the machine knows: files, what runs there, what lies there, what it sent and keeps for itself. */
const ONLY_THERE: readonly string[] = [
  ...['/api/accounts/:id/use', '/api/backups/accounts/:id/restores', '/api/dns-access/:account_id'],
  ...['/api/cache/:domain', '/api/cache/:domain/plugin'],
  ...[
    '/api/databases/:account_id/exports',
    '/api/databases/:account_id/exports/:filename/download',
  ],
  ...['/api/domains/:id/php', '/api/php/versions', '/api/sftp/:account_id'],
  ...['/api/files/download', '/api/files/list', '/api/files/read'],
  ...['/api/logs', '/api/mail', '/api/mail/:account_id', '/api/mail/:account_id/settings'],
  ...['/api/mail/messages/:message', '/api/mail/messages/:message/source', '/api/mail/status'],
  // A site that has none, which its machine tells from one that there is not.
  ...['/api/ssl/certificate/:domain', '/api/ssl/orders/:domain'],
  // It orders one.
  '/api/ssl/renew/:domain',
  ...['/api/system/info', '/api/system/stats', '/api/veloserve/status', '/api/veloserve/version'],
  ...['/api/wordpress/:account_id', '/api/wordpress/:account_id/administrators'],
  ...['/api/wordpress/:account_id/integrity', '/api/wordpress/:account_id/settings'],
  ...['/api/wordpress/:account_id/tables', '/api/wordpress/:account_id/updates'],
]

const statusOf = async (client: ApiClient, path: string) => {
  const headers = { authorization: `Bearer ${client.token ?? ''}` }
  const response = await api.fetch(path, { headers })
  return { status: response.status, text: await response.text() }
}

it('what the records know is answered from them, and what only the machine knows says that it is away', async () => {
  const away = new Set<string>()
  const wrong: string[] = []
  for (const route of GETS)
    for (const client of [admin, alice]) {
      const { status, text } = await statusOf(client, pathOf(route))
      if (status === 503) away.add(route.path)
      if (status >= 500 && !(status === 503 && text.includes('two is away')))
        wrong.push(`${route.path} ${status} ${text}`)
    }
  expect(wrong).toEqual([])
  expect([...away].sort()).toEqual([...ONLY_THERE].sort())
})

it('what an account chose is told while its machine is away', async () => {
  expect((await alice.get(`/api/php/config/${accountId}`)).body.data).toEqual({
    ...{ version: '8.2', mode: 'fpm' },
  })
  expect((await alice.get('/api/cache')).body.data).toMatchObject({
    ...{ running: false, domains: [{ domain: 'alice.example' }] },
  })
})
