import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPosts, type PostGuard } from '#adapters/node/panel/duties/posts.ts'
import { accountClient, adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'

interface Taken {
  method: string | undefined
  headers: Record<string, unknown>
  body: string
}

const NAME = 'hooks.receiver.example'
let server: Server
let port = 0
let taken: Taken[] = []
let answer = { status: 200, location: '', waits: false }
const trusted = getCACertificates('default')

/** As a name of the internet that leads to the receiver here. */
const toReceiver: PostGuard = {
  check: () => undefined,
  lookup: (_name, options, callback) => {
    const found = { address: '127.0.0.1', family: 4 }
    if (options.all === true) callback(null, [found])
    else callback(null, found.address, found.family)
  },
}
const post = (url: string, guard?: PostGuard, timeoutMs?: number) =>
  createPosts(guard, timeoutMs).post(url, {
    headers: { 'content-type': 'application/json', 'berth-event-id': 'e1' },
    body: '{"grüße":1}',
  })

beforeAll(async () => {
  const authority = makeCertificate({ names: ['Authority'], authority: true })
  setDefaultCACertificates([...trusted, authority.certificate])
  const { certificate, key } = makeCertificate({ names: [NAME], issuer: authority })
  server = createServer({ cert: certificate, key }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      taken.push({ method: request.method, headers: request.headers, body })
      if (answer.waits) return
      response.writeHead(answer.status, answer.location === '' ? {} : { location: answer.location })
      response.end('an answer that nobody reads')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  taken = []
  answer = { status: 200, location: '', waits: false }
})
afterAll(() => {
  setDefaultCACertificates(trusted)
  server.closeAllConnections()
  server.close()
})

describe('what is sent to addresses of people', () => {
  it('arrives over https as it was given, and only the status counts', async () => {
    expect(await post(`https://${NAME}:${port}/in?a=b`, toReceiver)).toEqual({ status: 200 })
    expect(taken).toEqual([
      {
        method: 'POST',
        headers: expect.objectContaining({
          'berth-event-id': 'e1',
          'user-agent': 'Berth',
          'content-length': '13',
        }),
        body: '{"grüße":1}',
      },
    ])
    answer = { ...answer, status: 302, location: `https://${NAME}:${port}/elsewhere` }
    expect(await post(`https://${NAME}:${port}/`, toReceiver)).toEqual({ status: 302 })
    expect(taken).toHaveLength(2)
  })

  it('goes nowhere where the certificate is not that of the name', async () => {
    await expect(post(`https://other.example:${port}/`, toReceiver)).rejects.toThrow(/certificate/i)
    expect(taken).toEqual([])
  })

  it('is given up when nothing is answered', async () => {
    answer = { ...answer, waits: true }
    await expect(post(`https://${NAME}:${port}/`, toReceiver, 200)).rejects.toThrow('no answer')
  })

  it.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://10.0.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254',
    'https://100.64.0.1',
    'https://[fd00::1]',
    'https://localhost',
  ])('reaches nothing of this machine and its networks: %s', async (url) => {
    await expect(post(`${url}:${port}/`)).rejects.toThrow(/private network/)
    expect(taken).toEqual([])
  })
})

it('a log-in from a new place is told to the webhook of whom it concerns, signed', async () => {
  const api = await makeNodeApi({ posts: createPosts(toReceiver) })
  try {
    await createAccount(await adminClient(api), 'alice')
    const alice = await accountClient(api, 'alice')
    const url = `https://${NAME}:${port}/hook`
    const set = await alice.send('PUT', '/api/notifications/webhook', { url })
    const { secret } = set.body.data as { secret: string }
    const login = { username: 'alice', password: 'account password' }
    const again = await api.fetch(
      '/api/auth/login',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': 'de' },
        body: JSON.stringify(login),
      },
      '198.51.100.7',
    )
    expect(again.status).toBe(200)
    await api.app.tellNotifications()
    const [first] = taken
    expect(JSON.parse(first?.body ?? '{}')).toMatchObject({
      kind: 'login',
      message: 'login.new_place',
      state: 'told',
      title: 'Anmeldung von einem neuen Ort',
    })
    const [, at = '', signed] =
      /^t=(\d+),v1=(\w+)$/.exec(String(first?.headers['berth-signature'])) ?? []
    expect(signed).toBe(
      createHmac('sha256', secret)
        .update(`${at}.${first?.body ?? ''}`)
        .digest('hex'),
    )
    const sent = await alice.get('/api/notifications/webhook/deliveries')
    expect(sent.body.data).toMatchObject([{ status: 200, error: null }])
  } finally {
    await api.close()
  }
})
