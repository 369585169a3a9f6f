import { Secret, TOTP } from 'otpauth'
import { afterEach, describe, expect, test } from 'vitest'
import { SoftwareAuthenticator } from './software-authenticator.ts'
import type { ApiClient, ApiInstance, MakeApiInstance } from '../frame/api-instance.ts'
import {
  accountClient,
  ADMIN,
  apiClient,
  createAccount,
  readResponse,
} from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'

const ORIGIN = 'https://panel.example:7070'
const PASSWORD = 'account password'

interface Begun {
  options: Record<string, unknown>
  ceremony: string
}

/** Calls as a browser makes them that has opened the panel under `origin`. */
const callerAt =
  (instance: ApiInstance, token: string | null = null, origin = ORIGIN) =>
  async (method: string, path: string, body?: unknown) =>
    readResponse(
      await instance.fetch(
        path,
        {
          method,
          headers: {
            'content-type': 'application/json',
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        '203.0.113.7',
        origin,
      ),
    )

/** Passkeys: made, used, refused, removed. */
export const passkeysContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('passkeys', makeInstance, (shared: Shared) => {
    const begin = async (client: ApiClient, proof: object = {}): Promise<Begun> => {
      const call = callerAt(shared.instance, client.token)
      const { status, body } = await call('POST', '/api/auth/passkeys/options', {
        password: PASSWORD,
        ...proof,
      })
      expect([status, body.error]).toEqual([200, undefined])
      return body.data as Begun
    }
    const add = (client: ApiClient, ceremony: string, name: string, credential: object) =>
      callerAt(shared.instance, client.token)('POST', '/api/auth/passkeys', {
        ceremony,
        name,
        credential,
      })
    const enrol = async (client: ApiClient, name: string): Promise<SoftwareAuthenticator> => {
      const device = await SoftwareAuthenticator.create(ORIGIN)
      const { options, ceremony } = await begin(client)
      const { status } = await add(client, ceremony, name, await device.make(options))
      expect(status).toBe(200)
      return device
    }
    const beginLogin = async (): Promise<Begun> =>
      (await callerAt(shared.instance)('POST', '/api/auth/passkey/options')).body.data as Begun
    const logIn = async (
      device: SoftwareAuthenticator,
      deviation: Parameters<SoftwareAuthenticator['use']>[1] = {},
      address = '203.0.113.7',
    ) => {
      const { options, ceremony } = await beginLogin()
      const credential = await device.use(options, deviation)
      return readResponse(
        await shared.instance.fetch(
          '/api/auth/passkey',
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ceremony, credential }),
          },
          address,
          ORIGIN,
        ),
      )
    }
    let made = 0
    const there: number[] = []
    const hosted = async (name: string) => {
      const username = `${name}${++made}`
      const { id } = await createAccount(shared.admin, username)
      there.push(id)
      return { id, username, client: await accountClient(shared.instance, username) }
    }

    // The licence of the tests takes five at a time.
    afterEach(async () => {
      for (const id of there.splice(0)) await shared.admin.del(`/api/accounts/${id}`)
    })

    test('one is made, listed, logs in without password, and is removed', async () => {
      const { username, client } = await hosted('walker')
      const device = await enrol(client, 'Phone')
      const { status, body } = await logIn(device)
      expect([status, (body.data as { user: object }).user]).toEqual([
        200,
        { username, role: 'account', account_id: expect.any(Number), member: 'owner' },
      ])
      const session = apiClient(shared.instance, (body.data as { token: string }).token)
      const list = (await session.get('/api/auth/passkeys')).body.data as { id: number }[]
      expect(list).toEqual([
        {
          id: expect.any(Number),
          name: 'Phone',
          party: 'panel.example',
          created_at: expect.any(String),
          last_used_at: expect.any(String),
        },
      ])
      expect((await logIn(device)).status).toBe(200)
      expect((await session.del(`/api/auth/passkeys/${list[0]?.id}`)).status).toBe(200)
      expect((await logIn(device)).status).toBe(401)
      expect((await session.del(`/api/auth/passkeys/${list[0]?.id}`)).status).toBe(404)
    })

    test('an administrator’s stands in for password and second factor', async () => {
      const call = callerAt(shared.instance, shared.admin.token)
      const enrolled = await call('POST', '/api/auth/totp', { password: ADMIN.password })
      const { secret } = enrolled.body.data as { secret: string }
      const totp = new TOTP({ secret: Secret.fromBase32(secret) })
      const confirmed = await call('POST', '/api/auth/totp/confirm', { code: totp.generate() })
      shared.admin.token = (confirmed.body.data as { token: string }).token
      const options = (body: object) =>
        callerAt(shared.instance, shared.admin.token)('POST', '/api/auth/passkeys/options', body)
      const refused = await options({ password: ADMIN.password })
      expect([refused.status, refused.headers.get('x-error-field')]).toEqual([403, 'code'])
      const { recovery_codes: codes } = confirmed.body.data as { recovery_codes: string[] }
      const begun = await options({ password: ADMIN.password, code: codes[0] })
      const { options: asked, ceremony } = begun.body.data as Begun
      const device = await SoftwareAuthenticator.create(ORIGIN)
      expect((await add(shared.admin, ceremony, 'Key', await device.make(asked))).status).toBe(200)
      const answer = await logIn(device)
      expect([answer.status, (answer.body.data as { user: object }).user]).toMatchObject([
        200,
        { username: ADMIN.username, role: 'admin' },
      ])
    })

    test.each([
      ['another page', { origin: 'https://evil.example' }],
      ['another port', { origin: 'https://panel.example' }],
      ['another name', { party: 'evil.example' }],
      ['a device that did not check its user', { verified: false }],
      ['an attestation', { format: 'packed' }],
      ['an attestation of Android', { format: 'android-safetynet' }],
      ['the other ceremony', { type: 'webauthn.get' }],
    ])('none is made by %s', async (_, deviation) => {
      const { client } = await hosted('maker')
      const device = await SoftwareAuthenticator.create(ORIGIN)
      const { options, ceremony } = await begin(client)
      const answer = await add(client, ceremony, 'Odd', await device.make(options, deviation))
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'credential'])
      expect((await client.get('/api/auth/passkeys')).body.data).toEqual([])
    })

    test('a challenge counts once, for whom it was made, and never for a login', async () => {
      const { client } = await hosted('once')
      const { client: other } = await hosted('other')
      const device = await SoftwareAuthenticator.create(ORIGIN)
      const { options, ceremony } = await begin(client)
      const made = await device.make(options)
      expect((await add(other, ceremony, 'Mine', made)).status).toBe(400)
      expect((await add(client, ceremony, 'Mine', made)).status).toBe(200)
      expect((await add(client, ceremony, 'Again', made)).status).toBe(400)
      expect((await add(client, (await beginLogin()).ceremony, 'Again', made)).status).toBe(400)
      expect((await add(client, client.token ?? '', 'Again', made)).status).toBe(400)
      const next = await begin(client)
      const twin = await add(client, next.ceremony, 'Again', await device.make(next.options))
      expect([twin.status, twin.headers.get('x-error-field')]).toEqual([409, 'credential'])
      const third = await begin(client)
      const fresh = await SoftwareAuthenticator.create(ORIGIN)
      const named = await add(client, third.ceremony, 'Mine', await fresh.make(third.options))
      expect([named.status, named.headers.get('x-error-field')]).toEqual([409, 'name'])
      expect((await callerAt(shared.instance, ceremony)('GET', '/api/auth/me')).status).toBe(401)
    })

    describe('a login', () => {
      let address = 0
      /** Each its own, since failures are counted for the address. */
      const anywhere = (): string => `198.51.100.${++address}`

      test.each([
        ['another page', { origin: 'https://evil.example' }],
        ['another name', { party: 'evil.example' }],
        ['a device that did not check its user', { verified: false }],
        ['the other ceremony', { type: 'webauthn.create' }],
        ['a count that went back', { counter: 0 }],
      ])('is refused from %s', async (_, deviation) => {
        const { client } = await hosted('user')
        const device = await enrol(client, 'Phone')
        expect((await logIn(device, { counter: 7 }, anywhere())).status).toBe(200)
        const answer = await logIn(device, deviation, anywhere())
        expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
        expect((await logIn(device, { counter: 8 }, anywhere())).status).toBe(200)
      })

      test('is refused with an answer that was sent before, or for another', async () => {
        const { client } = await hosted('replayed')
        const device = await enrol(client, 'Phone')
        const { options, ceremony } = await beginLogin()
        const credential = await device.use(options)
        const send = (body: object) => callerAt(shared.instance)('POST', '/api/auth/passkey', body)
        expect((await send({ ceremony, credential })).status).toBe(200)
        expect((await send({ ceremony, credential })).status).toBe(401)
        const { ceremony: second } = await beginLogin()
        expect((await send({ ceremony: second, credential })).status).toBe(401)
        const begun = await begin(client)
        const forMaking = { ceremony: begun.ceremony, credential: await device.use(begun.options) }
        expect((await send(forMaking)).status).toBe(401)
      })

      test('is refused to a device nobody knows, and closed after five failures', async () => {
        const device = await SoftwareAuthenticator.create(ORIGIN)
        const from = anywhere()
        const statuses: number[] = []
        for (let tries = 0; tries < 6; tries++)
          statuses.push((await logIn(device, {}, from)).status)
        expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
        const { client } = await hosted('elsewhere')
        const known = await enrol(client, 'Phone')
        const { options, ceremony } = await beginLogin()
        const body = JSON.stringify({ ceremony, credential: await known.use(options) })
        const headers = { 'content-type': 'application/json' }
        const sent = async (address: string) =>
          shared.instance.fetch(
            '/api/auth/passkey',
            { method: 'POST', headers, body },
            address,
            ORIGIN,
          )
        expect((await sent(from)).status).toBe(429)
        // Who is refused has used nothing up, and so has nothing written down.
        expect((await sent(anywhere())).status).toBe(200)
      })

      test('ends with suspension and with a password set by an administrator', async () => {
        const { id, client } = await hosted('closed')
        const device = await enrol(client, 'Phone')
        expect((await shared.admin.post(`/api/accounts/${id}/suspend`, {})).status).toBe(200)
        expect((await logIn(device, {}, anywhere())).status).toBe(401)
        expect((await shared.admin.post(`/api/accounts/${id}/unsuspend`)).status).toBe(200)
        expect((await logIn(device, {}, anywhere())).status).toBe(200)
        const change = { password: 'set by the administrator' }
        expect((await shared.admin.send('PATCH', `/api/accounts/${id}`, change)).status).toBe(200)
        expect((await logIn(device, {}, anywhere())).status).toBe(401)
      })
    })

    test('without TLS or at an address there are none, and it is said how to get them', async () => {
      const { client } = await hosted('plain')
      for (const origin of [
        'http://panel.example:7070',
        'https://192.0.2.7:7070',
        'https://[::1]',
      ]) {
        const call = callerAt(shared.instance, client.token, origin)
        const made = await call('POST', '/api/auth/passkeys/options', { password: PASSWORD })
        expect([origin, made.status, made.body.error]).toEqual([
          origin,
          409,
          expect.stringContaining('host name over HTTPS'),
        ])
        expect((await call('POST', '/api/auth/passkey/options')).status).toBe(409)
      }
      const local = callerAt(shared.instance, client.token, 'http://localhost:7070')
      expect((await local('POST', '/api/auth/passkey/options')).status).toBe(200)
    })

    test('a wrong password, an API token and a visiting administrator make none', async () => {
      const { id, client } = await hosted('guarded')
      const call = callerAt(shared.instance, client.token)
      const wrong = await call('POST', '/api/auth/passkeys/options', { password: 'wrong' })
      expect([wrong.status, wrong.headers.get('x-error-field')]).toEqual([403, 'password'])
      const token = await client.post('/api/tokens', { name: 'all', scopes: ['read', 'write'] })
      const visit = await shared.admin.post(`/api/accounts/${id}/login`)
      for (const { body } of [token, visit]) {
        const bearer = (body.data as { token: string }).token
        const as = callerAt(shared.instance, bearer)
        expect(
          (await as('POST', '/api/auth/passkeys/options', { password: PASSWORD })).status,
        ).toBe(403)
        expect((await as('DELETE', '/api/auth/passkeys/1')).status).toBe(403)
      }
    })
  })
}
