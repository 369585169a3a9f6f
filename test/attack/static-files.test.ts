import {
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeCertificate } from '#test/node/web-server/support/certificates.ts'
import { get, KeptConnection } from '#test/node/web-server/support/get.ts'
import { H2Client } from '#test/node/web-server/support/h2-client.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { shareWeb, web } from '#test/node/web-server/support/shared-web.ts'
import { childrenOf } from '#test/support/processes-of.ts'

/** No accounts of this machine. */
const MALLORY = 64_341
const VICTIM = 64_342
const BIG_BYTES = 30_000_000

const homeOf = (account: string): string => join(web.directory, 'home', account)
const put = (account: string, uid: number, name: string, content: string | Buffer): void => {
  const path = join(homeOf(account), 'www', name)
  writeFileSync(`${path}.new`, content)
  const time = Date.now() / 1000 - 3600
  utimesSync(`${path}.new`, time, time)
  chownSync(`${path}.new`, uid, uid)
  renameSync(`${path}.new`, path)
}

shareWeb({ workers: 1 })
beforeAll(async () => {
  const hosts = (
    [
      ['mallory', MALLORY],
      ['victim', VICTIM],
    ] as const
  ).map(([account, uid]) => {
    mkdirSync(join(homeOf(account), 'www'), { recursive: true })
    for (const path of [homeOf(account), join(homeOf(account), 'www')]) chownSync(path, uid, uid)
    const certificate = writeCertificate(web, account, `${account}.test`)
    return `[[virtualhost]]\ndomain = "${account}.test"\nroot = "${homeOf(account)}/www"\nhome = "${homeOf(account)}"\nusername = "${account}"\nuid = ${uid}\n${certificate}\n[virtualhost.php]\nenable = false\n`
  })
  web.writeHosts('all', hosts.join('\n'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})

describe('a site whose files are remembered', () => {
  test('never shows another account’s, whatever its own are exchanged for', async () => {
    put('victim', VICTIM, 'secret.css', 'the secret of the victim')
    put('mallory', MALLORY, 'mine.css', 'nothing special here')
    const www = join(homeOf('mallory'), 'www')
    const targets = [join(homeOf('victim'), 'www/secret.css'), '/etc/passwd', 'mine.css']
    let swapping = true
    const swap = (async () => {
      for (let i = 0; swapping; i++) {
        if (i % 4 === 3) put('mallory', MALLORY, 'x.css', 'nothing special here')
        else {
          symlinkSync(targets[i % 3] as string, join(www, 'link'))
          renameSync(join(www, 'link'), join(www, 'x.css'))
        }
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
    })()
    const kept = new KeptConnection(web.port, 'mallory.test')
    const h2 = await H2Client.open(web.sslPort, 'mallory.test')
    const statuses = new Set<number>()
    for (let i = 0; i < 400; i++) {
      const path = `/x.css${i % 3 === 0 ? `?v=${i}` : ''}`
      for (const { status, body } of [await kept.get(path), await h2.get(path)]) {
        statuses.add(status)
        if (status === 200) expect(body).toBe('nothing special here')
        expect(body).not.toMatch(/secret|root:/)
      }
    }
    swapping = false
    await swap
    kept.close()
    h2.close()
    expect(statuses).toContain(200)
  })

  test('asks everybody for the password, also behind one who has it', async () => {
    const www = join(homeOf('mallory'), 'www')
    mkdirSync(join(www, 'closed'))
    put('mallory', MALLORY, 'closed/.htpasswd', 'anna:$apr1$lZL6V/ci$eIMz/iKDkbtys/uU7LEK00\n')
    put(
      'mallory',
      MALLORY,
      'closed/.htaccess',
      `AuthType Basic\nAuthName closed\nAuthUserFile ${www}/closed/.htpasswd\nRequire valid-user\n`,
    )
    put('mallory', MALLORY, 'closed/a.css', 'for anna alone')
    const kept = new KeptConnection(web.port, 'mallory.test')
    const h2 = await H2Client.open(web.sslPort, 'mallory.test')
    const authorization = `Basic ${Buffer.from('anna:password').toString('base64')}`
    for (let i = 0; i < 10; i++) {
      const path = `/closed/a.css${i % 2 === 0 ? '' : '?v=1'}`
      const known = [
        await kept.get(path, `Authorization: ${authorization}\r\n`),
        await h2.get(path, { authorization }),
      ]
      const strangers = [
        await kept.get(path),
        await h2.get(path),
        await get(web.port, 'mallory.test', path),
      ]
      expect(known.map(({ status }) => status)).toEqual([200, 200])
      expect(strangers.map(({ status }) => status)).toEqual([401, 401, 401])
      for (const { body } of strangers) expect(body).not.toContain('anna')
    }
    kept.close()
    h2.close()
  })

  test('cannot fill the memory with queries, names and sizes', async () => {
    const rssBytes = (): number =>
      childrenOf(web.pid)
        .map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
        .reduce((sum, size) => sum + Number(size) * 1024, 0)
    const body = Buffer.alloc(250_000, 'x')
    for (let i = 0; i < 40; i++) put('mallory', MALLORY, `${i}.css`, body)
    const kept = new KeptConnection(web.port, 'mallory.test')
    const before = rssBytes()
    for (let i = 0; i < 1200; i++) {
      const answer = await kept.get(`/${i % 40}.css${i % 2 === 0 ? `?${i}` : ''}`)
      if (answer.status !== 200) throw new Error(`${i}: ${answer.status}`)
    }
    kept.close()
    // Were they kept by their queries, it would be 150 MB and more.
    expect(rssBytes() - before).toBeLessThan(130 * 2 ** 20)
  })
})

describe('readers of a large file', () => {
  /** Different everywhere, and in each file. */
  const contentOf = (letter: string): Buffer =>
    Buffer.from(
      Array.from({ length: BIG_BYTES / 10 }, (_, i) => letter + String(i).padStart(9, '0')).join(
        '',
      ),
    )

  test('that are slow get what they asked for while others use the buffers again', async () => {
    const content = contentOf('a')
    put('mallory', MALLORY, 'big.bin', content)
    put('victim', VICTIM, 'big.bin', contentOf('b'))
    let taken = 0
    let isRight = true
    const slow = connect(web.port, '127.0.0.1')
    slow.write('GET /big.bin HTTP/1.1\r\nHost: mallory.test\r\nConnection: close\r\n\r\n')
    let head: Buffer | null = Buffer.alloc(0)
    slow.on('data', (chunk: Buffer) => {
      let bytes = chunk
      if (head !== null) {
        head = Buffer.concat([head, chunk])
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        bytes = head.subarray(end + 4)
        head = null
      }
      isRight &&= bytes.equals(content.subarray(taken, taken + bytes.length))
      taken += bytes.length
      slow.pause()
      setTimeout(() => slow.resume(), 1)
    })
    const ended = new Promise((resolve) => slow.on('close', resolve))
    const fast = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) {
        const { body } = await get(web.port, 'victim.test', '/big.bin')
        expect([body.length, /a/.test(body)]).toEqual([BIG_BYTES, false])
      }
    }
    await Promise.all([ended, fast(), fast()])
    expect([taken, isRight]).toEqual([BIG_BYTES, true])
  })

  test('that take nothing hold little of it, and nothing once they are gone', async () => {
    const worker = web.workers()[0] ?? 0
    const rssBytes = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker}/status`, 'utf8'))?.[1]) * 1024
    const before = rssBytes()
    const status = async (): Promise<{ connections: number; requests: number }> =>
      (await web.control('GET', '/status')).body as { connections: number; requests: number }
    const { requests } = await status()
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect(web.port, '127.0.0.1')
      socket.pause()
      socket.write('GET /big.bin HTTP/1.1\r\nHost: mallory.test\r\n\r\n')
      return socket
    })
    await eventually('asked', async () => (await status()).requests >= requests + 60)
    expect(rssBytes() - before).toBeLessThan(100 * 2 ** 20)
    for (const socket of sockets) socket.destroy()
    await eventually('gone', async () => (await status()).connections === 0)
  })
})
