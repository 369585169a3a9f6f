import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { changesSomething, levelOf } from '#handlers/panel/access/policy.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import type { GuardedRoute, Route } from '#handlers/panel/frame/route.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { MemberRole } from '#handlers/ports/store/records.ts'
import type { Services } from '#handlers/services/services.ts'
import { newPerson } from '#test/contract/access/joining.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import {
  accountClient,
  adminClient,
  apiClient,
  createAccount,
} from '#test/contract/frame/api-instance.ts'
import type { NodeApi } from './api-node.ts'
import { makeNodeApi } from './api-node.ts'

const guarded = allRoutes({} as PanelDeps, {} as Services).filter(
  (route): route is Route & GuardedRoute => !route.open,
)
const nameOf = ({ method, path }: GuardedRoute): string => `${method} ${path}`
const ofAccount = guarded.filter(({ action }) => action === 'account')
const named = (level: string): string[] =>
  ofAccount
    .filter((route) => levelOf(route) === level)
    .map(nameOf)
    .sort()

/** What only an owner may: who is in the account, its own ways in, and what cannot be got back. */
const OWNERS = [
  'DELETE /api/accounts/:id/invitations/:invitation_id',
  'DELETE /api/accounts/:id/people/:person_id',
  'DELETE /api/backups/accounts/:id/:filename',
  'DELETE /api/backups/snapshots/accounts/:id/:snapshot',
  'DELETE /api/databases/:account_id/:db_name',
  'DELETE /api/dns-access/:account_id/:name',
  'DELETE /api/domains/:id',
  'DELETE /api/sftp-users/:account_id/:id',
  'GET /api/accounts/:id/invitations',
  'GET /api/accounts/:id/people',
  'GET /api/backups/accounts/:id/:filename/download',
  'PATCH /api/accounts/:id',
  'PATCH /api/accounts/:id/people/:person_id',
  'PATCH /api/dns-access/:account_id/:name',
  'PATCH /api/sftp-users/:account_id/:id',
  'PATCH /api/sftp/:account_id',
  'POST /api/accounts/:id/invitations',
  'POST /api/dns-access',
  'POST /api/sftp-users',
]

/** What a reader may although it changes something: the own sessions and API tokens. */
const READERS_CHANGE = [
  'DELETE /api/sessions',
  'DELETE /api/sessions/:id',
  'DELETE /api/tokens/:id',
  'POST /api/tokens',
]

/** What looks only, and still is nothing for readers. */
const NOT_READ = [
  'GET /api/backups/snapshots/accounts/:id/:snapshot/download',
  'GET /api/databases/:account_id/exports/:filename/download',
  'GET /api/mail/messages/:message',
  'GET /api/mail/messages/:message/source',
  'GET /api/ssl/renew/:domain',
]

/** Fields with which a request could make a way in. */
const WAYS_IN = /password|(^|_)key$|^totp$|^code$|^scopes$|^email$|^second_factor$|^credential$/

/** What takes such a field and is open to a visiting administrator all the same. */
const HARMLESS: Readonly<Record<string, string>> = {
  'POST /api/databases': 'a new database has a new password; none is changed',
  'POST /api/wordpress/:account_id':
    'a new site has an administrator of its own; nobody else is changed',
  'POST /api/ssl/upload': "the key of a site's certificate lets nobody in",
}

/** A request that names an account, or ids that nothing has. */
const requestOf = (route: GuardedRoute, accountId: number): [path: string, init: RequestInit] => {
  const value = (name: string): unknown =>
    name === 'account_id' || (name === 'id' && /accounts\/:id/.test(route.path)) ? accountId : 4711
  const path = route.path.replace(/:(\w+)[+*?]?/g, (_, name: string) => String(value(name)))
  const fields = (schema: z.ZodType | undefined): Record<string, unknown> => {
    if (schema === undefined) return {}
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
    return Object.fromEntries(
      Object.keys(properties)
        .filter((name) => required.includes(name) || name === 'account_id')
        .map((name) => [name, name === 'account_id' ? accountId : 'x']),
    )
  }
  const query = new URLSearchParams(
    Object.entries(fields(route.query)).map(([name, text]) => [name, String(text)]),
  )
  return [
    query.size === 0 ? path : `${path}?${query}`,
    {
      method: route.method,
      ...(route.body === undefined
        ? route.rawBody === undefined
          ? {}
          : { body: 'x', headers: { 'content-type': route.rawBody.mediaTypes[0] ?? 'text/plain' } }
        : {
            body: JSON.stringify(fields(route.body)),
            headers: { 'content-type': 'application/json' },
          }),
    },
  ]
}

describe('what people of accounts may', () => {
  let api: NodeApi
  let admin: ApiClient
  let accountId = 0
  let otherId = 0
  let foreigner: ApiClient
  const people = new Map<MemberRole, ApiClient[]>()

  const ask = async (client: ApiClient, [path, init]: [string, RequestInit]) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${client.token}`)
    const response = await api.fetch(path, { ...init, headers })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream) await response.body?.cancel()
    return { status: response.status, text: isStream ? '' : await response.text() }
  }
  const stateOf = async (id: number): Promise<string> =>
    JSON.stringify([
      await api.store.accountById(id),
      (await api.store.listDomains({ accountId: id })).rows,
      await api.store.listDatabases(id),
      (await api.store.listMembers(id)).rows.map(({ email, role }) => [email, role]),
      await api.store.listInvitations(id, ''),
      (await api.store.listTokens(null)).total,
    ])

  beforeAll(async () => {
    api = await makeNodeApi()
    admin = await adminClient(api)
    accountId = (await createAccount(admin, 'crew')).id
    otherId = (await createAccount(admin, 'brass')).id
    for (const role of ['owner', 'developer', 'reader'] as const) {
      const email = `${role}@mail.example`
      const person = await newPerson(api, admin, accountId, email, role)
      const scopes = ['read', 'write', 'cache']
      const { body } = await person.post('/api/tokens', { name: 'own', scopes })
      const program = apiClient(api, (body.data as { token: string }).token)
      people.set(role, [person, program])
    }
    foreigner = await newPerson(api, admin, otherId, 'foreign@mail.example', 'owner')
  })
  afterAll(() => api.close())

  test('the table stands as it is written down', () => {
    expect(named('own')).toEqual(OWNERS)
    const changes = (route: GuardedRoute): boolean => changesSomething(route)
    const ofReaders = ofAccount.filter((route) => levelOf(route) === 'read')
    expect(ofReaders.filter(changes).map(nameOf).sort()).toEqual(READERS_CHANGE)
    expect(named('develop').filter((name) => name.startsWith('GET'))).toEqual(NOT_READ)
  })

  test.each(['owner', 'developer', 'reader'] as const)('%s, and the API token', async (role) => {
    const enough = { owner: ['read', 'develop', 'own'], developer: ['read', 'develop'] }
    const levels: readonly string[] = role === 'reader' ? ['read'] : enough[role]
    const clients = people.get(role) ?? []
    const before = [await stateOf(accountId), await stateOf(otherId)]
    for (const route of guarded) {
      const isAllowed = route.action !== 'system' && levels.includes(levelOf(route))
      for (const client of clients) {
        if (route.action === 'self') continue
        // What is allowed is asked of the other account, where it must not reach anything.
        const { status, text } = await ask(
          client,
          requestOf(route, isAllowed ? otherId : accountId),
        )
        const told = `${nameOf(route)}: ${status} ${text}`
        if (!isAllowed) expect(status, told).toBe(403)
        else expect(text, told).not.toContain('This needs the role')
        if (route.action === 'system' || route.action === 'manage')
          expect(text, told).toContain('administrator')
        else if (!isAllowed) expect(text, told).toContain('This needs the role')
        if (status === 200) expect(text, told).not.toContain('brass')
      }
    }
    expect([await stateOf(accountId), await stateOf(otherId)]).toEqual(before)
  })

  test('who belongs to another account is a stranger', async () => {
    const before = await stateOf(accountId)
    for (const route of ofAccount.filter(({ path }) => /account_id|accounts\/:id/.test(path))) {
      const { status, text } = await ask(foreigner, requestOf(route, accountId))
      expect([400, 404], `${nameOf(route)}: ${status} ${text}`).toContain(status)
    }
    expect(await stateOf(accountId)).toBe(before)
  })

  test('whatever changes a way in is shut to an administrator who visits', async () => {
    const { body } = await admin.post(`/api/accounts/${accountId}/login`)
    const visitor = apiClient(api, (body.data as { token: string }).token)
    const before = await stateOf(accountId)
    for (const route of guarded) {
      if (route.action === 'system' || route.action === 'manage') continue
      const fields =
        route.body === undefined
          ? []
          : Object.keys(z.toJSONSchema(route.body, { io: 'input' }).properties ?? {})
      const shut = route.ownSession === true || route.waysIn === true
      if (fields.some((name) => WAYS_IN.test(name))) {
        expect(shut || Object.hasOwn(HARMLESS, nameOf(route)), nameOf(route)).toBe(true)
      }
      if (/(people|invitation|ssh-keys|sftp-users|passkeys|totp|tokens|logins)/.test(route.path)) {
        expect(shut || route.method === 'GET', nameOf(route)).toBe(true)
      }
      if (!shut) continue
      const { status, text } = await ask(visitor, requestOf(route, accountId))
      expect([status, text], nameOf(route)).toEqual([
        403,
        expect.stringMatching(/alone, not for others who work|while working as crew/),
      ])
    }
    const [site] = (await api.store.listDomains({ accountId })).rows
    const users = [{ name: 'visitor', password: 'let me in later' }]
    const area = { path: '/internal', realm: 'Internal', users }
    const { status, body: refused } = await visitor.send('PATCH', `/api/domains/${site?.id}/site`, {
      protected: [area],
    })
    expect([status, refused.error]).toEqual([403, expect.stringMatching(/while working as crew/)])
    expect(await stateOf(accountId)).toBe(before)
    const { description } = guarded.find(({ path }) => path === '/api/accounts/:id/login') ?? {}
    expect(description).toMatch(
      /passwords, keys for SFTP, API tokens, second factors, passkeys, people, invitations/,
    )
  })

  test('what an administrator does in a visit names both', async () => {
    const visit = await admin.post(`/api/accounts/${accountId}/login`)
    const visitor = apiClient(api, (visit.body.data as { token: string }).token)
    await visitor.post('/api/files/mkdir', { account_id: accountId, path: 'public_html/seen' })
    await visitor.send('PATCH', `/api/accounts/${accountId}`, { email: 'new@mail.example' })
    const { body } = await admin.get('/api/audit?actor=crew&per_page=2')
    expect(body.data).toMatchObject([
      { actor: 'crew', via: 'boss', action: 'PATCH /api/accounts/:id', result: 'denied' },
      { actor: 'crew', via: 'boss', action: 'POST /api/files/mkdir', result: 'done' },
    ])
  })

  test('suspended, nobody of the account comes in by any route', async () => {
    const owner = await accountClient(api, 'crew')
    expect((await admin.post(`/api/accounts/${accountId}/suspend`)).status).toBe(200)
    const all = [...people.values()].flat().concat(owner)
    for (const route of guarded) {
      for (const client of all) {
        const { status } = await ask(client, requestOf(route, accountId))
        expect(status, nameOf(route)).toBe(401)
      }
    }
    expect((await foreigner.get('/api/domains')).status).toBe(200)
  })
})
