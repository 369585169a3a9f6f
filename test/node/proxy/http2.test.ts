import { connect, type ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WebProcess } from '../web-server/support/web-process.ts'
import { startApp, startProxied, type RunningApp } from './support/proxied-web.ts'

let app: RunningApp
let web: WebProcess
let session: ClientHttp2Session
beforeAll(async () => {
  app = await startApp((message, out) => {
    let bytes = 0
    message.on('data', (part: Buffer) => (bytes += part.length))
    message.on('end', () => {
      const { host, connection, ...headers } = message.headers
      const proto = headers['x-forwarded-proto']
      const framing = headers['content-length'] ?? headers['transfer-encoding'] ?? '-'
      out.setHeader('connection', 'keep-alive, x-hop')
      out.setHeader('x-hop', '1')
      out.end(`${message.method} ${host} ${proto} ${framing} ${bytes} ${connection}`)
    })
  })
  web = await startProxied(app)
  session = connect(`https://127.0.0.1:${web.sslPort}`, { rejectUnauthorized: false })
})
afterAll(async () => {
  session.destroy()
  await web.remove()
  await app.close()
})

const ask = (
  fields: Record<string, string>,
  body?: Buffer,
): Promise<{ headers: Record<string, unknown>; text: string }> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/?x', ':authority': 'p.test', ...fields })
    let headers: Record<string, unknown> = {}
    let text = ''
    stream.on('response', (got) => (headers = got))
    stream.on('data', (part: Buffer) => (text += part.toString()))
    stream.on('end', () => resolve({ headers, text }))
    stream.on('error', reject)
    stream.end(body)
  })

describe('an application behind HTTP/2', () => {
  it('is asked over HTTP/1.1, with a framing of its own', async () => {
    const got = await ask({ te: 'trailers' })
    expect(got.text).toBe('GET p.test https - 0 keep-alive')
    expect(got.headers[':status']).toBe(200)
    expect(got.headers).not.toHaveProperty('x-hop')
    const body = Buffer.alloc(1_000_000)
    expect((await ask({ ':method': 'POST' }, body)).text).toBe(
      'POST p.test https chunked 1000000 close',
    )
    const counted = { ':method': 'POST', 'content-length': String(body.length) }
    expect((await ask(counted, body)).text).toBe('POST p.test https 1000000 1000000 close')
  })
})
