import { expect, test } from 'vitest'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { apiClient, newAccount, readResponse } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

/** Every route for which a token is needed, with an id that need not exist; of the table nothing is called. */
const ROUTES = allRoutes({} as PanelDeps, {} as Services)
  .filter(({ open }) => !open)
  .map(({ method, path }) => [method, path.replace(/:\w+[+*?]?/g, '1')] as const)

const json = { 'content-type': 'application/json' }

/** What holds for all routes: envelope, authentication, methods, bodies. */
export const generalContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('every route', makeInstance, (shared) => {
    test.each(ROUTES)('%s %s without a token is 401, however it is written', async (_, path) => {
      const nobody = apiClient(shared.instance)
      const twists = [
        path,
        `${path}/`,
        path.replace('/api/', '/api//'),
        path.replace('/api/', '/api/%2e/'),
        path.replace('/api/', '/api/x/%2e%2e/'),
        path.replace(/[^/]+$/, (last) => last.toUpperCase()),
      ]
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        for (const twist of twists) {
          const response = await shared.instance.fetch(twist, {
            method,
            headers: { 'x-http-method-override': 'GET' },
          })
          await response.body?.cancel()
          expect(`${method} ${twist} ${response.status}`).toBe(`${method} ${twist} 401`)
        }
      }
      expect((await nobody.get(path)).body).toEqual({ ok: false, error: expect.any(String) })
    })

    test.each(['/api', '/api/nothing', '/api/auth', '/api/accounts/1/nothing', '/api/ssl'])(
      '%s is 404 in the envelope',
      async (path) => {
        const answer = await shared.admin.get(path)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual({ ok: false, error: expect.any(String) })
      },
    )

    test('a wrong method is 405 with Allow', async () => {
      const answer = await shared.admin.send('PATCH', '/api/domains')
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
      expect(answer.body).toEqual({ ok: false, error: expect.any(String) })
    })

    test('a wrong method on an open path is 405 without a token too', async () => {
      for (const path of ['/api/auth/login', '/api/auth/setup', '/api/auth/logout']) {
        const response = await shared.instance.fetch(path, { method: 'GET' })
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      }
      expect((await shared.instance.fetch('/api/auth/me', { method: 'PUT' })).status).toBe(401)
    })

    test('a body that is no object says what it must be', async () => {
      for (const body of ['"text"', [], 5, null]) {
        const answer = await shared.admin.post('/api/domains', body)
        expect([answer.status, answer.body.error]).toEqual([
          400,
          'The request body must be a JSON object such as {"name": "value"}.',
        ])
      }
    })

    test('HEAD answers as GET without a body', async () => {
      const response = await shared.instance.fetch('/api/accounts', {
        method: 'HEAD',
        headers: { authorization: `Bearer ${shared.admin.token}` },
      })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('')
    })

    test('answers are JSON that nobody stores', async () => {
      const { headers } = await shared.admin.get('/api/accounts')
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-store')
    })
  })

  apiGroup('bodies', makeInstance, (shared) => {
    const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      readResponse(
        await shared.instance.fetch('/api/accounts', {
          method: 'POST',
          headers: { authorization: `Bearer ${shared.admin.token}`, ...headers },
          body,
        }),
      )

    test.each(['', '{', '{"a":}', "{'a':1}", '[1,', 'null x'])('%j is 400', async (body) => {
      expect((await post(body, json)).status).toBe(400)
    })

    test('bytes that are not UTF-8 are 400', async () => {
      expect((await post(new Uint8Array([0x7b, 0xff, 0x7d]), json)).status).toBe(400)
    })

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonx',
    ])('%s is 415', async (type) => {
      const body = JSON.stringify(newAccount('alice'))
      expect((await post(body, { 'content-type': type })).status).toBe(415)
    })

    test('JSON with a charset is fine', async () => {
      const answer = await post('{}', { 'content-type': 'application/json; charset=utf-8' })
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe('username')
    })

    test('more than 1 MiB is 413, deep nesting 400', async () => {
      expect((await post(`{"a":"${'x'.repeat(2 ** 20)}"}`, json)).status).toBe(413)
      expect((await post('['.repeat(100_000), json)).status).toBe(400)
      expect((await post(`${'['.repeat(40)}${']'.repeat(40)}`, json)).status).toBe(400)
    })

    test('nothing was created by any of it', async () => {
      expect((await shared.admin.get('/api/accounts')).body.data).toEqual([])
    })
  })
}
