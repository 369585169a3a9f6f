import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { writeCertificate } from './support/certificates.ts'
import { H2Client } from './support/h2-client.ts'
import { siteToml, startStaticWeb } from './support/static-web.ts'
import { eventually, startWeb, type WebProcess } from './support/web-process.ts'

let web: WebProcess
afterEach(() => web.remove())

const handshake = (options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      port: web.sslPort,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...options,
    })
    socket.once('error', reject)
    socket.once('secureConnect', () => resolve(socket))
  })

/** Common name that a handshake for `servername` shows. */
const shown = async (servername?: string): Promise<string> => {
  const socket = await handshake(servername === undefined ? {} : { servername })
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

describe('certificates', () => {
  it('that change on disk are shown to new connections; old connections go on', async () => {
    web = await startStaticWeb()
    const lines = writeCertificate(web, 's', 'first.test')
    web.writeHosts('s', siteToml(web, 's.test', `aliases = ["www.s.test"]\n${lines}`))
    web.writeHosts('bare', siteToml(web, 'bare.test'))
    await web.control('POST', '/reload')
    expect(await Promise.all(['s.test', 'WWW.s.test'].map(shown))).toEqual([
      'first.test',
      'first.test',
    ])
    // Without a certificate, unknown, and without a name: the placeholder.
    for (const name of ['bare.test', 'unknown.test', undefined]) {
      expect(await shown(name)).toBe('localhost')
    }
    const old = await H2Client.open(web.sslPort, 's.test')
    expect((await old.get('/')).status).toBe(200)

    writeCertificate(web, 's', 'second.test')
    await eventually('renewed', async () => (await shown('s.test')) === 'second.test')
    // Each worker notices for itself.
    await eventually('renewed at both', async () => {
      const all = await Promise.all(Array.from({ length: 12 }, () => shown('www.s.test')))
      return all.every((name) => name === 'second.test')
    })
    expect((await old.get('/')).status).toBe(200)
    expect(old.goneAway).toBe(false)
    old.close()
  })

  it('that are half written leave the one before in place and are logged once', async () => {
    web = await startStaticWeb()
    const lines = writeCertificate(web, 's', 'first.test')
    web.writeHosts('s', siteToml(web, 's.test', lines))
    await web.control('POST', '/reload')
    const [one = 0, other = 0] = web.workers()
    const shownBy = async (pid: number): Promise<string> => {
      const resting = pid === one ? other : one
      process.kill(resting, 'SIGSTOP')
      try {
        return await shown('s.test')
      } finally {
        process.kill(resting, 'SIGCONT')
      }
    }
    // One that had never read the old pair would have nothing to go on with.
    const both = async (name: string): Promise<boolean> =>
      (await shownBy(one)) === name && (await shownBy(other)) === name
    expect(await both('first.test')).toBe(true)
    writeCertificate(web, 'other', 'second.test')
    const complaints = (): number => web.output().split('a certificate cannot be used').length - 1
    // The certificate is new, the key is not yet.
    const state = (name: string): string => join(web.directory, 'state', name)
    const take = (name: string): void => {
      copyFileSync(state(`other.${name}`), state(`new.${name}`))
      // At once: half a file would be one more state to complain about.
      renameSync(state(`new.${name}`), state(`s.${name}`))
    }
    take('crt')
    await eventually('noticed', async () => {
      expect(await both('first.test')).toBe(true)
      return complaints() === 2
    })
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 600))
      expect(await both('first.test')).toBe(true)
    }
    expect(complaints()).toBe(2)
    take('key')
    await eventually('whole again', () => both('second.test'))
    // Gone is no reason to stop either.
    rmSync(state('s.crt'))
    await eventually('missing', async () => {
      expect(await both('second.test')).toBe(true)
      return complaints() === 4
    })
  })
})

describe('sessions', () => {
  it('resume at another worker, in both versions', async () => {
    web = await startStaticWeb()
    const [one = 0, other = 0] = web.workers()
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      process.kill(other, 'SIGSTOP')
      const options = { servername: 'm.test', maxVersion, ALPNProtocols: ['h2'] }
      const first = await handshake(options)
      const session =
        maxVersion === 'TLSv1.2'
          ? first.getSession()
          : await new Promise<Buffer>((resolve) => first.once('session', resolve))
      if (session === undefined) throw new Error('no session')
      process.kill(other, 'SIGCONT')
      process.kill(one, 'SIGSTOP')
      const second = await handshake({ ...options, session })
      expect([second.isSessionReused(), second.getProtocol(), second.alpnProtocol]).toEqual([
        true,
        maxVersion,
        'h2',
      ])
      process.kill(one, 'SIGCONT')
      first.destroy()
      second.destroy()
    }
  })
})

describe('[ssl] protocols', () => {
  const protocols = async (list: string): Promise<Record<string, string | null>> => {
    web = await startWeb({ workers: 1, more: `[ssl]\nprotocols = ${list}\n` })
    const found: Record<string, string | null> = {}
    for (const version of ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      try {
        const socket = await handshake({
          minVersion: version,
          maxVersion: version,
          // The client would not even offer 1.1 otherwise.
          ciphers: 'DEFAULT@SECLEVEL=0',
          ALPNProtocols: ['h2', 'http/1.1'],
        })
        found[version] = String(socket.alpnProtocol)
        socket.destroy()
      } catch {
        found[version] = null
      }
    }
    return found
  }

  it('allow 1.2 and 1.3 and nothing older, with forward secrecy only', async () => {
    expect(await protocols('["TLSv1.2", "TLSv1.3"]')).toEqual({
      'TLSv1.1': null,
      'TLSv1.2': 'h2',
      'TLSv1.3': 'h2',
    })
    for (const ciphers of [
      'AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-RSA-AES256-SHA384',
    ]) {
      await expect(handshake({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow()
    }
    const socket = await handshake({ maxVersion: 'TLSv1.2' })
    expect(socket.getCipher().name).toBe('ECDHE-ECDSA-AES128-GCM-SHA256')
    socket.destroy()
  })

  it('allow 1.2 alone', async () => {
    expect(await protocols('["TLSv1.2"]')).toEqual({
      'TLSv1.1': null,
      'TLSv1.2': 'h2',
      'TLSv1.3': null,
    })
  })

  it('allow 1.3 alone', async () => {
    expect(await protocols('["TLSv1.3"]')).toEqual({
      'TLSv1.1': null,
      'TLSv1.2': null,
      'TLSv1.3': 'h2',
    })
  })
})
