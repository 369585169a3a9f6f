import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, aliceAndBobby } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const AT = '/api/domains/1/backends'
const SERVER = { url: 'https://app.example:8443', weight: 1 }
const USUAL = {
  ...{ path: '/api', replace_prefix: null, application: null, internal: false },
  ...{ health_path: null, preserve_host: false, websocket: true, verify_tls: true },
}
const told = (more: object = {}) => ({
  ...USUAL,
  state: 'unknown',
  servers: [{ ...SERVER, state: 'unknown', requests: 0, failures: 0 }],
  ...more,
})
const servers = (...urls: string[]) => ({ path: '/api', servers: urls.map((url) => ({ url })) })

const badInputs: [string, object][] = [
  ['path', { ...servers('https://a.example'), path: 'api' }],
  ['path', { ...servers('https://a.example'), path: '/api/' }],
  ['path', { ...servers('https://a.example'), path: '/a/../b' }],
  ['path', { ...servers('https://a.example'), path: '/a%2e' }],
  ['path', { ...servers('https://a.example'), path: '/a\r\nX: y' }],
  ['replace_prefix', { ...servers('https://a.example'), replace_prefix: '/../etc' }],
  ['replace_prefix', { ...servers('https://a.example'), replace_prefix: '//evil.example' }],
  ['replace_prefix', { ...servers('https://a.example'), replace_prefix: '/a?b' }],
  ['replace_prefix', { ...servers('https://a.example'), replace_prefix: '/a\u0000' }],
  ['health_path', { ...servers('https://a.example'), health_path: '/x HTTP/1.1\r\nX: y' }],
  ['health_path', { ...servers('https://a.example'), health_path: '//evil.example' }],
  ['servers', { path: '/api' }],
  ['servers', { ...servers('https://a.example'), application: 'shop' }],
  ['servers', servers(...Array.from({ length: 17 }, (_, at) => `https://a${at}.example`))],
  ['servers.1.url', servers('https://a.example', 'https://a.example:443')],
  ['servers.0.weight', { path: '/api', servers: [{ url: 'https://a.example', weight: 0 }] }],
  ['application', { path: '/api', application: '../x' }],
  ['application', { path: '/api', application: 'none' }],
  ...[
    'ftp://a.example',
    'https://user:pw@a.example',
    'https://a.example/path',
    'https://a.example?x',
    'unix:/run/berth/agent.sock',
    'http://127.0.0.1:3000',
    'http://localhost:6379',
    'http://[::1]:7070',
    'http://0x7f.1:7070',
    'http://10.0.0.5',
    'http://169.254.169.254',
    'http://[fd00:ec2::254]',
    'http://metadata',
    'http://a.example:22',
    'http://a.example:25',
    'http://a.example\r\nX: y',
  ].map((url): [string, object] => ['servers.0.url', servers(url)]),
]

/** What answers paths of sites in place of their files. */
export const siteBackendsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('backends of sites', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
    })
    const served = () => shared.instance.host.webServer.hosts.get('alice.example')
    const put = (body: object, by = alice) => by.send('PUT', AT, body)
    const remove = (path: string, by = alice) =>
      by.send('DELETE', `${AT}?path=${encodeURIComponent(path)}`)
    const list = async () => (await alice.get(AT)).body.data

    test('there are none at first', async () => {
      expect(await list()).toEqual([])
    })

    test.each(badInputs)('%s is refused in %j', async (field, body) => {
      const answer = await put(body)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      expect(await list()).toEqual([])
      expect(served()?.site).toBeUndefined()
    })

    test('one is served, in one spelling, without pages from before', async () => {
      const { purges } = shared.instance.host.webServer
      purges.length = 0
      const answer = await put({ path: '/api', servers: [{ url: 'HTTPS://App.Example:8443/' }] })
      expect([answer.status, answer.body.data]).toEqual([200, [told()]])
      expect(served()?.site?.backends).toEqual([{ ...USUAL, servers: [SERVER] }])
      expect(purges).toEqual([['alice.example']])
      expect(JSON.stringify((await alice.get('/api/domains/1/site')).body)).not.toContain('app.ex')
    })

    test('one takes the place of what answered its path before, and says how its servers fare', async () => {
      shared.instance.host.webServer.away.add('http://9.9.9.9:8080')
      const wanted = {
        path: '/api',
        ...{ replace_prefix: '/v1', health_path: '/health', preserve_host: true },
        servers: [{ url: 'https://app.example:8443', weight: 3 }, { url: 'http://9.9.9.9:8080' }],
      }
      const { body } = await put(wanted)
      expect(body.data).toEqual([
        told({
          ...wanted,
          state: 'partly',
          servers: [
            { ...SERVER, weight: 3, state: 'up', requests: 3, failures: 0 },
            {
              ...{ url: 'http://9.9.9.9:8080', weight: 1 },
              state: 'down',
              requests: 3,
              failures: 2,
            },
          ],
        }),
      ])
      expect(await list()).toEqual(body.data)
    })

    test('an application is named by its name, with its instances', async () => {
      const shop = { ...{ name: 'shop', folder: 'apps/shop' }, start_command: 'node server.js' }
      const made = await shared.admin.post('/api/applications', {
        account_id: 1,
        ...shop,
        ...{ runtime_kind: 'node', instances: 2, health_path: '/up' },
      })
      expect(made.status, JSON.stringify(made.body)).toBe(200)
      const answer = await put({ path: '/shop', application: 'shop', verify_tls: false })
      const backends = answer.body.data as object[]
      const application = { path: '/shop', application: 'shop', preserve_host: true }
      expect(backends[1]).toEqual(told({ ...application, servers: [] }))
      expect(served()).toMatchObject({ instances: { shop: { instances: 2, healthPath: '/up' } } })
    })

    test("nobody names another account's application", async () => {
      const answer = await bobby.send('PUT', '/api/domains/2/backends', {
        ...{ path: '/', application: 'shop' },
      })
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'application'])
    })

    test('it goes with its application', async () => {
      await shared.admin.send('DELETE', '/api/applications/1/shop')
      expect(await list()).toMatchObject([{ path: '/api' }])
      expect(served()?.instances).toBeUndefined()
      expect(served()?.site?.backends).toHaveLength(1)
    })

    test('only administrators lead into the inside, and nobody takes that for his own', async () => {
      const inside = { ...servers('http://10.0.0.5:3000'), internal: true }
      expect((await put(inside)).status).toBe(403)
      expect((await put(inside, shared.admin)).body.data).toMatchObject([{ internal: true }])
      expect((await put({ ...inside, websocket: false })).status).toBe(403)
      expect((await put({ ...inside, internal: false })).status).toBe(400)
      const patched = await alice.send('PATCH', '/api/domains/1/site', { www: 'with' })
      expect(patched.status).toBe(200)
      expect(await list()).toMatchObject([{ internal: true }])
    })

    test('a path is of a folder or of a backend', async () => {
      const folders = (path: string) =>
        alice.send('PATCH', '/api/domains/1/site', { folders: [{ path, folder: 'media' }] })
      expect((await folders('/api')).status).toBe(400)
      expect((await folders('/api/docs')).status).toBe(200)
      const taken = await put({ ...servers('https://a.example'), path: '/api/docs' })
      expect([taken.status, taken.headers.get('x-error-field')]).toEqual([400, 'path'])
      await alice.send('PATCH', '/api/domains/1/site', { folders: [], www: 'both' })
    })

    test('there are as many as a site may have', async () => {
      for (let at = 1; at < 20; at++)
        expect((await put({ ...servers('https://a.example'), path: `/x${at}` })).status).toBe(200)
      expect((await put({ ...servers('https://a.example'), path: '/more' })).status).toBe(400)
      for (let at = 1; at < 20; at++) expect((await remove(`/x${at}`)).status).toBe(200)
    })

    test('one is taken away, and the site is as it was', async () => {
      expect((await remove('/api', bobby)).status).toBe(404)
      expect((await remove('/api')).body.data).toEqual([])
      expect((await remove('/api')).status).toBe(404)
      expect(served()?.site).toBeUndefined()
    })

    test('each is noted with its path', async () => {
      const { body } = await shared.admin.get('/api/audit?q=backends')
      expect(JSON.stringify(body.data)).toContain('path=/api')
    })

    test('those of an account that is suspended stay, and cannot be changed', async () => {
      await put(servers('https://a.example'))
      await shared.admin.post('/api/accounts/1/suspend')
      expect((await put(servers('https://b.example'), shared.admin)).status).toBe(409)
      expect(served()).toMatchObject({ suspended: true, site: { backends: [{ path: '/api' }] } })
      await shared.admin.post('/api/accounts/1/unsuspend')
      const again = await accountClient(shared.instance, 'alice')
      expect((await again.get(AT)).body.data).toMatchObject([{ path: '/api' }])
    })
  })
}
