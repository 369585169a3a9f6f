import { once } from 'node:events'
import { connect } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import { createLinkFetch } from '#adapters/node/panel/hosts/link-fetch.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'
import type { LinkInstance, TestPanel } from './link-instance.ts'
import { converse, signedBy } from './peers.ts'

let host: LinkInstance
let panel: TestPanel
beforeAll(async () => {
  host = await createLinkInstance()
  panel = await createTestPanel('panel-1')
  host.trust([panel])
  expect((await host.agent.start()).said).toEqual({ type: 'ready' })
  await host.startLink()
})
afterAll(() => host.dispose())

const HEAD = `POST /session HTTP/1.1\r\nhost: ${linkName('host-1')}\r\nconnection: close\r\n`
const WHOLE = `${HEAD}content-length: 0\r\n\r\n`
const as = ({ key, certificate }: LinkCertificate) => ({ port: host.port, key, cert: certificate })

describe('the link', () => {
  it('answers a panel of the list, which then has to sign', async () => {
    const { answer } = await converse(as(panel.tls), WHOLE)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toContain('unsigned')
    expect(await host.clientOf(panel).users.list()).toEqual([])
  })

  it.each<[string, () => Promise<object>]>([
    ['without a certificate', async () => ({ port: host.port })],
    ['that is not on the list', async () => as((await createTestPanel('panel-1')).tls)],
    [
      'whose certificate one of the list signed',
      async () => as(await signedBy(panel.tls, 'panel-1')),
    ],
    [
      'that shows a server certificate',
      async () => as(await createLinkCertificate('panel-1', 'server')),
    ],
    ['that shows the certificate of the host itself', async () => as(host.own)],
    ['that speaks TLS 1.2', async () => ({ ...as(panel.tls), maxVersion: 'TLSv1.2' })],
  ])('ends the connection of a peer %s', async (_, peer) => {
    expect((await converse(await peer(), WHOLE)).answer).toBe('')
  })

  it('does not resume sessions, in which nobody would be looked at again', async () => {
    let session: Buffer | undefined
    await converse(as(panel.tls), WHOLE, (socket) =>
      socket.on('session', (given) => (session = given)),
    )
    let isReused = false
    await converse({ ...as(panel.tls), ...(session && { session }) }, WHOLE, (socket) => {
      isReused = socket.isSessionReused()
    })
    expect(isReused).toBe(false)
  })

  it('passes nothing on but whole POST requests of a bounded size to a plain path', async () => {
    for (const [request, status] of [
      [`GET /session HTTP/1.1\r\nhost: a\r\n\r\n`, 404],
      [`POST /session/../../etc HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`, 404],
      [`POST http://agent/users/list HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`, 404],
      [`POST /users/list?x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`, 404],
      [`${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 411],
      [`${HEAD}\r\n`, 411],
      [`${HEAD}content-length: ${9 * 2 ** 20}\r\n\r\n`, 413],
      [`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
      [`${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      [`${HEAD}x: ${'a'.repeat(9000)}\r\n\r\n`, 431],
    ] as const)
      expect((await converse(as(panel.tls), request)).answer, request.slice(0, 60)).toMatch(
        new RegExp(`^HTTP/1\\.1 ${String(status)} `),
      )
  })

  it('lets a panel through while a stranger opens as many connections as it likes', async () => {
    const sockets = Array.from({ length: 60 }, () => connect(host.port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined)
    // More than may wait: the oldest of the address with the most are ended.
    await waitFor(() => expect(sockets.filter(({ closed }) => closed).length).toBeGreaterThan(20))
    expect(await host.clientOf(panel).users.list()).toEqual([])
    for (const socket of sockets) socket.destroy()
  })

  it('gives one panel eight connections, the one that rests longest goes for another', async () => {
    const sockets = new Set<TLSSocket>()
    let ended = 0
    const all = Array.from({ length: 9 }, () =>
      converse(as(panel.tls), '', (socket) => {
        sockets.add(socket)
        socket.once('close', () => (ended += 1))
      }),
    )
    await waitFor(() => expect([sockets.size, ended]).toEqual([9, 1]))
    for (const socket of sockets) socket.destroy()
    await Promise.all(all)
  })
})

describe('a panel', () => {
  const ask = (change: Partial<Parameters<typeof createLinkFetch>[0]>) => {
    const fetched = createLinkFetch({
      ...{ id: 'host-1', address: '127.0.0.1', port: host.port },
      ...{ certificate: host.own.certificate, own: panel.tls, ...change },
    })
    return fetched
      .send(new Request('https://host-1/session', { method: 'POST', body: '' }))
      .finally(() => fetched.close())
  }
  it('speaks to the host whose certificate it knows, and to no other', async () => {
    expect((await ask({})).status).toBe(401)
    const other = await createLinkCertificate('host-1', 'server')
    await expect(ask({ certificate: other.certificate })).rejects.toMatchObject({ status: 503 })
    await expect(ask({ id: 'host-2' })).rejects.toMatchObject({ status: 503 })
  })
})

describe('the list of trusted panels', () => {
  it('is what counts at once: who is removed loses connections and calls', async () => {
    const two = await createTestPanel('panel-2')
    host.trust([panel, two])
    const client = host.clientOf(two)
    await waitFor(() => client.users.list())
    const held = converse(as(two.tls), '')
    host.trust([panel])
    await held
    await expect(client.users.list()).rejects.toMatchObject({ status: 503 })
    expect(await host.clientOf(panel).users.list()).toEqual([])
  })

  it('without a panel, or broken, shuts link and socket until there is one again', async () => {
    host.trust([])
    const refused = async (): Promise<string> => {
      const socket = connect(host.port, '127.0.0.1')
      const [error] = (await Promise.race([
        once(socket, 'error'),
        once(socket, 'connect').then(() => [{ code: 'connected' }]),
      ])) as [{ code: string }]
      socket.destroy()
      return error.code
    }
    await waitFor(async () => expect(await refused()).toBe('ECONNREFUSED'))
    await waitFor(() => expect(host.hasSocket()).toBe(false))
    host.trust([panel])
    const client = host.clientOf(panel)
    expect(await waitFor(() => client.users.list())).toEqual([])
    host.breakTrust()
    await waitFor(async () => expect(await refused()).toBe('ECONNREFUSED'))
  })
})
