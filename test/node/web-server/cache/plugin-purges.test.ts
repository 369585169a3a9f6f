import { mkdirSync, writeFileSync } from 'node:fs'
import { request, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { phpHost } from '../support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'

/** A page that says what it was made from, with the fields that `?`-less requests name in a file. */
const PAGE = `<?php
$dir = __DIR__ . '/../state/';
$name = trim(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), '/');
foreach (file($dir . $name . '.fields') ?: [] as $line) header(trim($line), false);
echo trim(file_get_contents($dir . 'version'));
`
/** Sends the fields and the status that the query asks for, as a plugin's answer to an action does. */
const ACT = `<?php
header('Content-Type: text/html');
foreach ($_GET['f'] ?? [] as $line) header($line, false);
http_response_code((int) ($_GET['s'] ?? 200));
echo 'done';
`

interface PluginResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

let web: WebProcess
let groups: Awaited<ReturnType<typeof connectionsPerWorker>>

sharePhpSite()
beforeAll(async () => {
  writeFileSync(join(php.root, 'index.php'), PAGE)
  writeFileSync(join(php.root, 'act.php'), ACT)
  writeFileSync(join(php.root, 'vars.php'), '<?php echo json_encode($_SERVER);')
  mkdirSync(join(directory, 'site/state'))
  const hosts = [
    phpHost(php, 'p.test', 'aliases = ["www.p.test"]'),
    phpHost(php, 'q.test'),
    `${phpHost(php, 'off.test')}[virtualhost.cache]\nenable = false\n`,
  ]
  web = await startWeb({ workers: 2, more: hosts.join('') })
  groups = await connectionsPerWorker(web, 'p.test', 1)
})
afterAll(async () => {
  closeAll(groups)
  await web.remove()
})

const write = (name: string, text: string): void =>
  writeFileSync(join(directory, 'site/state', name), text)
const PUBLIC = 'X-LiteSpeed-Cache-Control: public,max-age=3600'
let version = 0

/** Pages with their tags, as LiteSpeed Cache for WordPress sends them. */
const TAGS: Record<string, string> = {
  one: 'abc_,abc_Po.1,abc_URL.0123456789abcdef0123456789abcdef',
  two: 'abc_, ABC_Po.2 ,abc_F',
  three: 'abc_,abc_PO.3',
}
const names = Object.keys(TAGS)

beforeEach(() => {
  for (const [name, tags] of Object.entries(TAGS)) {
    write(`${name}.fields`, `Content-Type: text/html\n${PUBLIC}\nX-LiteSpeed-Tag: ${tags}\n`)
  }
})

/** What each worker answers for a page. */
const everywhere = async (name: string): Promise<string[]> => {
  const bodies: string[] = []
  for (const [one] of groups) bodies.push((await one?.get(`/${name}`))?.body ?? 'none')
  return bodies
}
const fill = async (): Promise<string> => {
  expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
  const text = `v${++version}`
  write('version', text)
  for (const name of names) await everywhere(name)
  for (const name of names) expect(await everywhere(name), name).toEqual([text, text])
  return text
}
const act = (
  fields: readonly string[],
  { method = 'POST', status = 200, host = 'p.test' } = {},
): Promise<PluginResponse> => {
  const query = fields.map((field) => `f[]=${encodeURIComponent(field)}`).join('&')
  return ask(method, `/act.php?s=${status}&${query}`, host)
}
const ask = (
  method: string,
  path: string,
  host = 'p.test',
  fields: Record<string, string> = {},
): Promise<PluginResponse> =>
  new Promise((resolve, reject) => {
    const headers = { host, ...fields }
    const options = { host: '127.0.0.1', port: web.port, method, path, headers, agent: false }
    const outgoing = request(options, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part: string) => (body += part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      )
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
/** Which pages are made anew after an answer with the fields. */
const purged = async (
  fields: readonly string[],
  how: Parameters<typeof act>[1] = {},
): Promise<string[]> => {
  const old = await fill()
  write('version', `v${++version}`)
  await act(fields, how)
  const found: string[] = []
  for (const name of names) {
    const bodies = await everywhere(name)
    if (!bodies.includes(old)) found.push(name)
    else expect(bodies, name).toEqual([old, old])
  }
  return found
}

describe('purges by the fields of an answer', () => {
  it.each<[string, string[]]>([
    ['X-LiteSpeed-Purge: public,abc_Po.1', ['one']],
    ['X-LiteSpeed-Purge:abc_URL.0123456789abcdef0123456789abcdef', ['one']],
    ['X-LiteSpeed-Purge2: tag=abc_Po.2,tag=abc_po.3;private,*', ['two', 'three']],
    ['x-litespeed-purge: public , ABC_PO.3 , nothing', ['three']],
    ['X-LiteSpeed-Purge: public,abc_', names],
    ['X-LiteSpeed-Purge: public,abc_P', []],
    ['X-LiteSpeed-Purge: private,abc_', []],
    ['X-LiteSpeed-Purge: private,*', []],
    ['X-LiteSpeed-Purge: *', names],
    ['X-LiteSpeed-Purge: /one , /three?x=y', ['one', 'three']],
    ['X-LiteSpeed-Purge: /one,/elsewhere', ['one']],
    ['X-LiteSpeed-Purge: abc_*', names],
    ['X-LiteSpeed-Purge: host:p.test', []],
    ['X-Cache-Purge: /t*', ['two', 'three']],
    ['X-Cache-Purge: abc_Po.1 abc_F', ['one', 'two']],
    ['X-Cache-Purge: *', names],
  ])('%s', async (field, expected) => {
    expect(await purged([field])).toEqual(expected)
  })

  it.each<[string, string[]]>([
    ['X-LiteSpeed-Purge: stale,/one,/three', ['one', 'three']],
    ['X-LiteSpeed-Purge: public,abc_Po.1~s,abc_Po.2~stale', ['one', 'two']],
    ['X-LiteSpeed-Purge: public,stale,*', names],
  ])('%s: the old page is shown while one request renews it', async (field, expected) => {
    const old = await fill()
    const text = `v${++version}`
    write('version', text)
    await act([field])
    for (const name of names) {
      expect((await ask('GET', `/${name}`)).body, name).toBe(old)
      if (!expected.includes(name)) continue
      await eventually('the page is renewed', async () =>
        (await everywhere(name)).every((body) => body === text),
      )
    }
    for (const name of names) {
      expect(await everywhere(name), name).toEqual(
        expected.includes(name) ? [text, text] : [old, old],
      )
    }
  })

  it('in a field of 7 KiB; what is too long to keep purges the whole site', async () => {
    expect(await purged([`X-LiteSpeed-Purge: ${'z_nothing,'.repeat(700)}abc_Po.2`])).toEqual([
      'two',
    ])
    write('long.fields', `X-LiteSpeed-Purge: ${'z_nothing,'.repeat(1500)}abc_Po.2\n`)
    await fill()
    write('version', `v${++version}`)
    await ask('POST', '/long')
    expect(await everywhere('two')).toEqual([`v${version}`, `v${version}`])
    expect(await everywhere('one')).not.toContain(`v${version}`)
    const many = Array.from({ length: 2000 }, (_, index) => `n${index}`).join(',')
    write('long.fields', `X-LiteSpeed-Purge: ${many}\n`)
    await ask('POST', '/long')
    expect(await everywhere('one')).toEqual([`v${version}`, `v${version}`])
  })

  it('on any status and method', async () => {
    const field = 'X-LiteSpeed-Purge: public,abc_Po.1'
    for (const status of [302, 400, 404, 500]) {
      expect(await purged([field], { status }), String(status)).toEqual(['one'])
    }
    for (const method of ['GET', 'HEAD', 'PUT']) {
      expect(await purged([field], { method }), method).toEqual(['one'])
    }
  })

  it('by both fields of one answer, and by two lines of one', async () => {
    const both = ['X-LiteSpeed-Purge: abc_Po.1', 'X-LiteSpeed-Purge2: public,tag=abc_Po.3']
    expect(await purged(both)).toEqual(['one', 'three'])
    const lines = ['X-LiteSpeed-Purge: private,*', 'X-LiteSpeed-Purge: public,abc_F']
    expect(await purged(lines)).toEqual(['two'])
  })

  it('never another site, whatever is named', async () => {
    for (const field of ['abc_', '*', 'host:p.test', 'host:p.test abc_', '/one', '//p.test/one']) {
      expect(await purged([`X-LiteSpeed-Purge: ${field}`], { host: 'q.test' }), field).toEqual([])
    }
    expect(await purged(['X-LiteSpeed-Purge: /one'], { host: 'www.p.test' })).toEqual(['one'])
  })

  it('not where the cache is off, and a page that purges itself is not stored', async () => {
    expect(await purged(['X-LiteSpeed-Purge: *'], { host: 'off.test' })).toEqual([])
    write('self.fields', `${PUBLIC}\nX-LiteSpeed-Tag: me\nX-LiteSpeed-Purge: me\n`)
    for (let n = 0; n < 3; n++) expect((await ask('GET', '/self')).headers['x-cache']).toBe('MISS')
  })

  it('beyond the share of an hour the whole site is purged', async () => {
    const many = (from: number): string =>
      `X-LiteSpeed-Purge: ${Array.from({ length: 900 }, (_, index) => `n${from + index}`).join(',')}`
    let found: string[] = []
    for (let n = 0; n < 4 && found.length === 0; n++) found = await purged([many(n * 900)])
    expect(found).toEqual(names)
    // Also when it is asked for less.
    const left = await purged([many(9000)])
    expect(left).toEqual(names)
  })
})

describe('what the client sees', () => {
  const WORDS = [
    ...['X-LiteSpeed-Purge: none', 'X-LiteSpeed-Purge2: none', 'X-Cache-Purge: none'],
    ...['X-LiteSpeed-Tag: abc_', 'X-LiteSpeed-Vary: cookie=wp-postpass_1', 'X-LiteSpeed-Other: 1'],
  ]
  const COOKIE = 'LSC-Cookie: seen=1; path=/; expires=Wed, 21 Oct 2037 07:28:00 GMT'
  const words = (headers: Record<string, unknown>): string[] =>
    Object.keys(headers).filter(
      (name) => /^(x-litespeed-|lsc-|x-cache-purge)/.test(name) && name !== 'x-litespeed-cache',
    )

  it('no word of the application to its cache, and its cookie once', async () => {
    write('words.fields', [PUBLIC, 'ETag: "w"', ...WORDS, COOKIE].join('\n'))
    const seen: unknown[] = []
    for (const cache of ['miss', 'hit']) {
      const { headers } = await ask('GET', '/words')
      expect(words(headers)).toEqual([])
      expect(headers['x-litespeed-cache']).toBe(cache)
      seen.push(headers['set-cookie'])
    }
    const cookie = ['seen=1; path=/; expires=Wed, 21 Oct 2037 07:28:00 GMT']
    expect(seen).toEqual([cookie, cookie])
    const head = await ask('HEAD', '/words')
    expect(words(head.headers)).toEqual([])
    const known = await ask('GET', '/words', 'p.test', { 'if-none-match': '"w"' })
    expect(known.status).toBe(304)
    expect(words(known.headers)).toEqual([])
  })

  it('nor on answers that are not stored', async () => {
    for (const status of [200, 404, 500]) {
      for (const host of ['p.test', 'off.test']) {
        const answer = await act([...WORDS, COOKIE, PUBLIC], { status, host })
        expect(words(answer.headers), `${status} ${host}`).toEqual([])
        expect(answer.headers['set-cookie']).toHaveLength(1)
      }
    }
  })

  it('a cookie that the answer sets as well only once', async () => {
    const twin = 'Set-Cookie: seen=1; path=/; HttpOnly'
    const { headers } = await act([COOKIE, 'LSC-Cookie: more=1', twin])
    expect(headers['set-cookie']).toEqual(['seen=1; path=/; HttpOnly', 'more=1'])
  })

  it('no more than 100 cookies for every visitor: with more the page is not stored', async () => {
    const cookies = (from: number, count: number): string =>
      `LSC-Cookie: ${Array.from({ length: count }, (_, at) => `c${from + at}=1`).join(',')}`
    write('full.fields', [PUBLIC, cookies(0, 60), cookies(60, 40)].join('\n'))
    write('over.fields', [PUBLIC, cookies(0, 60), cookies(60, 41)].join('\n'))
    const seen = async (path: string) => {
      await ask('GET', path)
      const { headers } = await ask('GET', path)
      return [headers['x-cache'], headers['set-cookie']?.length ?? 0]
    }
    expect(await seen('/full')).toEqual(['HIT', 100])
    expect(await seen('/over')).toEqual(['MISS', 0])
    expect(words((await ask('GET', '/over')).headers)).toEqual([])
    await eventually('the log tells why', () =>
      web.output().includes('more than 100 cookies in LSC-Cookie'),
    )
  })

  it('a page that varies by what the cache does not tell apart is not stored', async () => {
    // Each a page of its own: what proved uncacheable is remembered for a while.
    for (const [page, vary, cache] of [
      ['vary-1', 'cookie=wp-postpass_1', 'HIT'],
      ['vary-2', 'cookie=_ga', 'MISS'],
      ['vary-3', 'cookie=my_filter', 'HIT'],
      ['vary-4', 'value=guest', 'MISS'],
    ] as const) {
      write(`${page}.fields`, `${PUBLIC}\nX-LiteSpeed-Vary: ${vary}\n`)
      await ask('GET', `/${page}`)
      expect((await ask('GET', `/${page}`)).headers['x-cache'], vary).toBe(cache)
    }
  })

  it('a cookie that a page varies by keeps its owners from all pages', async () => {
    write('named.fields', `${PUBLIC}\nX-LiteSpeed-Vary: cookie=my_other, cookie=wp-postpass_1\n`)
    await ask('GET', '/named')
    await fill()
    for (const cookie of ['my_other=1', 'wp-postpass_1=x']) {
      const seen = await ask('GET', '/one', 'p.test', { cookie })
      expect(seen.headers['x-cache'], cookie).toBe('MISS')
    }
    const seen = await ask('GET', '/one', 'p.test', { cookie: '_ga=1' })
    expect(seen.headers['x-cache']).toBe('HIT')
  })

  it("the plugins' crawler is told what is not stored", async () => {
    write('crawled.fields', `${PUBLIC}\n`)
    write('closed.fields', 'X-LiteSpeed-Cache-Control: no-cache\n')
    const crawl = async (path: string) => {
      const fields = { 'user-agent': 'lscache_runner test', 'cache-control': 'max-age=0' }
      const { headers } = await ask('GET', path, 'p.test', fields)
      return [headers['x-litespeed-cache'], headers['x-litespeed-cache-control']]
    }
    expect(await crawl('/crawled')).toEqual(['miss', undefined])
    expect(await crawl('/crawled')).toEqual(['hit', undefined])
    expect(await crawl('/closed')).toEqual(['miss', 'no-cache'])
    expect((await ask('GET', '/closed')).headers['x-litespeed-cache-control']).toBeUndefined()
  })
})

describe('what PHP sees', () => {
  it('is no page cache where it is off', async () => {
    const seen = async (host: string) =>
      JSON.parse((await ask('POST', '/vars.php?a=b', host)).body) as Record<string, string>
    expect(await seen('p.test')).toMatchObject({
      'X-LSCACHE': 'on,crawler',
      SCRIPT_URL: '/vars.php',
    })
    const off = await seen('off.test')
    expect(off).toMatchObject({ SCRIPT_URL: '/vars.php' })
    expect(off).not.toHaveProperty('X-LSCACHE')
    expect(off).not.toHaveProperty('LSWS_EDITION')
  })
})
