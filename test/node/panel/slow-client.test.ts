import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { PanelCertificate } from '#adapters/node/panel/listening/panel-certificate.ts'
import { startPanelServer } from '#adapters/node/panel/listening/server.ts'
import type { PanelServer } from '#adapters/node/panel/listening/server.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'

const IDLE_MS = 400
const LARGE = 16 * 2 ** 20

let server: PanelServer | null = null
const sockets: Socket[] = []
/** Bytes of the bodies that arrived whole. */
let arrived: number[] = []
let brokenOff = 0
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.close(100)
  server = null
})

/** As downloads are read from the host: over TLS only a whole piece counts as taken. */
const inPieces = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      const piece = new Uint8Array(Math.min(left, 2 ** 18))
      left -= piece.length
      controller.enqueue(piece)
      if (left === 0) controller.close()
    },
  })
}

const noJob = async (): Promise<void> => undefined
const answer = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url)
  if (pathname === '/api/slow') await delay(3 * IDLE_MS)
  if (pathname === '/api/large') return new Response(inPieces(LARGE))
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) bytes += chunk.length
  } catch (error) {
    brokenOff += 1
    throw error
  }
  arrived.push(bytes)
  return new Response(`got ${bytes}`)
}

const start = async (minBytesPerSec: number, secure: boolean): Promise<Socket> => {
  arrived = []
  brokenOff = 0
  const { certificate, key } = makeCertificate({ names: ['panel.example'] })
  const pair: PanelCertificate = {
    pair: { cert: certificate, key },
    follow: () => () => undefined,
  }
  server = await startPanelServer({
    app: Object.assign(answer, {
      settleOpenOperations: noJob,
      settleAbandoned: noJob,
      collectTraffic: noJob,
      probeHosts: noJob,
      tellTrust: noJob,
      rotateOwnKeys: noJob,
      rotateCertificates: noJob,
      bringFronts: noJob,
      collectFigures: noJob,
      noteDatabaseSizes: noJob,
      dispatchEvents: noJob,
      takePushes: noJob,
      renewCertificates: async () => ({ renewed: [], skipped: [], errors: [] }),
      goOnWithOrders: async () => ({ renewed: [], errors: [] }),
      scheduledBackups: noJob,
      tellOverdueBackups: noJob,
      tellNotifications: noJob,
      lookForTroubles: noJob,
      takeUpCron: noJob,
      tickCron: noJob,
      tellSftp: noJob,
      tellMail: noJob,
      collectMailNews: noJob,
      collectLogins: noJob,
      sampleHost: noJob,
      keepSamples: noJob,
      proveBackups: noJob,
      databaseTool: {
        redeem: async () => Promise.reject(new Error('no tool here')),
        session: async () => Promise.reject(new Error('no tool here')),
        end: noJob,
      },
      checkDatabaseTool: noJob,
      beginDatabaseTool: noJob,
      setupDone: async () => true,
    }),
    kit: (_incoming, outgoing) => void outgoing.end('page'),
    listen: [{ host: '127.0.0.1', port: 0 }],
    trustedProxies: [],
    certificate: secure ? pair : null,
    slowClients: { idleMs: IDLE_MS, lookMs: 2 * IDLE_MS, minBytesPerSec },
    log: createRecordingLog(),
  })
  const where = { host: '127.0.0.1', port: server.ports[0] ?? 0 }
  const socket = secure ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where)
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, secure ? 'secureConnect' : 'connect')
  return socket
}

const post = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: panel.example\r\nContent-Length: ${length}\r\n\r\n`

/** Resolves when the connection is gone, in whatever way: what is written to one that ends may be answered by a reset. */
const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.resume()
  })

const textOf = async (socket: Socket, end: RegExp): Promise<string> => {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  while (!end.test(text)) await once(socket, 'data')
  return text
}

describe.each([
  ['http', false],
  ['https', true],
])('over %s', { timeout: 90_000 }, (_scheme, secure) => {
  it('an upload takes as long as it takes, while something comes', async () => {
    const socket = await start(1, secure)
    socket.write(post('/api/upload', 20))
    const answer = textOf(socket, /got 20/)
    for (let sent = 0; sent < 20; sent += 1) {
      await delay(IDLE_MS / 4)
      socket.write('x')
    }
    expect(await answer).toContain('200 OK')
    expect(arrived).toEqual([20])
  })

  it('an upload that halts is broken off, for the application too', async () => {
    const socket = await start(1, secure)
    socket.write(`${post('/api/upload', 1000)}some`)
    await gone(socket)
    expect(arrived).toEqual([])
    await expect.poll(() => brokenOff).toBe(1)
  })

  it('a body of next to nothing is broken off', async () => {
    const socket = await start(1000, secure)
    socket.write(post('/api/upload', 1000))
    const drip = setInterval(() => socket.write('x'), IDLE_MS / 8)
    await gone(socket)
    clearInterval(drip)
    expect(arrived).toEqual([])
  })

  it('the time that we take is not the client’s', async () => {
    const socket = await start(1_000_000, secure)
    socket.write(`${post('/api/slow', 4)}body`)
    expect(await textOf(socket, /got 4/)).toContain('200 OK')
    // The connection is kept, and good for another request.
    socket.write(`${post('/api/upload', 2)}ok`)
    expect(await textOf(socket, /got 2/)).toContain('200 OK')
  })

  it('a download that nobody takes is broken off, a slow one is not', async () => {
    const socket = await start(1, secure)
    socket.write('GET /api/large HTTP/1.1\r\nHost: panel.example\r\n\r\n')
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), 1)
    })
    await expect.poll(() => bytes, { timeout: 60_000 }).toBeGreaterThan(LARGE)
    await server?.close(0)
    const halted = await start(1, secure)
    halted.write('GET /api/large HTTP/1.1\r\nHost: panel.example\r\n\r\n')
    await once(halted, 'data')
    halted.pause()
    await delay(4 * IDLE_MS)
    let rest = 0
    halted.on('data', (chunk: Buffer) => (rest += chunk.length))
    await gone(halted)
    expect(rest).toBeLessThan(LARGE)
  })
})
