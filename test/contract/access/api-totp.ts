import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import type { ApiClient, ApiInstance, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, ADMIN, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Clock of the panel: some runtimes have one that tests move. */
const nowMs = (instance: ApiInstance): number =>
  'clock' in instance ? (instance.clock as { nowMs(): number }).nowMs() : Date.now()

const codeOf = (shared: Shared, secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: nowMs(shared.instance) + steps * 30_000 })

const wrongCode = (shared: Shared, secret: string): string => {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(shared, secret, steps))
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555'].find(
      (one) => !near.includes(one),
    ) ?? ''
  )
}

const login = (shared: Shared, totp?: string, address?: string, username = ADMIN.username) =>
  shared.instance.fetch(
    '/api/auth/login',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        username,
        password: username === ADMIN.username ? ADMIN.password : 'account password',
        ...(totp === undefined ? {} : { totp }),
      }),
    },
    address,
  )

const enrol = async (client: ApiClient, password: string): Promise<string> => {
  const { status, body } = await client.post('/api/auth/totp', { password })
  expect(status).toBe(200)
  return (body.data as { secret: string }).secret
}

/** Second factor. */
export const totpContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('second factor', makeInstance, (shared) => {
    let secret = ''
    /** The one that confirmed it; later the clock may show another. */
    let confirmed = ''
    let recovery: string[] = []

    test('needs a token, a password, and names what is wrong', async () => {
      const nobody = apiClient(shared.instance)
      expect((await nobody.get('/api/auth/totp')).status).toBe(401)
      for (const [method, path] of [
        ['POST', '/api/auth/totp'],
        ['POST', '/api/auth/totp/confirm'],
        ['DELETE', '/api/auth/totp'],
      ] as const) {
        expect((await nobody.send(method, path, {})).status).toBe(401)
        expect((await shared.admin.send(method, path, {})).status).toBe(400)
      }
      const wrong = await shared.admin.post('/api/auth/totp', { password: 'wrong one' })
      expect([wrong.status, wrong.headers.get('x-error-field')]).toEqual([403, 'password'])
      expect((await shared.admin.post('/api/auth/totp/confirm', { code: '123456' })).status).toBe(
        409,
      )
      expect((await shared.admin.get('/api/auth/totp')).body.data).toEqual({
        enabled: false,
        recovery_codes: 0,
      })
    })

    test('is in force only once confirmed', async () => {
      await enrol(shared.admin, ADMIN.password)
      const answer = await shared.admin.post('/api/auth/totp', { password: ADMIN.password })
      const data = answer.body.data as { secret: string; url: string }
      secret = data.secret
      expect(secret).toMatch(/^[A-Z2-7]{32}$/)
      expect(data.url).toBe(
        `otpauth://totp/Berth:boss?issuer=Berth&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
      )
      expect((await login(shared)).status).toBe(200)
      const bad = await shared.admin.post('/api/auth/totp/confirm', {
        code: wrongCode(shared, secret),
      })
      expect([bad.status, bad.headers.get('x-error-field')]).toEqual([400, 'code'])
      confirmed = codeOf(shared, secret)
      const good = await shared.admin.post('/api/auth/totp/confirm', { code: confirmed })
      expect(good.status).toBe(200)
      const fresh = good.body.data as { recovery_codes: string[]; token: string }
      recovery = fresh.recovery_codes
      expect((await shared.admin.get('/api/auth/me')).status).toBe(401)
      shared.admin.token = fresh.token
      expect(new Set(recovery).size).toBe(10)
      expect((await shared.admin.get('/api/auth/totp')).body.data).toEqual({
        enabled: true,
        recovery_codes: 10,
      })
      expect((await shared.admin.post('/api/auth/totp', { password: ADMIN.password })).status).toBe(
        409,
      )
      expect((await shared.admin.post('/api/auth/totp/confirm', { code: '123456' })).status).toBe(
        409,
      )
      expect((await shared.admin.get('/api/users/1')).body.data).toMatchObject({
        second_factor: true,
      })
    })

    test('a login needs a code, and each counts once', async () => {
      const without = await login(shared)
      expect([without.status, without.headers.get('x-error-field')]).toEqual([401, 'totp'])
      expect((await login(shared, '')).status).toBe(401)
      const spent = await login(shared, confirmed)
      expect([spent.status, spent.headers.get('x-error-field')]).toEqual([401, 'totp'])
      const code = codeOf(shared, secret, 1)
      // Which of the two is first is left open, and what failed counts for its address.
      const both = await Promise.all(
        ['192.0.2.8', '192.0.2.9'].map((address) => login(shared, code, address)),
      )
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
      expect((await login(shared, codeOf(shared, secret), '192.0.2.8')).status).toBe(401)
    })

    test('without the password nothing tells that there is one', async () => {
      const answer = await shared.instance.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: ADMIN.username, password: 'wrong one', totp: '123456' }),
      })
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([401, null])
    })

    test('a recovery code replaces it once, however it is typed', async () => {
      const [one = '', two = ''] = recovery
      expect((await login(shared, one, '198.51.100.5')).status).toBe(200)
      expect((await login(shared, one, '198.51.100.5')).status).toBe(401)
      expect(
        (await login(shared, ` ${two.toUpperCase().replaceAll('-', ' ')}`, '198.51.100.5')).status,
      ).toBe(200)
      expect((await shared.admin.get('/api/auth/totp')).body.data).toMatchObject({
        recovery_codes: 8,
      })
    })

    test('taking it off needs password and code', async () => {
      const off = (password: string, code: string) =>
        shared.admin.send('DELETE', '/api/auth/totp', { password, code })
      const wrongPassword = await off('wrong one', recovery[2] ?? '')
      expect([wrongPassword.status, wrongPassword.headers.get('x-error-field')]).toEqual([
        403,
        'password',
      ])
      const wrong = await off(ADMIN.password, wrongCode(shared, secret))
      expect([wrong.status, wrong.headers.get('x-error-field')]).toEqual([403, 'code'])
      expect((await off(ADMIN.password, recovery[2] ?? '')).body.data).toEqual({
        enabled: false,
        recovery_codes: 0,
      })
      expect((await login(shared, undefined, '198.51.100.6')).status).toBe(200)
    })
  })

  apiGroup('second factor of others', makeInstance, (shared) => {
    test('wrong codes close the login, from one address and from many', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      const secret = await enrol(alice, 'account password')
      await alice.post('/api/auth/totp/confirm', { code: codeOf(shared, secret) })
      const attempt = async (address: string, code = wrongCode(shared, secret)) =>
        (await login(shared, code, address, 'alice')).status
      const one: number[] = []
      for (let at = 0; at < 6; at++) one.push(await attempt('203.0.113.1'))
      expect(one).toEqual([401, 401, 401, 401, 401, 429])
      const many: number[] = []
      for (let at = 0; at < 6; at++) many.push(await attempt(`203.0.113.${10 + at}`))
      expect(many).toEqual([401, 401, 401, 401, 401, 429])
      // The right code too: else the sixth guess would count.
      expect(await attempt('203.0.113.99', codeOf(shared, secret, 1))).toBe(429)
    })

    test('an administrator takes an account’s off, nobody else does', async () => {
      const { id } = await createAccount(shared.admin, 'bobby')
      const bobby = await accountClient(shared.instance, 'bobby')
      const secret = await enrol(bobby, 'account password')
      const on = await bobby.post('/api/auth/totp/confirm', { code: codeOf(shared, secret) })
      bobby.token = (on.body.data as { token: string }).token
      expect((await login(shared, undefined, undefined, 'bobby')).status).toBe(401)
      const path = `/api/accounts/${id}/totp`
      expect((await bobby.del(path)).status).toBe(403)
      expect((await apiClient(shared.instance).del(path)).status).toBe(401)
      expect((await shared.admin.del('/api/accounts/99/totp')).status).toBe(404)
      expect((await shared.admin.del('/api/accounts/x/totp')).status).toBe(400)
      expect((await shared.admin.del(path)).body.data).toEqual({
        enabled: false,
        recovery_codes: 0,
      })
      expect((await login(shared, undefined, undefined, 'bobby')).status).toBe(200)
    })
  })
}
