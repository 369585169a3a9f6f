import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMIN,
  adminClient,
  apiClient,
  createAccount,
  newAccount,
  type ApiClient,
  type ApiInstance,
} from '#test/contract/frame/api-instance.ts'
import { endWorkerd, makeWorkerdApi } from './api-workerd.ts'

/**
 * Requests of one isolate share its memory, but none may go on in the place of another: what waits
 * for a promise that another request resolves has its own input and output taken away (500).
 */
let api: ApiInstance
let admin: ApiClient

beforeAll(async () => {
  api = await makeWorkerdApi()
})
afterAll(async () => {
  await api.close()
  await endWorkerd()
})

const crowd = async (
  size: number,
  ask: (number: number) => Promise<{ status: number }>,
): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: size }, (_, number) => ask(number)))
  return [...new Set(answers.map(({ status }) => status))]
}
const login = (body: unknown, address: string): Promise<Response> =>
  api.fetch(
    '/api/auth/login',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    address,
  )

test('the first requests of an isolate share one start', async () => {
  expect(await crowd(40, () => api.fetch('/api/accounts'))).toEqual([401])
})

test('the first log-ins share what hides who is known', async () => {
  const wrong = { username: 'nobody', password: 'not a password' }
  expect(await crowd(12, (number) => login(wrong, `198.51.100.${number}`))).toEqual([401])
})

test('whatever is read at once is answered', async () => {
  admin = await adminClient(api)
  const paths = ['/api/auth/me', '/api/accounts', '/api/domains', '/api/audit', '/api/jobs']
  for (let round = 0; round < 4; round++) {
    const ask = (number: number) => admin.get(paths[number % paths.length] ?? '')
    expect(await crowd(60, ask)).toEqual([200])
  }
})

test('who waits for a turn has it as his own: address, account, job, site', async () => {
  expect(await crowd(6, () => login(ADMIN, '203.0.113.1'))).toEqual([200])
  const { id } = await createAccount(admin, 'crowd', 'crowd.example')
  const domain = (number: number) => ({
    account_id: id,
    domain_name: `site${number}.crowd.example`,
    domain_type: 'subdomain',
    document_root: `/home/crowd/site${number}`,
  })
  expect(await crowd(3, (number) => admin.post('/api/domains', domain(number)))).toEqual([200])
  const folder = (number: number) => ({ account_id: id, path: `public_html/folder${number}` })
  expect(await crowd(12, (number) => admin.post('/api/files/mkdir', folder(number)))).toEqual([200])
  const job = (number: number) =>
    api.fetch('/api/accounts', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'content-type': 'application/json',
        prefer: 'respond-async',
      },
      body: JSON.stringify(newAccount(`later${number}`)),
    })
  expect(await crowd(4, job)).toEqual([200])
  await expect
    .poll(async () => {
      const { body } = await admin.get('/api/jobs?kind=account.create')
      return (body.data as { state: string }[]).map(({ state }) => state)
    })
    .toEqual(Array.from({ length: 4 }, () => 'done'))
})

test('who lost the right while he waited has no turn', async () => {
  const { webServer } = api.host
  const { apply } = webServer
  let go = (): void => undefined
  const mayGo = new Promise<void>((resolve) => (go = resolve))
  let isHeld = false
  webServer.apply = async (...args) => {
    webServer.apply = apply
    isHeld = true
    await mayGo
    return apply.apply(webServer, args)
  }
  const change = (client: ApiClient, on: boolean) =>
    client.send('PATCH', '/api/domains/1', { redirect_https: on, cache_enabled: on })
  const held = change(admin, false)
  await expect.poll(() => isHeld).toBe(true)
  const made = await admin.post('/api/tokens', { name: 'robot', scopes: ['read', 'write'] })
  const { id, token } = made.body.data as { id: number; token: string }
  const waiting = change(apiClient(api, token), true)
  const isLetIn = async () => {
    const [robot] = (await admin.get('/api/tokens')).body.data as { last_used_at: string | null }[]
    return robot?.last_used_at
  }
  await expect.poll(isLetIn).not.toBeNull()
  expect((await admin.del(`/api/tokens/${id}`)).status).toBe(200)
  go()
  expect([(await held).status, (await waiting).status]).toEqual([200, 401])
})
