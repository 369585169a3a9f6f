import { request } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPanel, type TestPanel } from '../support/start-panel.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

describe('the listener of the panel', () => {
  let panel: TestPanel
  let port: number
  beforeAll(async () => {
    panel = await startPanel()
    port = Number(new URL(panel.origin).port)
  })
  afterAll(() => panel?.stop())

  /** A request whose target is sent exactly as it is written. */
  const ask = (
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port, method, path, agent: false, headers: options.headers ?? {} },
        (incoming) => {
          let body = ''
          incoming.setEncoding('utf8')
          incoming.on('data', (text: string) => (body += text))
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }),
          )
        },
      )
      outgoing.on('error', reject)
      outgoing.end(options.body)
    })

  const envelope = (answer: Answer) => {
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    return JSON.parse(answer.body) as { ok: boolean; error?: string }
  }

  it.each([
    '/api',
    '/api/',
    '/api/accounts/',
    '//api/accounts',
    '/API/accounts',
    '/%61pi/accounts',
    '/%2561pi/accounts',
    '/api%2faccounts',
    '/x/../api/accounts',
    '/x/%2e%2e/api/accounts',
    '/api/../api/accounts',
    '/\\api/accounts',
    '/api/accounts?x=1',
    'http://elsewhere.example/api/accounts',
  ])('gives %s to the API, which wants a token', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      const answer = await ask(method, path)
      expect([method, answer.status]).toEqual([method, 401])
      expect(envelope(answer).ok).toBe(false)
    }
  })

  it('answers form posts and broken JSON to the API in the envelope', async () => {
    const form = await ask('POST', '/api/auth/login', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=a&password=b',
    })
    expect(form.status).toBe(415)
    expect(envelope(form).ok).toBe(false)
    const broken = await ask('POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json' },
      body: '{',
    })
    expect(broken.status).toBe(400)
  })

  it('answers a body beyond the limit with 413, not with a broken connection', async () => {
    const body = JSON.stringify({ username: 'a'.repeat(2 * 2 ** 20), password: 'b' })
    const answer = await ask('POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
      body,
    })
    expect(answer.status).toBe(413)
    expect(envelope(answer).ok).toBe(false)
  })

  it('refuses a Host that is none', async () => {
    const answer = await ask('GET', '/api/auth/me', { headers: { host: 'a b' } })
    expect(answer.status).toBe(400)
  })

  it('sends what keeps other sites out, on pages and on the API', async () => {
    for (const path of ['/setup', '/api/auth/me', '/favicon.svg']) {
      const { headers } = await ask('GET', path)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('same-origin')
    }
    const page = await ask('GET', '/setup')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+'/)
    expect(policy).not.toContain('unsafe-inline')
    expect(page.headers['cache-control']).toBe('no-store')
  })

  it('takes no forwarding header from strangers', async () => {
    const login = (forwardedFor: string) =>
      ask('POST', '/api/auth/login', {
        headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
        body: JSON.stringify({ username: 'nobody', password: 'wrong password' }),
      })
    const statuses = []
    for (let round = 0; round < 6; round++)
      statuses.push((await login(`198.51.100.${round}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('refuses a form post to a page from another site', async () => {
    const answer = await ask('POST', '/login', {
      headers: {
        origin: 'http://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'username=a&password=b',
    })
    expect(answer.status).toBe(403)
  })

  it('answers a form post to a page that takes none, which is no fault of ours', async () => {
    const answer = await ask('POST', '/accounts', {
      headers: {
        accept: 'application/json',
        origin: panel.origin,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'a=b',
    })
    expect(answer.status).toBe(405)
    expect(answer.body).not.toContain('went wrong')
    expect(panel.errors()).not.toMatch(/panel-ui|actions|at .*\.js/)
  })

  it('survives a client that goes away in the middle of a body', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"user',
    )
    socket.destroy()
    await once(socket, 'close')
    expect((await ask('GET', '/setup')).status).toBe(200)
  })
})
