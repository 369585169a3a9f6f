import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { sign } from '@tsndr/cloudflare-worker-jwt'
import { expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let alice: Tenant
let bobby: Tenant

/** Head of the answer to bytes as they are. */
const raw = async (bytes: string): Promise<string> => {
  const { hostname, port } = new URL(instance.panelUrl)
  const socket = connect(Number(port), hostname)
  // The other side may close before it has read everything.
  socket.on('error', () => undefined)
  socket.end(bytes)
  return text(socket)
}
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
const login = (username: string, password: string, headers: Record<string, string> = {}) =>
  fetch(new URL('/api/auth/login', instance.panelUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username, password }),
  })
const tokenOf = async (tenant: Tenant): Promise<string> => {
  const response = await login(tenant.username, tenant.password)
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: { token: string } }).data.token
}

test('1: fifty setups at once make one administrator, and setup never opens again', async () => {
  const attempts = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      panel.call(
        'POST',
        '/api/auth/setup',
        { username: `boss${at}`, password: 'correct horse 9' },
        null,
      ),
    ),
  )
  const made = attempts.filter(({ status }) => status === 200)
  expect(made).toHaveLength(1)
  panel.token = (made[0]?.body.data as { token: string }).token
  expect(await panel.data<unknown[]>('GET', '/api/users')).toHaveLength(1)
  alice = await Tenant.create(panel)
  bobby = await Tenant.create(panel)
})

test('3: no spelling of a path and no override gets around the token', async () => {
  for (const target of [
    '/api/accounts',
    '/api/accounts/',
    '//api/accounts',
    '/api//accounts',
    '/API/accounts',
    '/api/%61ccounts',
    '/api/auth/login/../../accounts',
    '/api/auth/login/%2e%2e/%2e%2e/accounts',
    '/api/auth/login;/../../accounts',
    '/x/../api/accounts',
    `${instance.panelUrl}/api/accounts`,
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'TRACE', 'BREW']) {
      const answer = await raw(
        `${method} ${target} HTTP/1.1\r\nHost: panel\r\nX-HTTP-Method-Override: GET\r\nX-Original-URL: /api/auth/login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      expect([method, target, answer.includes('"ok":true')]).toEqual([method, target, false])
      expect(answer).not.toContain(alice.username)
      expect([400, 401, 403, 404, 405, 501]).toContain(statusOf(answer))
    }
  }
})

test('4: forged tokens', async () => {
  const secret = readFileSync(
    join(instance.config.paths.secrets_dir, 'panel-jwt.key'),
    'utf8',
  ).trim()
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub: 'admin:1', name: 'boss', role: 'admin', jti: 'x', iat, exp: iat + 60 }
  const me = async (token: string) =>
    (await panel.call('GET', '/api/auth/me', undefined, token)).status
  const good = await sign(claims, secret, 'HS256')
  expect(await me(good)).toBe(200)
  const [head = '', body = '', signature = ''] = good.split('.')
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const token of [
    `${part({ alg: 'none' })}.${body}.`,
    `${part({ alg: 'none' })}.${body}.${signature}`,
    `${part({ alg: 'HS512', typ: 'JWT' })}.${body}.${signature}`,
    `${part({ alg: 'HS256', kid: '/dev/null' })}.${body}.${signature}`,
    `${head}.${part({ ...claims, sub: 'admin:2' })}.${signature}`,
    `${head}.${body}.`,
    `${head}.${body}`,
    await sign(claims, randomBytes(32).toString('base64url'), 'HS256'),
    await sign(claims, '', 'HS256').catch(() => 'x'),
    await sign({ ...claims, exp: iat - 1, iat: iat - 60 }, secret, 'HS256'),
    await sign((({ exp: _, ...rest }) => rest)(claims), secret, 'HS256'),
    await sign({ ...claims, sub: `account:${alice.id}` }, secret, 'HS256'),
    await sign(
      { ...claims, sub: `account:${alice.id}`, role: 'account', act: 'admin:99' },
      secret,
      'HS256',
    ),
    await sign(
      { ...claims, sub: `account:${alice.id}`, role: 'account', act: 'root' },
      secret,
      'HS256',
    ),
  ]) {
    expect([token, await me(token)]).toEqual([token, 401])
  }
})

test('5: a token after logout, password change, suspension and deletion', async () => {
  const tenant = await Tenant.create(panel)
  const me = async (token: string) =>
    (await panel.call('GET', '/api/auth/me', undefined, token)).status
  const [out, stays] = [await tokenOf(tenant), await tokenOf(tenant)]
  await panel.call('POST', '/api/auth/logout', undefined, out)
  expect([await me(out), await me(stays)]).toEqual([401, 200])
  const made = await panel.call('POST', '/api/tokens', { name: 'ci', scopes: ['read'] }, stays)
  const { token: apiToken } = made.body.data as { token: string }
  const changed = await panel.call(
    'POST',
    '/api/auth/password',
    { current_password: tenant.password, new_password: `new-${tenant.password}` },
    stays,
  )
  expect(changed.status).toBe(200)
  const fresh = (changed.body.data as { token: string }).token
  expect([await me(stays), await me(fresh), await me(apiToken)]).toEqual([401, 200, 401])
  const again = await panel.call('POST', '/api/tokens', { name: 'ci', scopes: ['read'] }, fresh)
  const { token: later } = again.body.data as { token: string }
  expect(await me(later)).toBe(200)
  await panel.data('POST', `/api/accounts/${tenant.id}/suspend`)
  expect([await me(fresh), await me(later)]).toEqual([401, 401])
  expect((await login(tenant.username, `new-${tenant.password}`)).status).toBe(401)
  await panel.data('POST', `/api/accounts/${tenant.id}/unsuspend`)
  expect([await me(fresh), await me(later)]).toEqual([401, 401])
  await panel.data('DELETE', `/api/accounts/${tenant.id}`)
  expect([await me(fresh), await me(apiToken)]).toEqual([401, 401])
})

test('6, 7: a forged address resets no count; unknown users look like wrong passwords', async () => {
  const texts = new Set<string>()
  const statuses: number[] = []
  for (let at = 0; at < 7; at++) {
    const forged = {
      'x-forwarded-for': `10.0.0.${at}`,
      'x-real-ip': `10.0.0.${at}`,
      forwarded: `for=10.0.0.${at}`,
    }
    const response = await login(bobby.username, 'guess', forged)
    statuses.push(response.status)
    if (response.status === 401) texts.add(await response.text())
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  texts.add(await (await login('nobody-here', 'guess')).text())
  expect(texts.size).toBe(1)
})

test('8: a cookie alone changes nothing from a foreign page', async () => {
  const cookie = `panel_token=${panel.token}`
  const json = { 'content-type': 'application/json' }
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) =>
    (
      await fetch(new URL(path, instance.panelUrl), {
        method,
        headers: { cookie, ...headers },
        ...(body === undefined ? {} : { body }),
      })
    ).status
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: instance.panelUrl.replace(/\d+$/, '1') },
    { 'sec-fetch-site': 'same-site', origin: instance.panelUrl },
    { 'sec-fetch-site': 'cross-site' },
    { 'x-requested-with': 'XMLHttpRequest' },
    {},
  ]) {
    const sent = headers as Record<string, string>
    expect(await send('DELETE', `/api/accounts/${alice.id}`, sent)).toBe(403)
    expect(await send('POST', `/api/accounts/${alice.id}/login`, sent)).toBe(403)
    expect(await send('POST', '/api/users', { ...json, ...sent }, '{}')).toBe(403)
    expect(await send('GET', `/api/ssl/renew/${alice.domain}`, sent)).toBe(403)
  }
  const own = { 'x-requested-with': 'berth' }
  const input = JSON.stringify({ username: 'mallory', password: 'long enough' })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    expect(await send('POST', '/api/users', { ...own, 'content-type': type }, input)).toBe(415)
  }
  expect(await panel.data<unknown[]>('GET', '/api/users')).toHaveLength(1)
})

test('9: line breaks in Authorization and cookies', async () => {
  for (const header of [
    'Authorization: Bearer x\r\n y',
    'Authorization: Bearer x\nX-Evil: 1',
    'Authorization: Bearer x\rX-Evil: 1',
    'Authorization: Bearer %0d%0aSet-Cookie:a=1',
    'Cookie: panel_token=x\r\n\tSet-Cookie: a=1',
    'Cookie: panel_token=%0d%0aSet-Cookie:%20a=1',
    'Cookie: panel_token=x\u0000y',
  ]) {
    const answer = await raw(
      `GET /api/auth/me HTTP/1.1\r\nHost: panel\r\n${header}\r\nConnection: close\r\n\r\n`,
    )
    expect([header, [400, 401].includes(statusOf(answer))]).toEqual([header, true])
    expect(answer).not.toMatch(/^(set-cookie|x-evil)/im)
  }
})

test('10: the signing key is random and the panel’s alone', () => {
  const file = join(instance.config.paths.secrets_dir, 'panel-jwt.key')
  const owner = statSync(join(instance.config.paths.state_dir, 'panel')).uid
  expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, owner])
  expect(readFileSync(file, 'utf8').trim()).toMatch(/^[\w-]{43}$/)
})

test('11, 14: an account sees nothing of another, nor of the machine', async () => {
  const token = await tokenOf(alice)
  const ask = async (method: string, path: string, body?: unknown) =>
    (await panel.call(method, path, body, token)).status
  const foreign = { account_id: bobby.id }
  expect([
    await ask('GET', `/api/accounts/${bobby.id}`),
    await ask('GET', `/api/domains/account/${bobby.id}`),
    await ask('GET', `/api/databases/${bobby.id}`),
    await ask('POST', '/api/databases', { ...foreign, db_name: 'x', db_password: 'long enough' }),
    await ask('GET', `/api/files/list?account_id=${bobby.id}&path=`),
    await ask('POST', '/api/files/mkdir', { ...foreign, path: 'x' }),
    await ask('GET', `/api/php/config/${bobby.id}`),
    await ask('GET', `/api/ssl/certificate/${bobby.domain}`),
    await ask('POST', '/api/tokens', { ...foreign, name: 'x', scopes: ['read'] }),
  ]).toEqual(Array.from({ length: 9 }, () => 404))
  for (const [method, path, body] of [
    ['GET', '/api/system/info'],
    ['GET', '/api/system/stats'],
    ['POST', '/api/veloserve/reload'],
    ['POST', '/api/veloserve/restart'],
    ['GET', '/api/users'],
    ['GET', '/api/audit'],
    ['GET', '/api/license'],
    ['POST', `/api/accounts/${bobby.id}/suspend`],
    ['POST', `/api/accounts/${bobby.id}/login`],
    ['DELETE', `/api/accounts/${bobby.id}`],
    ['POST', '/api/users', { username: 'mallory', password: 'long enough' }],
  ] as const) {
    expect([path, await ask(method, path, body)]).toEqual([path, 403])
  }
})

test('12: no field of a body makes an administrator', async () => {
  const response = await fetch(new URL('/api/auth/login', instance.panelUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"username":"${alice.username}","password":"${alice.password}","role":"admin","account_id":${bobby.id},"__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}`,
  })
  const { data } = (await response.json()) as { data: { token: string; user: unknown } }
  expect(data.user).toMatchObject({ role: 'account', account_id: alice.id, member: 'owner' })
  expect((await panel.call('GET', '/api/users', undefined, data.token)).status).toBe(403)
})

test('13: a name that begins another’s reaches nothing of it', async () => {
  const token = await tokenOf(alice)
  const made = await panel.call(
    'POST',
    '/api/databases',
    { account_id: alice.id, db_name: 'x2', db_password: 'long enough' },
    token,
  )
  expect(made.status).toBe(200)
  for (const name of ['x', 'x2%', 'x_', `..%2fx2`, `${bobby.username}_x2`]) {
    const { status } = await panel.call(
      'DELETE',
      `/api/databases/${alice.id}/${name}`,
      undefined,
      token,
    )
    expect([name, [400, 404].includes(status)]).toEqual([name, true])
  }
  const left = await panel.call('GET', `/api/databases/${alice.id}`, undefined, token)
  expect(left.body.data).toHaveLength(1)
})

test('all of it left one administrator, who can still log in', async () => {
  const [user] = await panel.data<{ username: string }[]>('GET', '/api/users')
  const response = await login(user?.username ?? '', 'correct horse 9')
  expect(response.status).toBe(200)
  await response.body?.cancel()
})
