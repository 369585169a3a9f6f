import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiInstance, MakeApiInstance } from '../frame/api-instance.ts'
import {
  accountClient,
  ADMIN,
  adminClient,
  apiClient,
  createAccount,
  readResponse,
} from '../frame/api-instance.ts'

const json = { 'content-type': 'application/json' }
const tokenOf = (body: { data?: unknown }) => (body.data as { token: string }).token

/** Setup, login, logout, me. */
export const authContract = (makeInstance: MakeApiInstance): void => {
  describe('setup', () => {
    let instance: ApiInstance
    beforeAll(async () => {
      instance = await makeInstance()
    })
    afterAll(() => instance.close())

    test.each([
      [{ password: 'long enough' }, 'username'],
      [{ username: 'ab', password: 'long enough' }, 'username'],
      [{ username: 12, password: 'long enough' }, 'username'],
      [{ username: 'boss', password: 'short' }, 'password'],
      [{ username: 'boss' }, 'password'],
      [{ username: 'boss', password: 'with\nbreak' }, 'password'],
    ])('refuses %j', async (input, field) => {
      const answer = await apiClient(instance).post('/api/auth/setup', input)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({ ok: false, error: expect.stringContaining(field) })
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('makes one administrator of 50 parallel attempts, and none later', async () => {
      const client = apiClient(instance)
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          client.post('/api/auth/setup', { ...ADMIN, username: `boss${index}` }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
      expect((await client.post('/api/auth/setup', ADMIN)).status).toBe(403)
      expect((await client.post('/api/auth/setup', { username: '' })).status).toBe(403)
    })
  })

  describe('session', () => {
    let instance: ApiInstance
    beforeAll(async () => {
      instance = await makeInstance()
      await adminClient(instance)
    })
    afterAll(() => instance.close())

    test('login answers a token and sets the cookie', async () => {
      const answer = await apiClient(instance).post('/api/auth/login', ADMIN)
      expect(answer.status).toBe(200)
      const token = tokenOf(answer.body)
      const cookie = answer.headers.get('set-cookie') ?? ''
      expect(cookie).toContain(`panel_token=${token};`)
      for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=86400']) {
        expect(cookie).toContain(part)
      }
      const me = await apiClient(instance, token).get('/api/auth/me')
      expect(me.body).toEqual({
        ok: true,
        data: { username: ADMIN.username, role: 'admin', account_id: null },
      })
    })

    test('the token lives 24 hours and names user and role', async () => {
      const token = tokenOf((await apiClient(instance).post('/api/auth/login', ADMIN)).body)
      const payload = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? ''
      const claims = JSON.parse(atob(payload)) as Record<string, unknown>
      expect(claims).toMatchObject({ name: ADMIN.username, role: 'admin' })
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(86_400)
      expect(claims['jti']).toEqual(expect.any(String))
    })

    test('wrong password and unknown user look alike', async () => {
      const client = apiClient(instance)
      const wrong = await client.post('/api/auth/login', { ...ADMIN, password: 'wrong' })
      const unknown = await client.post('/api/auth/login', { username: 'nobody1', password: 'x' })
      expect(wrong.status).toBe(401)
      expect(unknown.status).toBe(401)
      expect(unknown.body).toEqual(wrong.body)
    })

    test.each([
      [{}],
      [{ username: 'boss' }],
      [{ username: 1, password: 2 }],
      [[]],
      ['text'],
      [null],
    ])('login refuses the body %j', async (input) => {
      const answer = await apiClient(instance).send(
        'POST',
        '/api/auth/login',
        JSON.stringify(input),
        json,
      )
      expect(answer.status).toBe(400)
    })

    test('fifty failures close the login for an address, whatever names it tries', async () => {
      const attempt = (username: string, address: string, password = 'guess') =>
        instance.fetch(
          '/api/auth/login',
          { method: 'POST', headers: json, body: JSON.stringify({ username, password }) },
          address,
        )
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) => attempt(`name${index}`, '198.51.100.77')),
      )
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(50)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(10)
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await attempt(ADMIN.username, '198.51.100.77', ADMIN.password)).status).toBe(429)
      expect((await attempt(ADMIN.username, '198.51.100.78', ADMIN.password)).status).toBe(200)
    })

    test('five failures close the login for that user and address only', async () => {
      const attempt = async (username: string, address: string, forwarded?: string) =>
        readResponse(
          await instance.fetch(
            '/api/auth/login',
            {
              method: 'POST',
              headers: { ...json, ...(forwarded ? { 'x-forwarded-for': forwarded } : {}) },
              body: JSON.stringify({ username, password: 'guess' }),
            },
            address,
          ),
        )
      const guesses = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          attempt('victim', '198.51.100.1', `10.0.0.${index}`),
        ),
      )
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(5)
      const refused = guesses.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(7)
      const retryAfter = Number(refused[0]?.headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThan(0)
      expect(retryAfter).toBeLessThanOrEqual(900)
      expect((await attempt('VICTIM', '198.51.100.1')).status).toBe(429)
      expect((await attempt('victim', '198.51.100.2')).status).toBe(401)
      expect((await attempt('other', '198.51.100.1')).status).toBe(401)
    })

    test('logout revokes the token and clears the cookie', async () => {
      const token = tokenOf((await apiClient(instance).post('/api/auth/login', ADMIN)).body)
      const client = apiClient(instance, token)
      const out = await client.post('/api/auth/logout')
      expect(out.status).toBe(200)
      expect(out.headers.get('set-cookie')).toMatch(/panel_token=;.*Max-Age=0/)
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await apiClient(instance).post('/api/auth/logout')).status).toBe(200)
    })

    test('a cookie is a token, but for changes only with proof of the own page', async () => {
      const token = tokenOf((await apiClient(instance).post('/api/auth/login', ADMIN)).body)
      const cookie = { cookie: `other=1; panel_token=${token}` }
      const send = (method: string, headers: Record<string, string>) =>
        instance.fetch('/api/veloserve/reload', { method, headers: { ...cookie, ...headers } })
      expect((await instance.fetch('/api/auth/me', { headers: cookie })).status).toBe(200)
      expect((await send('POST', {})).status).toBe(403)
      expect((await send('POST', { origin: 'https://evil.example' })).status).toBe(403)
      expect((await send('POST', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      expect((await send('POST', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
      expect((await send('POST', { 'x-requested-with': 'berth' })).status).toBe(200)
      expect((await send('POST', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    })

    test.each([
      ['alg none', `${btoa('{"alg":"none"}')}.${btoa('{"sub":"admin:1","role":"admin"}')}.`],
      ['foreign signature', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbjoxIn0.AAAA'],
      ['no parts', 'x'],
      ['empty', ''],
    ])('refuses a token with %s', async (_, token) => {
      const answer = await apiClient(instance).send('GET', '/api/auth/me', undefined, {
        authorization: `Bearer ${token.replace(/=/g, '')}`,
      })
      expect(answer.status).toBe(401)
    })

    test('refuses a good token whose signature or claims were changed', async () => {
      const token = tokenOf((await apiClient(instance).post('/api/auth/login', ADMIN)).body)
      const [head = '', payload = '', signature = ''] = token.split('.')
      const forged = btoa(
        atob(payload.replace(/-/g, '+').replace(/_/g, '/')).replace('admin:1', 'admin:2'),
      ).replace(/=/g, '')
      for (const bad of [
        `${head}.${forged}.${signature}`,
        `${head}.${payload}.`,
        `${head}.${payload}`,
      ]) {
        expect((await apiClient(instance, bad).get('/api/auth/me')).status).toBe(401)
      }
    })

    test('accounts log in with their own password and see only themselves', async () => {
      const admin = apiClient(
        instance,
        tokenOf((await apiClient(instance).post('/api/auth/login', ADMIN)).body),
      )
      const account = await createAccount(admin, 'alice')
      const alice = await accountClient(instance, 'Alice')
      const me = await alice.get('/api/auth/me')
      expect(me.body.data).toEqual({
        username: 'alice',
        role: 'account',
        account_id: account.id,
        member: 'owner',
      })
    })
  })
}
