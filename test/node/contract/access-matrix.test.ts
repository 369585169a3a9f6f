import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { changesSomething } from '#handlers/panel/access/policy.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import type { GuardedRoute, Route } from '#handlers/panel/frame/route.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import {
  accountClient,
  ADMIN,
  adminClient,
  createAccount,
} from '#test/contract/frame/api-instance.ts'
import { sampled } from '#test/support/sampled.ts'
import { PUBLIC_KEY } from '#test/contract/sftp/sftp-port.ts'
import type { NodeApi } from './api-node.ts'
import { makeNodeApi } from './api-node.ts'

const guarded = allRoutes({} as PanelDeps, {} as Services).filter(
  (route): route is Route & GuardedRoute => !route.open,
)

const RESELLER_PASSWORD = 'reseller password'

/** Somebody's things, as far as requests name them. */
interface Things {
  username: string
  password: string
  accountId: number
  domainId: number
  tokenId: number
  sessionId: number
}

/** The value of a parameter or field that makes it name `things`. */
const valueOf = (name: string, path: string, things: Things): unknown => {
  const { username, password } = things
  const id = path.startsWith('/api/domains/:id')
    ? things.domainId
    : path.startsWith('/api/tokens')
      ? things.tokenId
      : path.startsWith('/api/sessions')
        ? things.sessionId
        : things.accountId
  const values: Readonly<Record<string, unknown>> = {
    id,
    account_id: things.accountId,
    domain: `${username}.example`,
    domain_name: `new-${username}.example`,
    domain_type: 'addon',
    schedule: '0 3 * * *',
    time_zone: 'UTC',
    kind: 'shell',
    command: 'true',
    document_root: `/home/${username}/new`,
    filename: `${username}-20260101-000000.tar.gz`,
    snapshot: 'a'.repeat(64),
    username: 'newname',
    name: 'x',
    public_key: PUBLIC_KEY,
    scopes: ['read'],
    password,
    current_password: password,
    new_password: 'a brand new password',
    code: '123456',
    db_name: 'shop',
    db_password: 'long enough',
    address: '203.0.113.7',
    server: 'ns.x.example',
    zone: 'x.example',
    key_name: 'key',
    secret: 'c2VjcmV0IG9mIHRoZSBrZXk=',
    databases: [{ database: 'shop', rights: 'read' }],
    path: /\/site\/|\/backends$/.test(path) ? '/internal' : 'public_html/index.html',
    content: 'x',
    mode: path.startsWith('/api/php') ? 'fpm' : '0644',
    version: '8.2',
    paths: ['public_html/index.html'],
    from: 'public_html/index.html',
    to: 'public_html/other.html',
    destination: 'public_html',
    email: 'new@mail.example',
    plan: 'free',
    source: 'access',
    person_id: 4711,
    invitation_id: 4711,
    role: 'reader',
    url: '/',
  }
  return values[name]
}

/** Fields that a request names somebody's things with. */
const NAMING = new Set(['account_id', 'domain'])

/** Fields that are needed beside what others are unless they are set. */
const NEEDED_BESIDE = new Set(['server', 'key_name', 'secret'])

/** Something that a schema accepts, more or less, where the name says nothing. */
const filler = (schema: { type?: unknown; enum?: readonly unknown[] }): unknown => {
  if (schema.enum !== undefined) return schema.enum[0]
  const values = { array: ['x'], integer: 1, number: 1, boolean: false, object: {} }
  return values[schema.type as keyof typeof values] ?? 'x'
}

/** The fields that a request must have, and those that name somebody's things. */
const fieldsOf = (schema: z.ZodType, path: string, things: Things): [string, unknown][] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties)
    .filter(([name]) => required.includes(name) || NAMING.has(name) || NEEDED_BESIDE.has(name))
    .map(([name, field]) => [
      name,
      valueOf(name, path, things) ?? filler(typeof field === 'boolean' ? {} : field),
    ])
}

interface Sent {
  path: string
  init: RequestInit
  /** Whether anything in it says whose things are meant. */
  names: boolean
}

const requestOf = (route: GuardedRoute, things: Things): Sent => {
  const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
  let path = route.path
  for (const name of params) {
    path = path.replace(
      new RegExp(`:${name}[+*?]?`),
      String(valueOf(name, route.path, things) ?? 'x'),
    )
  }
  const query = route.query === undefined ? [] : fieldsOf(route.query, route.path, things)
  const search = new URLSearchParams(query.map(([name, value]) => [name, String(value)]))
  const fields = route.body === undefined ? [] : fieldsOf(route.body, route.path, things)
  const body = Object.fromEntries(fields)
  const named = [...params, ...query.map(([name]) => name), ...fields.map(([name]) => name)]
  const names = named.some((name) => NAMING.has(name) || name === 'id')
  const sent = route.body === undefined ? null : JSON.stringify(body)
  const headers: Record<string, string> =
    sent === null
      ? route.rawBody === undefined
        ? {}
        : { 'content-type': route.rawBody.mediaTypes[0] ?? 'application/octet-stream' }
      : { 'content-type': 'application/json' }
  return {
    path: search.size === 0 ? path : `${path}?${search}`,
    init: {
      method: route.method,
      headers,
      ...(sent === null ? (route.rawBody === undefined ? {} : { body: 'x' }) : { body: sent }),
    },
    names,
  }
}

describe('who may use which route', () => {
  let api: NodeApi
  afterEach(async () => {
    if (made) await api.close()
    made = false
  })

  let made = false
  const prepare = async () => {
    api = await makeNodeApi()
    made = true
    const admin = await adminClient(api)
    const things = async (username: string): Promise<Things & { token: string }> => {
      const { id } = await createAccount(admin, username)
      const client = await accountClient(api, username)
      const database = { account_id: id, db_name: 'shop', db_password: 'long enough' }
      expect((await client.post('/api/databases', database)).status).toBe(200)
      const token = await client.post('/api/tokens', { name: 'own', scopes: ['read'] })
      const domains = await client.get('/api/domains')
      const sessions = await client.get('/api/sessions')
      return {
        username,
        password: 'account password',
        accountId: id,
        domainId: (domains.body.data as { id: number }[])[0]?.id ?? 0,
        tokenId: (token.body.data as { id: number }).id,
        sessionId: (sessions.body.data as { id: number }[])[0]?.id ?? 0,
        token: client.token ?? '',
      }
    }
    const bobby = await things('bobby')
    const reseller = async (username: string, owns: number[]) => {
      const body = { username, password: RESELLER_PASSWORD, plans: ['free', 'pro'] }
      const made = await admin.post('/api/resellers', body)
      const { id } = made.body.data as { id: number }
      for (const account of owns)
        await admin.post(`/api/accounts/${account}/move`, { reseller_id: id })
      const login = { username, password: RESELLER_PASSWORD }
      const { body: session } = await admin.post('/api/auth/login', login)
      return { id, token: (session.data as { token: string }).token }
    }
    return { admin, bobby, alice: await things('alice'), reseller }
  }

  const ask = async ({ path, init }: Sent, token: string | null) => {
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const response = await api.fetch(path, { ...init, headers })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream) await response.body?.cancel()
    return { status: response.status, text: isStream ? '' : await response.text() }
  }

  /** What a foreign request must leave as it is. */
  const stateOf = async ({ accountId }: Things): Promise<string> => {
    const { store, host } = api
    const account = await store.accountById(accountId)
    return JSON.stringify([
      account?.status,
      account?.email,
      account?.plan,
      account?.password_hash,
      account?.not_before_secs,
      (await store.listDomains({ accountId })).rows,
      await store.listDatabases(accountId),
      (await store.listTokens({ role: 'account', id: accountId })).rows,
      (await store.listSessions({ role: 'account', id: accountId }, 0)).rows,
      [...host.users.made.values()].find(({ username }) => username === 'bobby'),
    ])
  }

  test('the table has both kinds of routes', () => {
    expect(guarded.filter(({ action }) => action === 'system').length).toBeGreaterThan(20)
    expect(guarded.filter(({ action }) => action === 'account').length).toBeGreaterThan(20)
  })

  test.each(
    sampled('routes of the access matrix', guarded, { keep: 140 }).map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )('%s', async (_, route) => {
    const { admin, alice, bobby } = await prepare()
    const [own, foreign] = [requestOf(route, alice), requestOf(route, bobby)]
    expect((await ask(foreign, null)).status).toBe(401)

    const before = await stateOf(bobby)
    // What is about the caller itself names nobody else.
    const fromAlice =
      route.action === 'self' ? { status: 200, text: '' } : await ask(foreign, alice.token)
    const isAdmins = route.action === 'system' || route.action === 'manage'
    if (isAdmins) expect(fromAlice.status).toBe(403)
    else if (route.action === 'account' && foreign.names) {
      expect([fromAlice.status, fromAlice.text]).toEqual([404, expect.any(String)])
    }
    if (fromAlice.status === 200) expect(fromAlice.text).not.toContain('bobby')
    expect(await stateOf(bobby)).toBe(before)

    if (!isAdmins) {
      const { token } = await accountClient(api, 'alice').catch(() => alice)
      const { status, text } = await ask(own, token)
      expect([401, 403], text).not.toContain(status)
    }

    const { token } = await admin
      .post('/api/auth/login', ADMIN)
      .then(({ body }) => body.data as { token: string })
    const asAdmin = requestOf(route, { ...bobby, password: ADMIN.password })
    const { status, text } = await ask(asAdmin, token)
    expect([401, 403], text).not.toContain(status)
  })

  /** What ends, closes or moves what others ask for comes last. */
  const isLate = ({ method, path }: GuardedRoute): boolean =>
    method === 'DELETE' || /\/(suspend|login|password)$/.test(path) || method === 'PATCH'

  test('a reseller reaches the things of his accounts, and nothing of others or of the system', async () => {
    const { admin, alice, bobby, reseller } = await prepare()
    const his = await reseller('reseller', [alice.accountId])
    const assertNothing = async (): Promise<void> => {
      const before = await stateOf(bobby)
      for (const route of guarded) {
        if (route.action === 'self') continue
        const { names, ...foreign } = requestOf(route, bobby)
        const { status, text } = await ask({ names, ...foreign }, his.token)
        const what = `${route.method} ${route.path}: ${text}`
        if (route.action === 'system') expect([what, status]).toEqual([what, 403])
        // A name that is taken is taken, whoever has it.
        else if (names && route.path !== '/api/accounts')
          expect([what, status]).toEqual([what, 404])
        if (status === 200) expect(what).not.toContain('bobby')
      }
      expect(await stateOf(bobby)).toBe(before)
    }
    await assertNothing()
    await reseller('another', [bobby.accountId])
    await assertNothing()

    const asked = guarded.filter(({ action }) => action === 'account' || action === 'manage')
    for (const route of [...asked].sort((a, b) => Number(isLate(a)) - Number(isLate(b)))) {
      const login = { username: 'reseller', password: RESELLER_PASSWORD }
      const { body } = await admin.post('/api/auth/login', login)
      const own = requestOf(route, { ...alice, password: RESELLER_PASSWORD })
      const { status, text } = await ask(own, (body.data as { token: string }).token)
      const what = `${route.method} ${route.path}: ${text}`
      expect([401, 403], what).not.toContain(status)
      expect(what).not.toContain('bobby')
    }
  })

  test('API tokens keep to their scopes on every route', async () => {
    const { admin, bobby } = await prepare()
    const make = async (scope: string): Promise<string> => {
      const { body } = await admin.post('/api/tokens', { name: scope, scopes: [scope] })
      return (body.data as { token: string }).token
    }
    const tokens = {
      read: await make('read'),
      write: await make('write'),
      cache: await make('cache'),
    }
    for (const route of guarded) {
      const changes = changesSomething(route)
      const sent = requestOf(route, { ...bobby, accountId: 4711, domainId: 4711, tokenId: 4711 })
      const refused = async (token: string) => {
        const { status, text } = await ask(sent, token)
        return status === 403 && /API token/.test(text)
      }
      const expected = {
        read: changes,
        write: !changes || route.ownSession === true,
        cache: route.cache !== true,
      }
      // What it may do is not tried where that would change the whole installation.
      for (const scope of ['read', 'write', 'cache'] as const) {
        if (!expected[scope] && changes && ['system', 'manage'].includes(route.action)) continue
        expect([route.method, route.path, scope, await refused(tokens[scope])]).toEqual([
          route.method,
          route.path,
          scope,
          expected[scope] || (route.ownSession === true && !changes),
        ])
      }
    }
  })
})
