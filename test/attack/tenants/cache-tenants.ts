import { expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

/** Answers every path, tagged `shared` and by its path, with something new each time. */
const PAGES = `<?php
$path = strtok($_SERVER['REQUEST_URI'], '?');
header('Content-Type: text/html');
header('Cache-Tag: shared, ' . str_replace('/', '', $path));
echo bin2hex(random_bytes(8));`

const newTenant = async (): Promise<Tenant> => {
  const tenant = await Tenant.create(panel)
  await tenant.put('public_html/index.php', PAGES)
  await tenant.run('rm', ['-f', '--', tenant.path('public_html', 'index.html')])
  return tenant
}
const xCache = async (host: string, path: string, headers: Record<string, string> = {}) =>
  (await instance.site(host, path, { headers })).headers['x-cache']
const login = async ({ username, password }: Tenant): Promise<string> => {
  const data = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    username,
    password,
  })
  return data.token
}

test('tenants reach nothing of each other', async () => {
  const [alice, bobby] = [await newTenant(), await newTenant()]
  const token = await login(alice)
  const ask = (method: string, path: string, body?: unknown) =>
    panel.call(method, path, body, token)
  for (const path of ['/a', '/b']) await xCache(bobby.domain, path)
  const names = [
    bobby.domain,
    `www.${bobby.domain}`,
    bobby.domain.toUpperCase(),
    `${bobby.domain}.`,
    `${alice.domain}%2f..%2f${bobby.domain}`,
    `..%2f${bobby.domain}`,
  ]
  for (const name of names) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '/purge', { all: true }],
      ['POST', '/warm', { urls: ['/a'] }],
      ['PATCH', '', { enabled: false }],
    ] as const) {
      const { status, body: answer } = await ask(method, `/api/cache/${name}${path}`, body)
      expect([400, 404], `${method} ${name}${path} ${answer.error ?? ''}`).toContain(status)
    }
  }
  expect((await ask('POST', '/api/cache/purge')).status).toBe(403)
  // Its own site, but paths and tags that mean the other's.
  const own = `/api/cache/${alice.domain}`
  for (const body of [
    { tags: ['shared', 'a', 'b', `host:${bobby.domain}`] },
    { paths: ['/a', '/b', '/*', `//${bobby.domain}/a`] },
    { tags: [`host:${bobby.domain} shared`] },
    { all: true },
  ])
    await ask('POST', `${own}/purge`, body)
  expect(await xCache(bobby.domain, '/a')).toBe('HIT')
  expect(await xCache(bobby.domain, '/b')).toBe('HIT')
  const { body } = await ask('POST', `${own}/warm`, {
    urls: [`http://${bobby.domain}/warmed`, `http://127.0.0.1:${instance.webPort}/`, '/mine'],
  })
  expect(body.data).toMatchObject({ done: 1 })
  expect((body.data as { rejected: unknown[] }).rejected).toHaveLength(2)
  expect(await xCache(bobby.domain, '/warmed')).toBe('MISS')
  // What it may see names nobody else.
  const { body: list } = await ask('GET', '/api/cache')
  expect(list.data).toMatchObject({ server: null, domains: [{ domain: alice.domain }] })

  // An alias that somebody else already has, or below it, cannot be taken.
  for (const domain_name of [bobby.domain, `x.${bobby.domain}`]) {
    const { status } = await ask('POST', '/api/domains', {
      account_id: alice.id,
      domain_name,
      domain_type: 'alias',
      document_root: alice.path('public_html'),
    })
    expect(status).toBe(409)
  }
})

test('floods of purges and orders to warm are held back, for that account alone', async () => {
  const [alice, bobby] = [await newTenant(), await newTenant()]
  const [token, other] = [await login(alice), await login(bobby)]
  const statuses: number[] = []
  let after: string | null = null
  for (let i = 0; i < 70; i++) {
    const path = `/api/cache/${alice.domain}/purge`
    const { status, headers } = await panel.call('POST', path, { paths: [`/p${i}`] }, token)
    statuses.push(status)
    after = headers.get('retry-after') ?? after
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5)
  expect(Number(after)).toBeGreaterThan(0)
  const { status } = await panel.call(
    'POST',
    `/api/cache/${bobby.domain}/purge`,
    { all: true },
    other,
  )
  expect(status).toBe(200)
  const orders = Array.from({ length: 14 }, (_, i) =>
    panel.call('POST', `/api/cache/${alice.domain}/warm`, { urls: [`/w${i}`] }, token),
  )
  const refused = (await Promise.all(orders)).filter((answer) => answer.status === 429)
  expect(refused.length).toBeGreaterThan(2)
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
})

test('a token of scope cache reaches the page cache and nothing else', async () => {
  const { domain, id } = await newTenant()
  const made = await panel.data<{ token: string }>('POST', '/api/tokens', {
    name: 'cache only',
    scopes: ['cache'],
  })
  const ask = async (method: string, path: string, body?: unknown) =>
    (await panel.call(method, path, body, made.token)).status
  expect(await ask('GET', `/api/cache/${domain}`)).toBe(200)
  expect(await ask('POST', `/api/cache/${domain}/purge`, { all: true })).toBe(200)
  expect(await ask('GET', '/api/domains')).toBe(403)
  expect(await ask('PATCH', `/api/domains/${id}`, { cache_enabled: false })).toBe(403)
  expect(await ask('GET', '/api/jobs')).toBe(403)
})
