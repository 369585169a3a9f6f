import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invite, newPerson, PERSON_PASSWORD } from '#test/contract/access/joining.ts'
import {
  accountClient,
  adminClient,
  apiClient,
  newAccount,
  type ApiClient,
} from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from '#test/node/contract/api-node.ts'

/**
 * What people, roles and resellers try where the matrix of routes and roles
 * (`node/contract/people-matrix`) asks politely: ids said twice, in two places or in odd forms,
 * links of invitations, secrets in the place of others.
 */
const PASSWORD = 'a long password'
let api: NodeApi
let admin: ApiClient
/** A reseller of `alice`, who is after `bobby` of another. */
let rita: ApiClient
let alice: ApiClient
const ids = { alice: 0, bobby: 0 }

const tokenOf = ({ body }: { body: { data?: unknown } }): string =>
  (body.data as { token: string }).token
const resellerWith = async (username: string, account: 'alice' | 'bobby'): Promise<ApiClient> => {
  await admin.post('/api/resellers', { username, password: PASSWORD, plans: ['free'] })
  const client = apiClient(api)
  client.token = tokenOf(await client.post('/api/auth/login', { username, password: PASSWORD }))
  const made = await client.post('/api/accounts', newAccount(account))
  ids[account] = (made.body.data as { id: number }).id
  return client
}
beforeAll(async () => {
  api = await makeNodeApi()
  admin = await adminClient(api)
  rita = await resellerWith('rita', 'alice')
  await resellerWith('olga', 'bobby')
  alice = await accountClient(api, 'alice')
})
afterAll(() => api.close())

/** Everything of the account that somebody else could have touched. */
const stateOf = async (accountId: number): Promise<string> => {
  const { store, host } = api
  const owner = { role: 'account', id: accountId } as const
  return JSON.stringify([
    await store.accountById(accountId),
    (await store.listDomains({ accountId })).rows,
    await store.listDatabases(accountId),
    (await store.listTokens(owner)).rows,
    (await store.listSshKeys({ accountId })).rows,
    await store.listInvitations(accountId, '2026-01-01 00:00:00'),
    [...host.users.made.values()].find(({ username }) => username === 'bobby'),
    [...(host.files.trees.get('bobby')?.keys?.() ?? [])],
  ])
}
const raw = async (
  client: ApiClient,
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; text: string }> => {
  const response = await api.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${client.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

describe('an account that is somebody else’s', () => {
  const [rest, folder] = ['"path":"public_html/mine"', '/api/files/mkdir']
  /** Bodies that could mean the own account where it is judged, and the other where it is used. */
  const bodies = (): [string, string][] => {
    const { alice: own, bobby: other } = ids
    return [
      ['the other second', `{"account_id":${own},"account_id":${other},${rest}}`],
      ['the other first', `{"account_id":${other},"account_id":${own},${rest}}`],
      ['by an escape', `{"account_id":${own},"account\\u005fid":${other},${rest}}`],
      ['a list', `{"account_id":[${own},${other}],${rest}}`],
      ['a text', `{"account_id":"${other}",${rest}}`],
      ['a text with a space', `{"account_id":" ${other}",${rest}}`],
      ['a fraction', `{"account_id":${other}.0,${rest}}`],
      ['nearly whole', `{"account_id":${other}.0000000000000001,${rest}}`],
      ['an exponent', `{"account_id":${other}e0,${rest}}`],
      ['beyond 64 bits', `{"account_id":${2n ** 64n + BigInt(other)},${rest}}`],
      ['negative', `{"account_id":-${other},${rest}}`],
      ['an object', `{"account_id":{"valueOf":${other}},${rest}}`],
      ['by the prototype', `{"__proto__":{"account_id":${other}},${rest}}`],
      ['in the other spelling', `{"account_id":${own},"accountId":${other},${rest}}`],
    ]
  }
  test('is not reached by a body that says two things', async () => {
    const before = await stateOf(ids.bobby)
    for (const client of [rita, alice]) {
      for (const [name, body] of bodies()) {
        const { status, text } = await raw(client, 'POST', folder, body)
        expect([name, [200, 400, 404, 409].includes(status)], text).toEqual([name, true])
        expect(text, name).not.toContain('bobby')
        expect(await stateOf(ids.bobby), name).toBe(before)
      }
    }
    const theirs = { account_id: ids.bobby, path: 'public_html/mine' }
    expect((await admin.post(folder, theirs)).status).toBe(200)
    expect(await stateOf(ids.bobby)).not.toBe(before)
  })

  test('is not reached by a path or query that says two things', async () => {
    const before = await stateOf(ids.bobby)
    const { alice: own, bobby: other } = ids
    const asked = [
      `/api/files/list?account_id=${own}&account_id=${other}&path=public_html`,
      `/api/files/list?account_id=${other}&account_id=${own}&path=public_html`,
      `/api/files/list?account_id=${own}&account%5fid=${other}&path=public_html`,
      `/api/files/list?account_id=${own}%00${other}&path=public_html`,
      `/api/files/list?account_id=${own}&path=../bobby/public_html`,
      `/api/sftp/${own}%2f..%2f${other}`,
      `/api/sftp/${own}%00`,
      `/api/sftp/0${other}`,
      `/api/sftp/%2b${other}`,
      `/api/sftp/${other}.0`,
      `/api/sftp/0x${other.toString(16)}`,
      `/api/sftp/${other}?account_id=${own}`,
      `/api/sftp/${own}?account_id=${other}`,
      `/api/accounts/${other}/people?id=${own}`,
      `/api/domains?account_id=${other}`,
      `/api/databases/${other}`,
      `/api/jobs?account_id=${other}`,
      `/api/audit?account_id=${other}`,
      '/api/audit?actor=bobby',
      '/api/domains?q=bobby',
      '/api/accounts?q=bobby',
      '/api/databases?q=bobby',
    ]
    for (const client of [rita, alice]) {
      for (const path of asked) {
        const { status, text } = await raw(client, 'GET', path)
        expect(status, path).toBeLessThan(500)
        expect(text.replaceAll('../bobby', ''), `${path}: ${text}`).not.toContain('bobby.example')
        expect(text, `${path}: ${text}`).not.toContain('"username":"bobby"')
      }
    }
    expect(await stateOf(ids.bobby)).toBe(before)
  })

  test('is in no list of many: where one is not the reseller’s, nothing is done', async () => {
    const before = [await stateOf(ids.alice), await stateOf(ids.bobby)]
    const lists = [
      [ids.alice, ids.bobby],
      [ids.bobby, ids.alice],
      [ids.alice, ids.alice, ids.bobby, ids.alice],
      [ids.alice, 4711],
    ]
    for (const account_ids of lists) {
      for (const prefer of [undefined, 'respond-async']) {
        const headers = prefer === undefined ? {} : { prefer }
        const change = { account_ids, version: '8.2' }
        const answer = await rita.send('POST', '/api/php/version', change, headers)
        expect([account_ids, answer.status]).toEqual([account_ids, 404])
      }
    }
    await api.background.settled()
    expect([await stateOf(ids.alice), await stateOf(ids.bobby)]).toEqual(before)
  })

  test('is not taken by a field that says whose it is', async () => {
    const change = { reseller_id: 1, status: 'active', plan: 'business', role: 'admin' }
    for (const [method, path] of [
      ['PATCH', `/api/accounts/${ids.bobby}`],
      ['POST', `/api/accounts/${ids.bobby}/move`],
      ['POST', `/api/accounts/${ids.bobby}/login`],
      ['POST', `/api/accounts/${ids.bobby}/suspend`],
      ['DELETE', `/api/accounts/${ids.bobby}`],
    ] as const) {
      for (const client of [rita, alice]) {
        const { status } = await client.send(method, path, change)
        expect([path, [400, 403, 404].includes(status)]).toEqual([path, true])
      }
    }
    expect((await api.store.accountById(ids.bobby))?.reseller_id).not.toBe(1)
  })
})

describe('the link of an invitation', () => {
  const answer = (token: unknown, change: object = {}) => ({
    ...{ token, name: 'Mallory', password: PERSON_PASSWORD },
    ...change,
  })
  let address = 0
  /** Each from an address of its own: what is counted is tried below. */
  const ask = async (path: string, body: unknown, token?: string | null): Promise<Response> =>
    api.fetch(
      path,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      },
      `198.51.${100 + Math.floor(address / 250)}.${(address++ % 250) + 1}`,
    )
  const people = async (): Promise<{ username?: string; email: string; role: string }[]> =>
    (await alice.get(`/api/accounts/${ids.alice}/people`)).body.data as never

  test('is not met by anything like it', async () => {
    const token = await invite(admin, ids.alice, 'near@mail.example', 'reader')
    const flipped = token.replace(/[a-zA-Z]/, (one) =>
      one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
    )
    const near = [
      ...[token.slice(0, -1), `${token}A`, ` ${token}`, `${token}\n`, `${token}\u0000`, flipped],
      ...[token.slice(1), `${token}=`, `${token}.`, '', '%', "' or 1=1 --", 'x'.repeat(5000)],
      ...[[token], { token }, null, true, 0],
    ]
    for (const one of near) {
      for (const path of ['/api/auth/invitation', '/api/auth/invitation/look']) {
        const { status } = await ask(path, answer(one))
        expect([one, [400, 404, 413].includes(status)]).toEqual([one, true])
      }
    }
    expect((await ask('/api/auth/invitation/look', { token })).status).toBe(200)
  })

  test('is guessed a few times only', async () => {
    const guess = async (): Promise<number> => {
      const token = crypto.randomUUID().replaceAll('-', '')
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      }
      return (await api.fetch('/api/auth/invitation/look', init, '203.0.113.66')).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 60; n++) statuses.push(await guess())
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(50)
    expect(statuses.at(-1)).toBe(429)
  })

  test('gives the role and account that it was made for, whatever is sent with it', async () => {
    const token = await invite(admin, ids.alice, 'low@mail.example', 'reader')
    const more = {
      ...{ role: 'owner', account_id: ids.bobby, email: 'admin@mail.example', person_id: 1 },
      ...{ accounts: [ids.bobby], member: 'owner', id: 1, status: 'active' },
    }
    const joined = await ask('/api/auth/invitation', answer(token, more))
    expect([200, 400]).toContain(joined.status)
    if (joined.status === 400) {
      expect((await ask('/api/auth/invitation', answer(token))).status).toBe(200)
    }
    const found = (await people()).filter(({ email }) => /low@|admin@/.test(email))
    expect(found).toMatchObject([{ email: 'low@mail.example', role: 'reader' }])
  })

  test('is used up, and opens nothing in another place', async () => {
    const token = await invite(admin, ids.alice, 'once@mail.example', 'owner')
    // It is no session, no API token and no password.
    for (const path of ['/api/auth/me', '/api/domains'])
      expect((await raw({ ...admin, token }, 'GET', path)).status).toBe(401)
    const login = { username: 'once@mail.example', password: token }
    expect((await ask('/api/auth/login', login)).status).toBe(401)
    const joined = await ask('/api/auth/invitation', answer(token))
    const { data } = (await joined.json()) as { data: { token: string } }
    for (const path of ['/api/auth/invitation', '/api/auth/invitation/look'])
      expect((await ask(path, answer(token))).status).toBe(404)
    expect((await ask('/api/auth/invitation/join', { token }, data.token)).status).toBe(404)
    const other = await newPerson(api, admin, ids.bobby, 'stranger@mail.example', 'owner')
    expect((await ask('/api/auth/invitation/join', { token }, other.token)).status).toBe(404)
  })

  test('by a login with another address lets that person in, and nobody called as invited', async () => {
    const token = await invite(admin, ids.alice, 'meant@mail.example', 'reader')
    const other = await newPerson(api, admin, ids.bobby, 'other@mail.example', 'owner')
    expect((await ask('/api/auth/invitation/join', { token }, other.token)).status).toBe(200)
    expect((await ask('/api/auth/invitation', answer(token))).status).toBe(404)
    const found = (await people()).filter(({ email }) => /meant@|other@/.test(email))
    expect(found).toMatchObject([{ email: 'other@mail.example', role: 'reader' }])
  })

  test('is nothing for administrators, resellers, accounts, visits and API tokens', async () => {
    const token = await invite(admin, ids.alice, 'person@mail.example', 'owner')
    const visit = tokenOf(await admin.post(`/api/accounts/${ids.bobby}/login`))
    const robot = await alice.post('/api/tokens', { name: 'robot', scopes: ['read', 'write'] })
    for (const one of [admin.token, rita.token, alice.token, visit, tokenOf(robot)]) {
      const { status } = await ask('/api/auth/invitation/join', { token }, one)
      expect([403, 409]).toContain(status)
    }
    expect((await ask('/api/auth/invitation/look', { token })).status).toBe(200)
  })
})

describe('a session', () => {
  const part = (text: string): Record<string, unknown> =>
    JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
  const encoded = (value: object): string =>
    btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const isIn = async (token: string): Promise<boolean> =>
    (await raw({ ...admin, token }, 'GET', '/api/auth/me')).status === 200

  test('of a person says nothing else for the same signature', async () => {
    const jan = await newPerson(api, admin, ids.alice, 'jan@mail.example', 'reader')
    const [head = '', body = '', signature = ''] = (jan.token ?? '').split('.')
    const claims = part(body)
    expect(await isIn(`${head}.${encoded(claims)}.${signature}`)).toBe(true)
    for (const change of [
      { account_id: ids.bobby },
      { sub: 'person:1', account_id: ids.bobby },
      { sub: 'admin:1', role: 'admin' },
      { sub: `account:${ids.alice}`, role: 'account' },
      { act: 'admin:1' },
      { exp: 9_999_999_999 },
      { jti: crypto.randomUUID() },
    ]) {
      const forged = encoded({ ...claims, ...change })
      expect(await isIn(`${head}.${forged}.${signature}`)).toBe(false)
      const none = encoded({ alg: 'none', typ: 'JWT' })
      for (const end of ['', signature]) expect(await isIn(`${none}.${forged}.${end}`)).toBe(false)
    }
  })

  test('that ended opens no route, whatever it was of', async () => {
    const kim = await newPerson(api, admin, ids.alice, 'kim@mail.example', 'owner')
    const visit = apiClient(api, tokenOf(await admin.post(`/api/accounts/${ids.alice}/login`)))
    const robot = await kim.post('/api/tokens', { name: 'robot', scopes: ['read', 'write'] })
    const program = apiClient(api, tokenOf(robot))
    const [found] = (await people('kim@')).map(({ id }) => id)
    expect((await alice.del(`/api/accounts/${ids.alice}/people/${found}`)).status).toBe(200)
    await visit.post('/api/auth/logout')
    for (const client of [kim, program, visit]) {
      for (const [method, path, body] of [
        ['GET', '/api/auth/me', undefined],
        ['POST', '/api/auth/password', { current_password: PERSON_PASSWORD, new_password: 'x' }],
        ['POST', `/api/auth/accounts/${ids.alice}`, {}],
        ['POST', '/api/auth/return', {}],
        ['POST', '/api/tokens', { name: 'again', scopes: ['read'] }],
        ['POST', `/api/accounts/${ids.alice}/invitations`, { email: 'a@b.example', role: 'owner' }],
        ['PATCH', `/api/accounts/${ids.alice}/people/${found}`, { role: 'owner' }],
        ['GET', '/api/jobs/events', undefined],
      ] as const) {
        expect([path, (await client.send(method, path, body)).status]).toEqual([path, 401])
      }
    }
    // The administrator who left was logged out with it.
    const login = { username: 'boss', password: 'correct horse battery' }
    admin.token = tokenOf(await apiClient(api).post('/api/auth/login', login))
  })

  const people = async (q: string): Promise<{ id: number }[]> =>
    (await alice.get(`/api/accounts/${ids.alice}/people?q=${q}`)).body.data as never
})
