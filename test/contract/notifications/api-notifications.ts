import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { ADMIN, aliceAndBobby, apiClient } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { readEvents } from '../frame/event-reader.ts'

interface Told {
  id: number
  message: string
  title: string
  text: string
  link: string
  read_at: string | null
  data: Record<string, string>
}

const CURL = 'curl/8.14.1'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** What people are told in the panel, and how they want to be told. */
export const notificationsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('notifications', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
    })
    const told = async (client: ApiClient, query = ''): Promise<Told[]> => {
      const { status, body } = await client.get(`/api/notifications${query}`)
      expect([status, body.error]).toEqual([200, undefined])
      return body.data as Told[]
    }
    const messages = async (client: ApiClient, query = '') =>
      (await told(client, query)).map(({ message }) => message)
    const loginFrom = async (address: string, device: string, language = '') => {
      const response = await shared.instance.fetch(
        '/api/auth/login',
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': device,
            'accept-language': language,
          },
          body: JSON.stringify({ username: 'alice', password: 'account password' }),
        },
        address,
      )
      expect(response.status).toBe(200)
      return response.json()
    }

    test('a login from a new place is told to who logged in, one from a known place is not', async () => {
      // The first login of all had nothing to be compared with.
      expect(await messages(alice)).toEqual([])
      await loginFrom('192.0.2.77', CURL)
      await loginFrom('192.0.99.1', CURL)
      expect(await messages(alice)).toEqual(['login.new_place'])
      await loginFrom('203.0.113.9', FIREFOX)
      await loginFrom('203.0.77.1', FIREFOX)
      const [login, ...others] = await told(alice)
      expect(others).toHaveLength(1)
      expect(login).toMatchObject({
        kind: 'login',
        message: 'login.new_place',
        severity: 'warning',
        state: 'told',
        title: 'Login from a new place',
        text: expect.stringContaining('Firefox, Linux at 203.0.113.9'),
        link: '/settings?tab=sessions',
        data: { address: '203.0.113.9', device: 'Firefox, Linux' },
        read_at: null,
      })
      const [german] = await told(alice, '?language=de')
      expect(german?.title).toBe('Anmeldung von einem neuen Ort')
      for (const other of [bobby, shared.admin]) expect(await messages(other)).toEqual([])
    })

    test('an account does not learn where an administrator comes from', async () => {
      const visit = await shared.admin.post('/api/accounts/1/login')
      expect(visit.status).toBe(200)
      expect(await messages(alice)).toEqual(['login.new_place', 'login.new_place'])
    })

    test('changes of what lets somebody in are told to that person', async () => {
      const password = 'account password'
      const change = await shared.admin.send('PATCH', '/api/accounts/1', { password })
      expect(change.status).toBe(200)
      const { data } = (await loginFrom('192.0.2.77', CURL)) as { data: { token: string } }
      alice = apiClient(shared.instance, data.token)
      const made = await alice.post('/api/tokens', { name: '<b>ci</b>', scopes: ['read'] })
      expect(made.status).toBe(200)
      const security = await told(alice, '?kind=security')
      expect(security.map(({ message }) => message)).toEqual([
        'security.token_made',
        'security.password_set',
      ])
      expect(security[0]?.data).toMatchObject({ name: '<b>ci</b>' })
      expect(JSON.stringify(security)).not.toContain('192.0.2')
      expect(await messages(shared.admin)).toEqual([])
    })

    test('are counted, filtered, paged and read, one or all', async () => {
      const state = async () => (await alice.get('/api/notifications/unread')).body.data
      expect(await state()).toMatchObject({ unread: 4 })
      const page = await alice.get('/api/notifications?page=2&per_page=2')
      expect([page.headers.get('x-total-count'), page.body.data]).toMatchObject(['4', [{}, {}]])
      const [newest] = await told(alice)
      const id = newest?.id ?? 0
      const read = await alice.post(`/api/notifications/${id}/read`)
      expect(read.body.data).toMatchObject({ unread: 3, latest: id })
      expect(await messages(alice, '?unread=true')).not.toContain('security.token_made')
      expect(await messages(alice, '?standing=true')).toEqual([])
      expect((await alice.get('/api/notifications?kind=weather')).status).toBe(400)
      expect((await alice.post('/api/notifications/read')).body.data).toMatchObject({ unread: 0 })
      expect((await told(alice)).map(({ read_at }) => read_at)).not.toContain(null)
    })

    test("nobody reads or counts another's", async () => {
      const [own] = await told(alice)
      for (const other of [bobby, shared.admin]) {
        expect((await other.post(`/api/notifications/${own?.id ?? 0}/read`)).status).toBe(404)
        expect((await other.get('/api/notifications/unread')).body.data).toMatchObject({
          unread: 0,
        })
      }
      expect((await bobby.post('/api/notifications/999999/read')).status).toBe(404)
    })

    test('changes arrive in the stream', async () => {
      const response = await shared.instance.fetch('/api/notifications/events', {
        headers: { authorization: `Bearer ${alice.token ?? ''}` },
      })
      const events = readEvents(response)
      expect(await events.next()).toMatchObject({ event: 'notifications', data: { unread: 0 } })
      const next = events.next()
      await alice.post('/api/tokens', { name: 'second', scopes: ['read'] })
      expect(await next).toMatchObject({ data: { unread: 1 } })
      await events.cancel()
    })

    test('each person chooses by kind, and security stays in the panel', async () => {
      const path = '/api/notifications/preferences'
      const before = (await alice.get(path)).body.data as { kinds: { kind: string }[] }
      expect(before).toMatchObject({ email: 'alice@mail.example', language: null, webhook: false })
      expect(before.kinds.map(({ kind }) => kind)).not.toContain('disk')
      const change = { kinds: { quota: { mail: false } }, language: 'de' }
      const after = await alice.send('PATCH', path, change)
      expect(after.body.data).toMatchObject({ language: 'de' })
      const { kinds } = after.body.data as typeof before
      expect(kinds.find(({ kind }) => kind === 'quota')).toEqual({
        kind: 'quota',
        panel: true,
        mail: false,
        webhook: true,
        always_in_panel: false,
      })
      const other = (await bobby.get(path)).body.data
      expect(other).toMatchObject({ language: null })
      for (const [field, bad] of [
        ['kinds', { kinds: { security: { panel: false } } }],
        ['kinds', { kinds: { disk: { mail: true } } }],
        ['kinds', { kinds: { weather: { mail: true } } }],
        ['language', { language: 'xx' }],
        ['Nothing', {}],
      ] as const) {
        const { status, body } = await alice.send('PATCH', path, bad)
        expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
      }
      expect((await alice.send('PATCH', path, { email: 'x@y.example' })).status).toBe(409)
      const admin = await shared.admin.send('PATCH', path, { email: 'boss@mail.example' })
      expect(admin.body.data).toMatchObject({ email: 'boss@mail.example' })
      expect((await shared.admin.send('PATCH', path, { email: 'no address' })).status).toBe(400)
    })

    test('a webhook is set, shown without its secret, and taken away', async () => {
      const path = '/api/notifications/webhook'
      expect((await bobby.get(path)).body.data).toBeNull()
      const set = await bobby.send('PUT', path, { url: 'https://hooks.example/berth?x=1' })
      expect(set.body.data).toMatchObject({
        url: 'https://hooks.example/berth?x=1',
        secret: expect.stringMatching(/^whsec_[\w-]{43}$/),
      })
      expect((await bobby.get(path)).body.data).toEqual({
        url: 'https://hooks.example/berth?x=1',
        created_at: expect.any(String),
        tries: 0,
      })
      expect((await alice.get(path)).body.data).toBeNull()
      for (const url of ['ftp://a.example', 'https://u:p@a.example', 'hooks', '', 7])
        expect((await bobby.send('PUT', path, { url })).status).toBe(400)
      expect((await bobby.get(`${path}/deliveries`)).body.data).toEqual([])
      expect((await bobby.del(path)).body.data).toEqual({ deleted: true })
      expect((await bobby.get(path)).body.data).toBeNull()
      expect((await bobby.post(`${path}/test`)).status).toBe(404)
    })

    test('a token changes nothing of how its owner is told', async () => {
      const { body } = await bobby.post('/api/tokens', { name: 'ci', scopes: ['read', 'write'] })
      const token = apiClient(shared.instance, (body.data as { token: string }).token)
      expect((await token.get('/api/notifications')).status).toBe(200)
      const url = { url: 'https://evil.example' }
      expect((await token.send('PUT', '/api/notifications/webhook', url)).status).toBe(403)
      const quiet = { kinds: { security: { mail: false } } }
      expect((await token.send('PATCH', '/api/notifications/preferences', quiet)).status).toBe(403)
    })

    test('what concerns logins and security only the person itself reads', async () => {
      const made = await bobby.post('/api/tokens', { name: 'reader', scopes: ['read', 'write'] })
      const program = apiClient(shared.instance, (made.body.data as { token: string }).token)
      const entered = await shared.admin.post('/api/accounts/2/login')
      const visit = apiClient(shared.instance, (entered.body.data as { token: string }).token)
      const [newest] = await told(bobby, '?unread=true&kind=security')
      expect(newest?.message).toBe('security.token_made')
      const before = (await bobby.get('/api/notifications/unread')).body.data
      for (const other of [program, visit])
        for (const path of ['read', `${newest?.id ?? 0}/read`]) {
          const left = await other.post(`/api/notifications/${path}`)
          expect([left.status, left.body.data]).toEqual([200, before])
        }
      await bobby.post('/api/notifications/read')
      expect(await told(bobby, '?unread=true')).toEqual([])
    })

    test('go with their account', async () => {
      expect((await shared.admin.del('/api/accounts/1')).status).toBe(200)
      expect((await alice.get('/api/notifications')).status).toBe(401)
      expect(ADMIN.username).not.toBe('')
    })
  })
}
