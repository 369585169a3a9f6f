import { statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPanelTls } from '#adapters/node/agent/certificates/panel-tls.ts'
import { openPanelCertificate } from '#adapters/node/panel/listening/panel-certificate.ts'
import { startPanelServer } from '#adapters/node/panel/listening/server.ts'
import type { PanelServer } from '#adapters/node/panel/listening/server.ts'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { ADMIN } from '#test/contract/frame/api-instance.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { api, emptyApi } from '#test/support/setups/fresh-api.ts'

let server: PanelServer | null = null
emptyApi()
beforeEach(async () => {
  makeDirectory()
})
afterEach(async () => {
  await server?.close(100)
  server = null
})

const configWith = async (lines: string) => {
  const file = join(directory, 'berth.toml')
  writeFileSync(file, `[paths]\nstate_dir = "state"\nsecrets_dir = "secrets"\n[panel]\n${lines}\n`)
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}
const start = async (lines: string): Promise<number> => {
  const log = createRecordingLog()
  server = await startPanelServer({
    app: api.app,
    kit: (_incoming, outgoing, client) => void outgoing.end(client.secure ? 'secure' : 'open'),
    listen: [{ host: '127.0.0.1', port: 0 }],
    trustedProxies: [],
    certificate: openPanelCertificate(await configWith(lines), log),
    log,
  })
  return server.ports[0] ?? 0
}

interface Seen {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** Common name of the certificate; null over http. */
  shown: string | null
}

const ask = (
  url: string,
  options: { method?: string; body?: string; headers?: Record<string, string>; ca?: string } = {},
): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const secure = url.startsWith('https:')
    const { method = 'GET', headers = {}, ca } = options
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca }
    const outgoing = (secure ? https : http).request(
      url,
      { method, headers, agent: false, ...trust },
      (incoming) => {
        const socket = incoming.socket as TLSSocket
        const shown = secure ? String(socket.getPeerCertificate().subject.CN) : null
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => (text += chunk))
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, shown }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(options.body)
  })

describe('the panel over TLS', () => {
  it('serves https, and its cookie is for https alone', async () => {
    const port = await start('tls = "self-signed"')
    expect((await ask(`https://127.0.0.1:${port}/`)).text).toBe('secure')
    const body = JSON.stringify(ADMIN)
    const answer = await ask(`https://127.0.0.1:${port}/api/auth/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(200)
    const login = await ask(`https://127.0.0.1:${port}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(String(login.headers['set-cookie'])).toContain('; Secure')
  })

  it('leads http on the same port to https', async () => {
    const port = await start('tls = "self-signed"')
    for (const [method, status] of [
      ['GET', 301],
      ['POST', 308],
    ] as const) {
      const answer = await ask(`http://127.0.0.1:${port}/login?next=%2F`, { method })
      expect([answer.status, answer.headers.location]).toEqual([
        status,
        `https://127.0.0.1:${port}/login?next=%2F`,
      ])
    }
    const forged = await ask(`http://127.0.0.1:${port}/`, { headers: { host: 'a/b@c' } })
    expect([forged.status, forged.headers.location]).toEqual([400, undefined])
  })

  it('a broken handshake disturbs nobody', async () => {
    const port = await start('tls = "self-signed"')
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(Buffer.from([0x16, 3, 1, 0xff, 0xff, 1, 2, 3]))
    socket.end()
    await new Promise((resolve) => socket.once('close', resolve))
    expect((await ask(`https://127.0.0.1:${port}/`)).status).toBe(200)
  })

  it('keeps its self-signed certificate over a restart, where only the panel reads it', async () => {
    const first = openPanelCertificate(
      await configWith('tls = "self-signed"'),
      createRecordingLog(),
    )
    const second = openPanelCertificate(
      await configWith('tls = "self-signed"'),
      createRecordingLog(),
    )
    expect(second?.pair).toEqual(first?.pair)
    const named = openPanelCertificate(await configWith('tls = "p.example"'), createRecordingLog())
    expect(named?.pair).not.toEqual(first?.pair)
    expect(statSync(join(directory, 'state/panel/self-signed-p.example.pem')).mode & 0o777).toBe(
      0o600,
    )
  })

  it('shows the certificate of its name as soon as there is one', async () => {
    const port = await start('tls = "panel.example"')
    const before = await ask(`https://127.0.0.1:${port}/`)
    expect(before.shown).toBe('panel.example')
    const root = makeCertificate({ names: ['Root'], authority: true })
    const made = makeCertificate({
      names: ['panel.example'],
      addresses: ['127.0.0.1'],
      issuer: root,
    })
    const handed = createPanelTls(await configWith('tls = "panel.example"'), null)
    expect(handed?.name).toBe('panel.example')
    await handed?.take({ leaf: made.certificate, chain: '', key: made.key })
    expect(statSync(join(directory, 'secrets/panel-tls.pem')).mode & 0o777).toBe(0o600)
    await eventually('the new certificate', () =>
      ask(`https://127.0.0.1:${port}/`, { ca: root.certificate }).then(
        () => true,
        () => false,
      ),
    )
  })

  it('takes files of its own, and says when they do not fit', async () => {
    const own = makeCertificate({ names: ['own.example'], addresses: ['127.0.0.1'] })
    const other = makeCertificate({ names: ['other.example'] })
    writeFileSync(join(directory, 'own.pem'), own.certificate)
    writeFileSync(join(directory, 'own.key'), own.key)
    const lines =
      'tls = "own.example"\ntls_certificate = "own.pem"\ntls_certificate_key = "own.key"'
    const port = await start(lines)
    const { status } = await ask(`https://127.0.0.1:${port}/`, { ca: own.certificate })
    expect(status).toBe(200)
    // Nothing is obtained where one's own files are used.
    expect(createPanelTls(await configWith(lines), null)).toBeNull()
    writeFileSync(join(directory, 'own.key'), other.key)
    const config = await configWith(lines)
    expect(() => openPanelCertificate(config, createRecordingLog())).toThrow(/tls_certificate/)
  })
})
