import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { startCacheSite, type CacheSite } from '../support/cache-site.ts'

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite()
})
afterAll(() => site?.stop())

let count = 0
const freshPath = (): string => `/fault-${++count}`
const visit = (path: string, fields = '', host = 'p.test') => get(site.web.port, host, path, fields)
const purge = (query: string) => site.web.management('POST', `/api/v1/cache/purge${query}`)
/** Asks until both workers have surely answered from their own memory. */
const everywhere = async (path: string): Promise<string[]> => {
  const answers = []
  for (let n = 0; n < 12; n++) answers.push((await visit(path)).headers['x-cache'] ?? 'none')
  return answers
}
const version = (path: string, text: string, headers = ''): void =>
  site.page(path, `${headers} echo ${JSON.stringify(text)};`)

describe('purges reach what they name, wherever it lies', () => {
  it.each(['X-Cache-Tag', 'Surrogate-Key', 'Cache-Tag', 'X-LiteSpeed-Tag'])(
    'a tag of %s, which no visitor sees',
    async (field) => {
      const path = freshPath()
      const tags = `header('${field}: one-${count} other-${count}');`
      version(path, 'old', tags)
      const first = await visit(path)
      expect(first.headers[field.toLowerCase()]).toBeUndefined()
      expect((await visit(path)).headers[field.toLowerCase()]).toBeUndefined()
      version(path, 'new', tags)
      expect((await purge(`?tag=unrelated-${count}`)).status).toBe(200)
      expect((await visit(path)).body).toBe('old')
      expect((await purge(`?tag=OTHER-${count}`)).status).toBe(200)
      expect((await visit(path)).body).toBe('new')
    },
  )

  it('entries that came up from the disk, by tag, by domain and by path', async () => {
    const path = freshPath()
    const ways = [`?tag=lifted`, `?domain=p.test`, `?domain=p.test&path=${path}`, '']
    for (const [n, way] of ways.entries()) {
      version(path, `v${n}`, `header('X-Cache-Tag: lifted');`)
      await visit(path)
      // A page on the disk alone: the workers' memory begins empty.
      await site.web.end()
      await site.web.startAgain()
      expect(await everywhere(path)).not.toContain('MISS')
      version(path, `v${n + 1}`, `header('X-Cache-Tag: lifted');`)
      expect((await purge(way)).status).toBe(200)
      for (let m = 0; m < 8; m++) expect((await visit(path)).body).toBe(`v${n + 1}`)
      await purge('')
    }
  })

  it('pages under an alias, when the primary domain is purged', async () => {
    const path = freshPath()
    for (const host of ['p.test', 'www.p.test']) await visit(path, '', host)
    await purge('?domain=p.test')
    for (const host of ['p.test', 'www.p.test']) {
      expect((await visit(path, '', host)).headers['x-cache']).toBe('MISS')
    }
  })

  it('and nothing else: a path alone is refused, so is a climbing one', async () => {
    const path = freshPath()
    await visit(path)
    await visit(path, '', 'q.test')
    for (const query of [
      `?path=${path}`,
      '?path=',
      '?domain=',
      '?tag=',
      '?domain=p.test&path=/../x',
      '?domain=p.test&path=/%2e%2e/x',
      '?domain=../../etc',
      '?all=1',
    ]) {
      expect((await purge(query)).status, query).toBe(400)
    }
    expect((await visit(path)).headers['x-cache']).toBe('HIT')
    await purge(`?domain=p.test&path=${path}`)
    expect((await visit(path)).headers['x-cache']).toBe('MISS')
    expect((await visit(path, '', 'q.test')).headers['x-cache']).toBe('HIT')
  })

  it('a fill that began before the purge is not kept', async () => {
    const path = freshPath()
    site.page(path, `echo 'old'; usleep(600000);`)
    const filling = visit(path)
    await eventually('PHP runs', () => site.runs(path) === 1)
    version(path, 'new')
    await purge('?domain=p.test')
    await filling
    for (let n = 0; n < 8; n++) expect((await visit(path)).body).toBe('new')
  })

  it('only for who may ask: not at a site, without the token or under another name', async () => {
    const path = freshPath()
    await visit(path)
    const { port, directory } = site.web
    const config = await site.web.management('GET', '/api/v1/cache/config')
    expect(config.status).toBe(200)
    for (const host of ['p.test', '127.0.0.1', 'localhost']) {
      const answer = await get(port, host, '/api/v1/cache/stats')
      // At a site it is the site's own path.
      expect(answer.body).not.toContain('hit_ratio')
      expect((await get(port, host, '/metrics')).body).not.toContain('berth_')
    }
    const api = Number(
      /\[api\]\s+listen = "127\.0\.0\.1:(\d+)"/.exec(
        readFileSync(join(directory, 'berth.toml'), 'utf8'),
      )?.[1],
    )
    for (const [target, fields] of [
      ['/api/v1/cache/purge', ''],
      ['/api/v1/cache/purge', 'Authorization: Bearer wrong\r\n'],
      ['/api/v1/cache/stats', 'Authorization: Basic YTpi\r\n'],
      ['/metrics', ''],
    ]) {
      expect((await get(api, '127.0.0.1', target, fields)).status).toBe(401)
    }
    expect((await get(api, 'evil.test', '/api/v1/status')).status).toBe(400)
    expect((await visit(path)).headers['x-cache']).toBe('HIT')
  })
})

describe('hits are the page, whole', () => {
  it('with every header, repeated ones too', async () => {
    const path = freshPath()
    site.page(
      path,
      `header('Link: </a.css>; rel=preload'); header('Link: </b.js>; rel=preload', false);
       header('Content-Security-Policy: default-src \\'self\\''); header('X-Frame-Options: DENY');
       header('Content-Language: de'); header('X-Powered-By: site'); header('ETag: "v1"');
       header('Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT'); echo 'page';`,
    )
    const miss = await visit(path)
    const hit = await visit(path)
    expect(hit.headers['x-cache']).toBe('HIT')
    expect(hit.headers['link']).toBe('</a.css>; rel=preload, </b.js>; rel=preload')
    for (const [name, value] of Object.entries(miss.headers)) {
      if (['x-cache', 'cache-status', 'date', 'transfer-encoding', 'connection'].includes(name))
        continue
      expect(hit.headers[name], name).toBe(value)
    }
    expect(hit.headers).toHaveProperty('age')
    expect(hit.headers).toHaveProperty('date')
  })

  it('byte for byte, with 304 and ranges', async () => {
    const path = freshPath()
    site.page(path, `header('ETag: "b"'); for ($i = 0; $i < 512; $i++) echo chr($i % 256);`)
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256)).toString('latin1')
    expect((await visit(path)).body).toBe(bytes)
    expect((await visit(path)).body).toBe(bytes)
    const part = await visit(path, 'Range: bytes=10-19\r\n')
    expect([part.status, part.body]).toEqual([206, bytes.slice(10, 20)])
    expect((await visit(path, 'If-None-Match: "b"\r\n')).status).toBe(304)
    expect(site.runs(path)).toBe(1)
  })

  it.each([
    ['shorter than it says', `header('Content-Length: 1000'); echo str_repeat('a', 500);`],
    ['broken off by a fatal error', `echo str_repeat('a', 100000); flush(); undefined_function();`],
    [
      'cut by a worker that dies',
      `echo str_repeat('a', 100000); flush(); posix_kill(getmypid(), 9);`,
    ],
    ['out of time', `set_time_limit(1); echo str_repeat('a', 100000); flush(); while (true);`],
  ])('never a page that is %s', async (_what, code) => {
    const path = freshPath()
    site.page(path, code)
    await visit(path).catch(() => null)
    version(path, 'whole')
    const answer = await visit(path)
    expect([answer.headers['x-cache'], answer.body]).toEqual(['MISS', 'whole'])
  })

  it('an edited file is seen, and is a hit before and after', async () => {
    const file = join(site.root, 'static.html')
    writeFileSync(file, '<p>first</p>')
    await visit('/static.html')
    expect((await visit('/static.html')).headers['x-cache']).toBe('HIT')
    writeFileSync(file, '<p>second, longer</p>')
    // Each worker looks for itself; a dozen visits reach both.
    const dozen = async () => {
      const answers = []
      for (let n = 0; n < 12; n++) answers.push(await visit('/static.html'))
      return answers
    }
    const isNew = ({ body }: { body: string }): boolean => body === '<p>second, longer</p>'
    await eventually('the edit shows', async () => (await dozen()).every(isNew))
    await eventually('it is a hit for all', async () =>
      (await dozen()).every(({ headers }) => headers['x-cache'] === 'HIT'),
    )
    expect((await dozen()).every(isNew)).toBe(true)
  })
})

describe('bounded work', () => {
  it('runs PHP once for forty visitors at once, and once more for what cannot be shared', async () => {
    const path = freshPath()
    site.page(path, `usleep(300000); echo 'page';`)
    const answers = await Promise.all(Array.from({ length: 40 }, () => visit(path)))
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['page']))
    expect(site.runs(path)).toBe(1)
  })

  it('a reload by signal ends nothing and forgets nothing', async () => {
    const path = freshPath()
    await visit(path)
    const { pid } = site.web
    process.kill(pid, 'SIGHUP')
    for (let n = 0; n < 20; n++) expect((await visit(path)).headers['x-cache']).toBe('HIT')
    expect(site.web.pid).toBe(pid)
  })
})

describe('bounded space', () => {
  it('stays within the limits of memory and disk, goes on storing, and tells no secret', async () => {
    const small = await startCacheSite({
      cache:
        'memory_limit = "2M"\ndisk_limit = "4M"\nredis_url = "redis://u:hush-hush@127.0.0.1:1"\n',
    })
    try {
      const body = 'x'.repeat(40_000)
      for (let n = 0; n < 300; n++) {
        const path = `/filler-${n}`
        if (n < 1 || n > 297) small.page(path, `echo '${body}', ${n};`)
        else small.page(path, `echo str_repeat('y', 40000), ${n};`)
        expect((await get(small.web.port, 'p.test', path)).status).toBe(200)
      }
      const stats = await small.web.management('GET', '/api/v1/cache/stats')
      const { l1, l2 } = stats.body as Record<'l1' | 'l2', Record<string, number>>
      expect(l1['bytes']).toBeLessThanOrEqual(2 * 2 ** 20)
      expect(l2['bytes']).toBeLessThanOrEqual(4.4 * 2 ** 20)
      expect(l1['evictions']).toBeGreaterThan(100)
      expect(l2['evictions']).toBeGreaterThan(100)
      await eventually(
        'the files are bounded',
        () => sizeOf(join(small.web.directory, 'state/cache')) < 24 * 2 ** 20,
      )
      // The last one is there, the first one has gone and can come back.
      expect((await get(small.web.port, 'p.test', '/filler-299')).headers['x-cache']).toBe('HIT')
      expect((await get(small.web.port, 'p.test', '/filler-0')).headers['x-cache']).toBe('MISS')
      expect((await get(small.web.port, 'p.test', '/filler-0')).headers['x-cache']).toBe('HIT')
      const { body: config } = await small.web.management('GET', '/api/v1/cache/config')
      expect(JSON.stringify(config)).toContain('redis://u:***@')
      expect(JSON.stringify(config)).not.toContain('hush-hush')
    } finally {
      await small.stop()
    }
  })
})

const sizeOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
