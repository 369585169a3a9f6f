import { sign } from '@tsndr/cloudflare-worker-jwt'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { Passwords } from '#handlers/ports/passwords.ts'
import { adminClient, ADMIN, apiClient } from '#test/contract/frame/api-instance.ts'
import { createFakePasswords } from '#test/fakes/fake-passwords.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import { api, emptyApi } from '#test/support/setups/fresh-api.ts'

const SECRET = 'a secret for tests that is long enough'

describe('sessions', () => {
  emptyApi()
  const me = async (token: string) => (await apiClient(api, token).get('/api/auth/me')).status
  const claims = (change: Record<string, unknown> = {}) => {
    const iat = Math.floor(api.clock.nowMs() / 1000)
    return { sub: 'admin:1', name: 'boss', role: 'admin', jti: 'x', iat, exp: iat + 60, ...change }
  }

  test('a token ends after 24 hours', async () => {
    const { token } = await adminClient(api)
    api.clock.advanceSecs(86_399)
    expect(await me(token ?? '')).toBe(200)
    api.clock.advanceSecs(1)
    expect(await me(token ?? '')).toBe(401)
  })

  test('a well-signed token still needs every claim', async () => {
    await adminClient(api)
    expect(await me(await sign(claims(), SECRET, 'HS256'))).toBe(200)
    for (const change of [
      { exp: undefined },
      { jti: undefined },
      { jti: '' },
      { sub: undefined },
      { sub: 'admin:2' },
      { sub: 'account:1' },
      { sub: '1' },
      { sub: 'admin:1e0' },
      { role: 'root' },
      { role: 'account' },
      { exp: 1 },
      { exp: claims().iat + 90_000 },
      { exp: '9999999999' },
    ]) {
      expect(await me(await sign(claims(change), SECRET, 'HS256')), JSON.stringify(change)).toBe(
        401,
      )
    }
    for (const algorithm of ['HS384', 'HS512'] as const) {
      expect(await me(await sign(claims(), SECRET, algorithm))).toBe(401)
    }
    expect(await me(await sign(claims(), `${SECRET}x`, 'HS256'))).toBe(401)
    const kid = { algorithm: 'HS256', header: { kid: '../../../../dev/null' } }
    expect(await me(await sign(claims(), '', kid).catch(() => 'x.y.z'))).toBe(401)
  })

  test('the login opens again after a quarter of an hour', async () => {
    await adminClient(api)
    const client = apiClient(api)
    const wrong = { ...ADMIN, password: 'wrong' }
    for (let attempt = 0; attempt < 5; attempt++) await client.post('/api/auth/login', wrong)
    expect((await client.post('/api/auth/login', ADMIN)).status).toBe(429)
    api.clock.advanceSecs(899)
    expect((await client.post('/api/auth/login', ADMIN)).status).toBe(429)
    api.clock.advanceSecs(1)
    expect((await client.post('/api/auth/login', ADMIN)).status).toBe(200)
  })

  test('a success forgets earlier failures', async () => {
    await adminClient(api)
    const client = apiClient(api)
    for (let round = 0; round < 3; round++) {
      for (let attempt = 0; attempt < 4; attempt++) {
        await client.post('/api/auth/login', { ...ADMIN, password: 'wrong' })
      }
      expect((await client.post('/api/auth/login', ADMIN)).status).toBe(200)
    }
  })

  test('the cookie is Secure on a secure connection', async () => {
    await adminClient(api)
    const login = (secure: boolean) =>
      api.app(
        new Request('https://panel.example:7070/api/auth/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(ADMIN),
        }),
        { clientAddress: '192.0.2.1', secure },
      )
    expect((await login(true)).headers.get('set-cookie')).toContain('; Secure')
    expect((await login(false)).headers.get('set-cookie')).not.toContain('Secure')
  })

  test('an Origin counts when it is the panel as the browser sees it', async () => {
    const { token } = await adminClient(api)
    const reload = (origin: string, ownOrigin: string) =>
      api.app(
        new Request('http://127.0.0.1:7070/api/veloserve/reload', {
          method: 'POST',
          headers: { cookie: `panel_token=${token}`, origin },
        }),
        { clientAddress: '192.0.2.1', secure: true, origin: ownOrigin },
      )
    expect((await reload('https://p.example', 'https://p.example')).status).toBe(200)
    expect((await reload('http://p.example', 'https://p.example')).status).toBe(403)
    expect((await reload('null', 'https://p.example')).status).toBe(403)
  })
})

describe('setup', () => {
  test('needs the token where one is configured', async () => {
    const api = await makeNodeApi({ config: { homeBase: '/home', setupToken: 'only me' } })
    const client = apiClient(api)
    for (const setup_token of [undefined, '', 'only m', 'only me!']) {
      expect((await client.post('/api/auth/setup', { ...ADMIN, setup_token })).status).toBe(403)
    }
    expect(await api.app.setupDone()).toBe(false)
    const input = { ...ADMIN, setup_token: 'only me' }
    expect((await client.post('/api/auth/setup', input)).status).toBe(200)
    expect(await api.app.setupDone()).toBe(true)
    await api.close()
  })

  test('lets its token be guessed five times from one address, also at once', async () => {
    const api = await makeNodeApi({ config: { homeBase: '/home', setupToken: 'only me' } })
    const attempt = async (setup_token: string, address: string) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...ADMIN, setup_token }),
      }
      return (await api.fetch('/api/auth/setup', init, address)).status
    }
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, at) => attempt(`guess ${at}`, '198.51.100.5')),
    )
    expect(guesses.filter((status) => status === 403)).toHaveLength(5)
    expect(guesses.filter((status) => status === 429)).toHaveLength(3)
    expect(await attempt('only me', '198.51.100.5')).toBe(429)
    expect(await attempt('only me', '198.51.100.6')).toBe(200)
    await api.close()
  })

  test('stays closed when the administrator row is gone', async () => {
    const api = await makeNodeApi()
    await adminClient(api)
    const db = new Database(api.storeFile)
    db.prepare('DELETE FROM admins').run()
    db.close()
    expect((await apiClient(api).post('/api/auth/setup', ADMIN)).status).toBe(403)
    expect((await apiClient(api).post('/api/auth/login', ADMIN)).status).toBe(401)
    await api.close()
  })

  test('a login checks exactly one password, whether the user exists or not', async () => {
    const { hash, verify, siteHash } = createFakePasswords()
    const checked: string[] = []
    const passwords: Passwords = {
      siteHash,
      hash,
      verify(stored, password) {
        checked.push(password)
        return verify(stored, password)
      },
    }
    const api = await makeNodeApi({ passwords })
    await adminClient(api)
    for (const username of [ADMIN.username, 'nobody']) {
      await apiClient(api).post('/api/auth/login', { username, password: `guess of ${username}` })
    }
    expect(checked).toEqual([`guess of ${ADMIN.username}`, 'guess of nobody'])
    await api.close()
  })

  test('a short secret is refused at start', async () => {
    await expect(makeNodeApi({ jwtSecret: 'short' })).rejects.toThrow('32 characters')
  })
})
