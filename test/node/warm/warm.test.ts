import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { get, KeptConnection } from '../web-server/support/get.ts'
import { phpHost } from '../web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { manage, prepareWarmSite, warmed, warmStats, type WarmSite } from './support/warm-site.ts'

const WARM = '/api/v1/cache/warm'
const BROWSER = [
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language: de,en-US;q=0.7,en;q=0.3',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'DNT: 1',
  'Sec-GPC: 1',
  'Upgrade-Insecure-Requests: 1',
  'Sec-Fetch-Dest: document',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Site: none',
  'Sec-Fetch-User: ?1',
  'Referer: https://search.example/',
  'Priority: u=0, i',
  'Cookie: _ga=GA1.2.3; _gid=x',
].join('\r\n')

let site: WarmSite
let web: WebProcess | null = null
/** `workers`: several where the test is about all of them having a page. */
const start = async (cache = '', workers = 1): Promise<WebProcess> => {
  web = await startWeb({ workers, cache, more: phpHost(php, 'p.test', 'aliases = ["www.p.test"]') })
  return web
}
sharePhpSite()
beforeAll(async () => {
  site = prepareWarmSite(php)
})
beforeEach(() => site.reset())
afterEach(async () => {
  await web?.remove()
  web = null
})

/** Paths whose script ran. */
const ran = (): string[] =>
  site
    .events()
    .filter(({ what }) => what === 'begin')
    .map(({ path }) => path)

describe('warmed pages', () => {
  it.each([
    ['disk', ''],
    ['memory', 'storage = "memory"'],
  ])('are hits for browsers at every worker (%s)', async (_name, cache) => {
    const server = await start(cache, 3)
    const asked = await manage(server, 'POST', `${WARM}?url=/a&url=/b&domain=p.test`)
    expect(asked).toMatchObject({
      status: 200,
      body: { queued: 2, duplicates: 0, rejected: [] },
    })
    const stats = await warmed(server)
    expect(stats).toMatchObject({ done: 2, failed: 0, skipped: 0 })
    expect(ran().sort()).toEqual(['/a', '/b'])
    // Twenty connections: whichever worker accepts them has the page.
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        get(server.port, 'p.test', i % 2 ? '/a' : '/b', `${BROWSER}\r\n`),
      ),
    )
    expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(Array(20).fill('HIT'))
    expect(ran()).toHaveLength(2)
  })

  it('are replaced in place: the old one is served until the new one is there', async () => {
    const server = await start('warm_dedupe_window_secs = 0', 3)
    const kept = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const connection = new KeptConnection(server.port, 'p.test')
        await connection.get('/page')
        return connection
      }),
    )
    site.set('version', '2')
    site.set('wait', '700')
    await manage(server, 'POST', `${WARM}?url=http://p.test/page`)
    await eventually('the script runs', () => ran().length === 2)
    for (const connection of kept) {
      const meanwhile = await connection.get('/page')
      expect(meanwhile.headers['x-cache']).toBe('HIT')
      expect(meanwhile.body).toContain('version 1')
    }
    expect((await warmStats(server)).running).toBe(1)
    await warmed(server)
    for (const connection of kept) {
      await eventually('the new page is served', async () =>
        (await connection.get('/page')).body.includes('version 2'),
      )
      expect((await connection.get('/page')).headers['x-cache']).toBe('HIT')
      connection.close()
    }
    expect(ran()).toHaveLength(2)
  })

  it('stay as they were when the new one fails', async () => {
    const server = await start('warm_max_retries = 0')
    await get(server.port, 'p.test', '/page')
    site.failNext('/page', 1)
    await manage(server, 'POST', `${WARM}?url=http://p.test/page`)
    const stats = await warmed(server)
    expect(stats.targets.at(-1)).toMatchObject({ state: 'failed', reason: 'answered 502' })
    expect((await get(server.port, 'p.test', '/page')).headers['x-cache']).toBe('HIT')
  })
})

describe('targets', () => {
  it('run at most warm_max_concurrency at a time, timed out ones included', async () => {
    const server = await start(
      'warm_max_concurrency = 2\nwarm_request_timeout_ms = 100\nwarm_max_retries = 0',
    )
    site.set('wait', '500')
    const urls = Array.from({ length: 6 }, (_, i) => `/c${i}`)
    await manage(server, 'POST', WARM, { urls, domain: 'p.test' })
    const stats = await warmed(server)
    expect(stats).toMatchObject({ failed: 6, done: 0 })
    expect(stats.targets[0]?.reason).toBe('no answer within 100 ms')
    expect(site.most()).toBe(2)
  })

  it('beyond warm_max_queue_size are handed back, and a full queue says so', async () => {
    const server = await start('warm_max_queue_size = 2\nwarm_max_concurrency = 1')
    site.set('wait', '1500')
    await manage(server, 'POST', `${WARM}?url=/q0&domain=p.test`)
    await eventually('the script runs', () => ran().length === 1)
    const urls = ['/q1', '/q2', '/q3', 'http://www.p.test/q4']
    const { body } = await manage(server, 'POST', WARM, { urls, domain: 'p.test' })
    expect(body).toEqual({
      queued: 2,
      duplicates: 0,
      rejected: [
        { url: 'http://p.test/q3', reason: 'queue full' },
        { url: 'http://www.p.test/q4', reason: 'queue full' },
      ],
      queue_size: 2,
    })
    const full = await manage(server, 'POST', `${WARM}?url=/q5&domain=p.test`)
    expect(full.status).toBe(503)
    expect(full.body['error']).toContain('warm_max_queue_size')
    expect(await warmStats(server)).toMatchObject({ rejected: 3, queue_size: 2, running: 1 })
  })

  it('that fail are repeated', async () => {
    const server = await start('warm_max_retries = 3\nwarm_retry_backoff_ms = 20')
    site.failNext('/flaky', 2)
    await manage(server, 'POST', WARM, { urls: ['/flaky'], domain: 'p.test' })
    const stats = await warmed(server)
    expect(stats).toMatchObject({ done: 1, failed: 0, retried: 2 })
    expect(stats.targets.at(-1)).toMatchObject({ state: 'done', attempts: 3, reason: null })
  })

  it('survive the death of the worker that fills them', async () => {
    const server = await start('warm_retry_backoff_ms = 20', 3)
    site.set('wait', '600')
    await manage(server, 'POST', `${WARM}?url=/slow&domain=p.test`)
    await eventually('the script runs', () => ran().length === 1)
    site.set('wait', '0')
    for (const worker of server.workers()) process.kill(worker, 'SIGKILL')
    const stats = await warmed(server)
    expect(stats).toMatchObject({ done: 1 })
    expect((await get(server.port, 'p.test', '/slow')).headers['x-cache']).toBe('HIT')
  })
})

describe('with nothing configured, targets', () => {
  let server: WebProcess
  beforeAll(async () => {
    const off = phpHost(php, 'off.test', '[virtualhost.cache]\nenable = false')
    server = await startWeb({ workers: 1, more: `${phpHost(php, 'p.test')}${off}` })
  })
  afterAll(() => server.remove())

  it('are made as for a stranger, never as this machine', async () => {
    await manage(server, 'POST', `${WARM}?url=/who&domain=p.test`)
    await warmed(server)
    const { body } = await get(server.port, 'p.test', '/who')
    expect(body).toContain('ip 192.0.2.1')
    expect(body).toMatch(/ host p\.test$/)
  })

  it('of other hosts and other services are rejected, each with its reason', async () => {
    const urls = [
      'http://evil.test/',
      'http://127.0.0.1:22/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'http://p.test:1/',
      'http://user@p.test/',
      'http://p.test\\@evil.test/',
      'ftp://p.test/',
      '//evil.test/',
      '/a?b=c',
      '/../etc/passwd',
      'http://off.test/',
      'p.test/x',
    ]
    const { status, body } = await manage(server, 'POST', WARM, { urls, domain: 'p.test' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ queued: 0, duplicates: 0 })
    const rejected = body['rejected'] as { url: string; reason: string }[]
    expect(rejected.map(({ url }) => url)).toEqual(urls)
    expect(rejected.every(({ reason }) => reason.length > 10)).toBe(true)
    expect(ran()).toEqual([])
  })

  it('that redirect, set cookies or are gone are not repeated, and nothing is followed', async () => {
    const before = await warmStats(server)
    const urls = ['/moved', '/account', '/gone']
    await manage(server, 'POST', WARM, { urls, domain: 'p.test', trigger: 'after deploy' })
    const stats = await warmed(server)
    expect({
      done: stats.done - before.done,
      failed: stats.failed - before.failed,
      skipped: stats.skipped - before.skipped,
      retried: stats.retried - before.retried,
    }).toEqual({ done: 0, failed: 1, skipped: 2, retried: 0 })
    const byPath = Object.fromEntries(
      stats.targets
        .slice(-urls.length)
        .map(({ url, reason, trigger }) => [new URL(url).pathname, [reason, trigger]]),
    )
    expect(byPath).toEqual({
      '/moved': ['redirects (302), which is not followed', 'after deploy'],
      '/account': ['not cacheable: set-cookie', 'after deploy'],
      '/gone': ['answered 404', 'after deploy'],
    })
  })

  it('may be asked for again after a purge, before the window ends', async () => {
    const ask = () => manage(server, 'POST', `${WARM}?url=/a&domain=p.test`)
    await ask()
    await warmed(server)
    expect((await ask()).body).toMatchObject({ queued: 0, duplicates: 1 })
    await manage(server, 'POST', '/api/v1/cache/purge?domain=p.test')
    expect((await ask()).body).toMatchObject({ queued: 1, duplicates: 0 })
    await warmed(server)
    expect((await get(server.port, 'p.test', '/a')).headers['x-cache']).toBe('HIT')
  })
})

describe('deterministic runs', () => {
  const prepare = (): void => {
    site.set(
      'sitemap.xml',
      '<?xml version="1.0"?><sitemapindex><sitemap><loc>http://p.test/child.xml</loc></sitemap></sitemapindex>',
    )
    site.set(
      'child.xml',
      `<urlset><url><loc>http://p.test/s1</loc></url><url><loc>http://evil.test/s2</loc></url>
       <url><loc>http://p.test/s&#51;</loc></url></urlset>`,
    )
    site.set(
      'links.html',
      '<a href="/l1">1</a><!-- <a href="/no">x</a> --><a href="http://other.test/">x</a><a href="l2#top">2</a>',
    )
  }

  it('take home page, sitemap and links, in this order, up to the batch size', async () => {
    prepare()
    const server = await start('warm_batch_size = 4\nwarm_max_concurrency = 1')
    const { body } = await manage(server, 'POST', `${WARM}?deterministic=1`)
    expect(body).toMatchObject({ queued: 4, deterministic: 'queued' })
    const stats = await warmed(server)
    expect(stats.targets.map(({ url }) => new URL(url).pathname)).toEqual([
      '/',
      '/s1',
      '/s3',
      '/l1',
    ])
    expect(stats.last_run).toMatchObject({ trigger: 'manual', queued: 4 })
    expect((await get(server.port, 'p.test', '/s3')).headers['x-cache']).toBe('HIT')
  })

  it('come by themselves every warm_schedule_secs', async () => {
    prepare()
    const server = await start('warm_schedule_secs = 1')
    await eventually('a scheduled run', async () => {
      const { last_run } = await warmStats(server)
      return last_run?.trigger === 'schedule' && last_run.finished_at !== null
    })
    await warmed(server)
    expect((await get(server.port, 'p.test', '/l2')).headers['x-cache']).toBe('HIT')
  })
})

it('warm_enabled = false closes the queue with a clear answer', async () => {
  const server = await start('warm_enabled = false\nwarm_schedule_secs = 1')
  const { status, body } = await manage(server, 'POST', `${WARM}?url=/a`)
  expect(status).toBe(409)
  expect(body['error']).toContain('cache.warm_enabled = false')
  expect(await warmStats(server)).toMatchObject({ enabled: false, next_run_at: null })
})
