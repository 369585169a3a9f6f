import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import { get } from './support/get.ts'
import { splitResponses } from './support/raw-client.ts'
import { siteToml } from './support/static-web.ts'
import { eventually } from './support/web-process.ts'
import { shareStaticWeb, web } from './support/shared-web.ts'

shareStaticWeb()

describe('TLS', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n'
  const secure = (name: string, alpn: string[] = [], request = GET) =>
    new Promise<{ subject: string; protocol: string | false; text: string }>((resolve, reject) => {
      const socket = connectTls({
        port: web.sslPort,
        host: '127.0.0.1',
        servername: name,
        rejectUnauthorized: false,
        ...(alpn.length > 0 ? { ALPNProtocols: alpn } : {}),
      })
      let text = ''
      socket.on('error', reject)
      socket.on('secureConnect', () => {
        const { CN } = socket.getPeerCertificate().subject
        const subject = String(CN)
        socket.write(request.replace('HOST', name))
        socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
        socket.on('end', () => resolve({ subject, protocol: socket.alpnProtocol ?? false, text }))
      })
    })
  const writeCertificate = (commonName: string): string => {
    const { key, cert } = createSelfSigned(commonName)
    writeFileSync(join(web.directory, 'state/s.key'), key)
    writeFileSync(join(web.directory, 'state/s.crt'), cert)
    return `ssl_certificate = "${web.directory}/state/s.crt"\nssl_certificate_key = "${web.directory}/state/s.key"`
  }

  it("shows each virtual host's own certificate, and another to unknown names", async () => {
    web.writeHosts('s', siteToml(web, 's.test', writeCertificate('s.test')))
    await web.control('POST', '/reload')
    expect((await secure('s.test', ['http/1.1'])).protocol).toBe('http/1.1')
    for (let round = 0; round < 2; round++) {
      const answer = await secure('s.test')
      expect(answer.subject).toBe('s.test')
      expect(splitResponses(answer.text)[0]).toMatchObject({ status: 200, body: '<p>a page</p>' })
    }
    // What the strict parser does not take goes to the general server, over TLS too.
    const post =
      'POST / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc'
    expect(splitResponses((await secure('s.test', [], post)).text)[0]?.status).toBe(405)
    const unknown = await secure('unknown.test')
    expect(unknown.subject).toBe('localhost')
    expect(splitResponses(unknown.text)[0]?.status).toBe(404)
    // Renewed under the same name.
    writeCertificate('renewed.test')
    await web.control('POST', '/reload')
    expect((await secure('s.test')).subject).toBe('renewed.test')
  })

  it('says at the start which certificate cannot be used, and serves the others', async () => {
    const lines = writeCertificate('s.test')
    writeFileSync(join(web.directory, 'state/s.key'), createSelfSigned('other').key)
    web.writeHosts('s', siteToml(web, 's.test', lines))
    await web.end()
    await web.startAgain()
    await eventually('it says so', () => web.output().includes('The certificate of s.test ('))
    expect((await get(web.port, 'm.test')).status).toBe(200)
  })

  it('refuses a reload to a certificate that cannot be used', async () => {
    const lines = writeCertificate('s.test')
    writeFileSync(join(web.directory, 'state/s.key'), createSelfSigned('other').key)
    web.writeHosts('s', siteToml(web, 's.test', lines))
    const refused = await web.control('POST', '/reload')
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain('certificate of s.test')
  })

  it('sends http to https where a host wants it', async () => {
    web.writeHosts(
      's',
      siteToml(web, 's.test', `redirect_https = true\n${writeCertificate('s.test')}`),
    )
    await web.control('POST', '/reload')
    const answer = await get(web.port, 's.test', '/a?b=c')
    expect(answer).toMatchObject({
      status: 301,
      headers: { location: `https://s.test:${web.sslPort}/a?b=c` },
    })
    expect(splitResponses((await secure('s.test')).text)[0]?.status).toBe(200)
    expect((await get(web.port, 's.test', '/')).status).toBe(301)
  })
})
