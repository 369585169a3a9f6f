import {
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCertificate } from './support/certificates.ts'
import { get as getAndClose, KeptConnection } from './support/get.ts'
import { H2Client } from './support/h2-client.ts'
import { exchange, splitResponses, type RawResponse } from './support/raw-client.ts'
import { eventually, startWeb, type WebProcess } from './support/web-process.ts'

let web: WebProcess
let h2: H2Client
/** On a connection that may be kept: others go the slow path. */
const get = async (host: string, path: string, fields = ''): Promise<RawResponse> => {
  const kept = new KeptConnection(web.port, host)
  const answer = await kept.get(path, fields)
  kept.close()
  return answer
}
const rootOf = (site: string): string => join(web.directory, 'home', site)

const siteOf = (site: string, more = '', php = ''): string => `
[[virtualhost]]
domain = "${site}.test"
root = "${rootOf(site)}"
home = "${rootOf(site)}"
${more}
[virtualhost.php]
enable = false
${php}
`
const reload = async (site: string, toml: string): Promise<void> => {
  web.writeHosts(site, toml)
  expect((await web.control('POST', '/reload')).status).toBe(200)
}

beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  for (const site of ['a', 'b']) mkdirSync(rootOf(site), { recursive: true })
  const certificate = writeCertificate(web, 'a', 'a.test')
  web.writeHosts('a', siteOf('a', `htaccess = true\naliases = ["www.a.test"]\n${certificate}`))
  await reload('b', siteOf('b'))
  h2 = await H2Client.open(web.sslPort, 'a.test')
})
afterAll(async () => {
  h2?.close()
  await web?.remove()
})

/** In place of what is there, in one step; older than a second, so that its tag is strong. */
const put = (site: string, name: string, content: string, age = 3600): void => {
  const path = join(rootOf(site), name)
  writeFileSync(`${path}.new`, content)
  const time = Date.now() / 1000 - age
  utimesSync(`${path}.new`, time, time)
  renameSync(`${path}.new`, path)
}

/**
 * An answer that was given again: of a file that had been replaced when it was
 * asked for. Tried until it succeeds, since a second may pass in between.
 */
const remembered = async <T>(
  name: string,
  prime: () => Promise<unknown>,
  ask: () => Promise<T>,
  isOld: (answer: T) => boolean,
): Promise<T> => {
  let answer: T | undefined
  await eventually(`${name} is given again`, async () => {
    put('a', name, 'old content', 7200)
    await eventually('the old file is seen', async () =>
      (await get('a.test', `/${name}`)).body.startsWith('old'),
    )
    await prime()
    put('a', name, 'new content')
    answer = await ask()
    return isOld(answer)
  })
  return answer as T
}
const seen = (name: string, what: (answer: RawResponse) => boolean): Promise<void> =>
  eventually(`/${name} changes`, async () => what(await get('a.test', `/${name}`)))

describe('small files', () => {
  it('are given again within a second as they were given first, and then as they are', async () => {
    put('a', 'same.css', 'old content', 7200)
    const first = await get('a.test', '/same.css')
    const ask = (): Promise<RawResponse> => get('a.test', '/same.css')
    const kept = new KeptConnection(web.port, 'a.test')
    const again = await remembered(
      'same.css',
      ask,
      () => kept.get('/same.css'),
      ({ body }) => body.startsWith('old'),
    )
    kept.close()
    expect(first.headers).toMatchObject({
      'x-cache': 'MISS',
      'content-type': 'text/css; charset=utf-8',
    })
    expect(Object.keys(again.headers).sort()).toEqual(Object.keys(first.headers).sort())
    await seen('same.css', ({ body }) => body === 'new content')
    for (let i = 0; i < 5; i++) expect((await ask()).body).toBe('new content')
  })

  it('answer HEAD and conditions too', async () => {
    const fields = 'Host: a.test\r\nConnection: keep-alive\r\n'
    const prime = (): Promise<RawResponse> => get('a.test', '/head.css')
    const kept = new KeptConnection(web.port, 'a.test')
    let etag = ''
    const head = await remembered(
      'head.css',
      async () => {
        etag = (await prime()).headers['etag'] ?? ''
      },
      async () =>
        splitResponses(await exchange(web.port, `HEAD /head.css HTTP/1.1\r\n${fields}\r\n`), [
          'HEAD',
        ])[0],
      (answer) => answer?.headers['etag'] === etag,
    )
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '11' } })
    const unchanged = await remembered(
      'head.css',
      async () => {
        etag = (await prime()).headers['etag'] ?? ''
      },
      () => kept.get('/head.css', `If-None-Match: ${etag}\r\n`),
      ({ status }) => status === 304,
    )
    kept.close()
    expect(unchanged.headers).toMatchObject({ etag, 'x-cache': 'MISS' })
    expect(unchanged.headers['content-type']).toBeUndefined()
    expect(unchanged.body).toBe('')
  })

  it('are given again with a query and over HTTP/2, with what the page cache says of each', async () => {
    const query = (): Promise<RawResponse> => get('a.test', '/v.css?ver=1.2')
    const kept = new KeptConnection(web.port, 'a.test')
    const again = await remembered(
      'v.css',
      query,
      () => kept.get('/v.css?ver=1.3'),
      ({ body }) => body.startsWith('old'),
    )
    kept.close()
    expect(again.headers['cache-status']).toBe('berth; fwd=bypass; detail=query')
    const over2 = await remembered(
      'v.css',
      () => h2.get('/v.css'),
      () => h2.get('/v.css'),
      ({ body }) => body.startsWith('old'),
    )
    expect(over2).toMatchObject({ status: 200, code: 0 })
    expect(over2.headers['x-cache']).toBe('MISS')
  })

  it('are logged and counted like all answers', async () => {
    const taken = await web.control('POST', '/traffic', { acknowledged: null })
    const { batch } = taken.body as { batch: string }
    put('b', 'log.css', 'x'.repeat(1000))
    const kept = new KeptConnection(web.port, 'b.test')
    for (let i = 0; i < 20; i++) await kept.get('/log.css')
    kept.close()
    const next = await web.control('POST', '/traffic', { acknowledged: batch })
    expect((next.body as { bytes: Record<string, number> }).bytes['b.test']).toBe(20_000)
    const file = join(web.directory, 'log/web/access.log')
    const lines = (): string[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"GET /log.css HTTP/1.1" 200 1000 "-" "-" b.test MISS 0.'))
    await eventually('all lines are there', () => lines().length === 20)
  })

  it('of two hundred kilobytes come whole every time', async () => {
    const body = 'abcdefghij'.repeat(20_000)
    put('a', 'large.css', body)
    const kept = new KeptConnection(web.port, 'a.test')
    for (let i = 0; i < 20; i++) expect((await kept.get('/large.css')).body === body).toBe(true)
    kept.client.text = ''
    const request = 'GET /large.css HTTP/1.1\r\nHost: a.test\r\n\r\n'
    kept.client.write(request.repeat(10))
    const answers = (text: string): RawResponse[] => splitResponses(text)
    await kept.client.until((text) => {
      const found = answers(text)
      return found.length === 10 && found.every(({ complete }) => complete)
    })
    expect(answers(kept.client.text).every((answer) => answer.body === body)).toBe(true)
    kept.close()
  })
})

describe('a remembered file is no longer given', () => {
  const ask = (name: string): Promise<RawResponse> => get('a.test', `/${name}`)
  const isOld = ({ body }: RawResponse): boolean => body.startsWith('old')
  const given = (name: string): Promise<RawResponse> =>
    remembered(
      name,
      () => ask(name),
      () => ask(name),
      isOld,
    )

  it('soon after it was deleted, or replaced by a link that leads out of the home', async () => {
    await given('gone.css')
    rmSync(join(rootOf('a'), 'gone.css'))
    await seen('gone.css', ({ status }) => status === 404)
    await given('link.css')
    const path = join(rootOf('a'), 'link.css')
    put('b', 'secret.css', 'of another')
    symlinkSync(join(rootOf('b'), 'secret.css'), `${path}.link`)
    renameSync(`${path}.link`, path)
    await seen('link.css', ({ status }) => status === 404)
  })

  it('soon after an .htaccess beside it denies it, and never to those whom rules tell apart', async () => {
    mkdirSync(join(rootOf('a'), 'd'))
    const rules = join(rootOf('a'), 'd/.htaccess')
    await given('d/closed.css')
    writeFileSync(rules, 'Require all denied\n')
    await seen('d/closed.css', ({ status }) => status === 403)
    writeFileSync(
      rules,
      'RewriteEngine on\nRewriteCond %{HTTP_USER_AGENT} Bad [OR]\nRewriteCond %{QUERY_STRING} bad\nRewriteRule ^ - [F]\nHeader echo X-Me\n',
    )
    await seen('d/closed.css', ({ status }) => status === 200)
    for (let i = 0; i < 5; i++) {
      const of = (path: string, fields = ''): Promise<RawResponse> => get('a.test', path, fields)
      expect((await of('/d/closed.css', 'X-Me: anna\r\n')).headers['x-me']).toBe('anna')
      expect((await of('/d/closed.css')).headers['x-me']).toBeUndefined()
      expect((await of('/d/closed.css', 'User-Agent: Bad\r\n')).status).toBe(403)
      expect((await of('/d/closed.css?good')).status).toBe(200)
      expect((await of('/d/closed.css?bad')).status).toBe(403)
    }
    rmSync(rules)
  })

  it('with other headers after a reload, nor at all when the site is suspended', async () => {
    put('b', 'r.css', 'content')
    const kept = new KeptConnection(web.port, 'b.test')
    await kept.get('/r.css')
    for (const value of ['one', 'two', 'three']) {
      await reload('b', siteOf('b', '', `[virtualhost.headers]\nx-edition = "${value}"`))
      for (let i = 0; i < 3; i++)
        expect((await kept.get('/r.css')).headers['x-edition']).toBe(value)
    }
    await reload('b', siteOf('b', 'suspended = true'))
    expect((await kept.get('/r.css')).status).toBe(503)
    await reload('b', siteOf('b'))
    expect((await get('b.test', '/r.css')).status).toBe(200)
    kept.close()
  })

  it('soon after it belongs to somebody else', async () => {
    if (process.getuid?.() !== 0) return
    const owner = 64_331
    mkdirSync(rootOf('c'))
    put('c', 'o.css', 'content')
    chownSync(join(rootOf('c'), 'o.css'), owner, owner)
    await reload('c', siteOf('c', `username = "c"\nuid = ${owner}`))
    expect((await get('c.test', '/o.css')).status).toBe(200)
    chownSync(join(rootOf('c'), 'o.css'), owner + 1, owner)
    await eventually('it is refused', async () => (await get('c.test', '/o.css')).status === 404)
  })
})

describe('sites', () => {
  it('never get one another’s files of the same path', async () => {
    put('a', 'x.css', 'of a')
    put('b', 'x.css', 'of b')
    for (let i = 0; i < 20; i++) {
      expect((await get('a.test', '/x.css')).body).toBe('of a')
      expect((await get('b.test', '/x.css')).body).toBe('of b')
      expect((await get('www.a.test', '/x.css')).body).toBe('of a')
      expect((await get('stranger.test', '/x.css')).body).not.toContain('of ')
    }
  })
})

describe('large files', () => {
  const SIZE = 20_000_000
  const content = Buffer.from(
    Array.from({ length: SIZE / 8 }, (_, i) => String(i).padStart(8, '0')).join(''),
  )

  it('come whole to many clients at once, plain and over TLS, also in part', async () => {
    writeFileSync(join(rootOf('a'), 'big.bin'), content)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => getAndClose(web.port, 'a.test', '/big.bin')),
    )
    const text = content.toString('latin1')
    expect(answers.every(({ body }) => body === text)).toBe(true)
    const part = await getAndClose(
      web.port,
      'a.test',
      '/big.bin',
      'Range: bytes=1000000-9000000\r\n',
    )
    expect(part.status).toBe(206)
    expect(part.body === text.slice(1_000_000, 9_000_001)).toBe(true)
    const bytes = 'GET /big.bin HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'
    const secure = await exchange(web.sslPort, bytes, { servername: 'a.test', halfClose: false })
    expect(splitResponses(secure)[0]?.body === text).toBe(true)
    const client = await H2Client.open(web.sslPort, 'a.test')
    const over2 = await client.get('/big.bin')
    client.close()
    expect([over2.status, over2.code, over2.body.length]).toEqual([200, 0, SIZE])
    expect(over2.body === text).toBe(true)
  })

  it('that become shorter meanwhile break the connection, and leave no descriptor open', async () => {
    const path = join(rootOf('a'), 'shrinks.bin')
    const descriptors = async (): Promise<number> => {
      const { readdirSync } = await import('node:fs')
      const [worker] = web.workers()
      return readdirSync(`/proc/${worker}/fd`).length
    }
    await get('a.test', '/x.css')
    const before = await descriptors()
    for (let i = 0; i < 3; i++) {
      writeFileSync(path, content)
      const kept = new KeptConnection(web.port, 'a.test')
      await kept.connected()
      kept.client.socket.pause()
      kept.client.write('GET /shrinks.bin HTTP/1.1\r\nHost: a.test\r\n\r\n')
      await get('a.test', '/x.css')
      writeFileSync(path, 'short')
      kept.client.socket.resume()
      await kept.client.closed
      expect(kept.client.text.length).toBeLessThan(SIZE)
      kept.close()
    }
    for (let i = 0; i < 3; i++) {
      writeFileSync(path, content)
      const kept = new KeptConnection(web.port, 'a.test')
      kept.client.write('GET /shrinks.bin HTTP/1.1\r\nHost: a.test\r\n\r\n')
      await kept.client.until((text) => text.length > 0)
      kept.close()
    }
    await eventually('everything is closed', async () => (await descriptors()) <= before)
  })
})
