import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
beforeAll(async () => {
  host.plant({
    '/server.php': '<?php header("Content-Type: application/json"); echo json_encode($_SERVER);',
    '/body.php':
      '<?php $b = file_get_contents("php://input"); echo strlen($b), " ", md5($b), " ", $_SERVER["CONTENT_LENGTH"] ?? "none";',
    '/form.php': '<?php echo json_encode([$_POST, $_FILES["f"]["size"] ?? null]);',
    '/big.php':
      '<?php header("Content-Type: application/octet-stream"); $p = str_repeat("0123456789abcdef", 4096); for ($i = 0; $i < 800; $i++) echo $p;',
    '/endless.php': '<?php while (true) { echo str_repeat("x", 8192); flush(); }',
    '/slow.php': '<?php usleep(300000); echo "slow";',
    '/stuck.php': '<?php sleep(30);',
    '/killed.php':
      '<?php echo str_repeat("x", 20000); flush(); posix_kill(getmypid(), 9); sleep(5);',
    '/killed-early.php': '<?php posix_kill(getmypid(), 9); sleep(5);',
    '/fatal-late.php':
      '<?php header("Content-Type: text/html"); echo str_repeat("y", 20000); flush(); nothing();',
    '/fatal.php': '<?php nothing();',
    '/quiet.php':
      '<?php http_response_code(503); header("Retry-After: 77"); setcookie("a", "1"); setcookie("b", "2");',
    '/late-failure.php':
      '<?php http_response_code(500); flush(); usleep(50000); echo "first "; flush(); usleep(50000); echo "second";',
    '/own.html': 'own words',
    '/binary.php':
      '<?php header("Content-Type: image/png"); for ($i = 0; $i < 256; $i++) echo chr($i);',
    '/headers.php':
      '<?php for ($i = 0; $i < 300; $i++) header("X-H-$i: v$i"); setcookie("a", "1"); setcookie("b", "2"); echo "ok";',
    '/status.php': '<?php http_response_code((int)$_GET["s"]); echo "body";',
    '/location.php': '<?php header("Location: /there"); echo "moved";',
    '/latin.php': '<?php header("X-Latin: caf\\xC3\\xA9"); echo $_SERVER["HTTP_X_GIVEN"];',
    '/short.php': '<?php header("Content-Length: 100"); echo "short";',
    '/long.php': '<?php header("Content-Length: 2"); echo "long"; ',
    '/early.php': '<?php echo "early";',
    '/日本.php': '<?php echo $_SERVER["SCRIPT_NAME"], " ", $_SERVER["REQUEST_URI"];',
  })
  await host.startPhp()
})
afterAll(() => host.stop())

const md5 = async (bytes: Uint8Array): Promise<string> =>
  (await import('node:crypto')).createHash('md5').update(bytes).digest('hex')

/** A body without a known length. */
const chunked = (bytes: Uint8Array, size = 50_000): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, (at += size)))
    },
  })
}

describe('PHP over FastCGI: what scripts see', () => {
  it('has the right variables', async () => {
    const { visit } = host.site()
    const response = await visit('/server.php/p%20i/x?q=1&r=%2F', {
      host: 'WWW.a.test:80',
      headers: {
        'user-agent': 'probe',
        cookie: 'k=v',
        authorization: 'Basic dTpw',
        proxy: 'http://evil.test',
        x_under: '1',
        'x.dot': '1',
        'x-fine': '1',
      },
      context: { secure: true, serverPort: 443 },
    })
    const seen = (await response.json()) as Record<string, string>
    expect(seen).toMatchObject({
      SCRIPT_NAME: '/server.php',
      SCRIPT_FILENAME: join(host.root, 'server.php'),
      DOCUMENT_ROOT: host.root,
      PATH_INFO: '/p i/x',
      PHP_SELF: '/server.php/p i/x',
      REQUEST_URI: '/server.php/p%20i/x?q=1&r=%2F',
      QUERY_STRING: 'q=1&r=%2F',
      REQUEST_METHOD: 'GET',
      SERVER_SOFTWARE: 'Apache/2.4 (Berth)',
      SERVER_PROTOCOL: 'HTTP/1.1',
      SERVER_NAME: 'www.a.test',
      SERVER_PORT: '443',
      SERVER_ADDR: '192.0.2.1',
      REMOTE_ADDR: '192.0.2.7',
      REMOTE_PORT: '50000',
      HTTPS: 'on',
      REQUEST_SCHEME: 'https',
      HTTP_HOST: 'www.a.test',
      HTTP_USER_AGENT: 'probe',
      HTTP_COOKIE: 'k=v',
      HTTP_X_FINE: '1',
      PHP_AUTH_USER: 'u',
    })
    for (const name of ['HTTP_PROXY', 'HTTP_X_UNDER', 'HTTP_X_DOT', 'CONTENT_LENGTH']) {
      expect(seen).not.toHaveProperty(name)
    }
    const plain = (await (await visit('/server.php')).json()) as Record<string, string>
    expect(plain).not.toHaveProperty('HTTPS')
    expect(plain).not.toHaveProperty('PATH_INFO')
  })

  it('shows only the listener’s own port in the host name', async () => {
    const { visit } = host.site()
    const context = { serverPort: 8080 }
    const seen = async (name: string): Promise<string> => {
      const response = await visit('/server.php', { host: name, context })
      return ((await response.json()) as Record<string, string>)['HTTP_HOST'] ?? ''
    }
    expect(await seen('a.test:8080')).toBe('a.test:8080')
    expect(await seen('a.test:6666')).toBe('a.test')
    expect(await seen('a.test')).toBe('a.test')
  })

  it('passes names and values beyond ASCII', async () => {
    const { visit } = host.site()
    expect(await (await visit('/%E6%97%A5%E6%9C%AC.php')).text()).toBe(
      '/日本.php /%E6%97%A5%E6%9C%AC.php',
    )
    const response = await visit('/latin.php', { headers: { 'x-given': 'na\xc3\xafve' } })
    expect(await response.text()).toBe('naïve')
    expect(response.headers.get('x-latin')).toBe('caf\xc3\xa9')
  })
})

describe('PHP over FastCGI: request bodies', () => {
  const small = randomBytes(1000)
  const large = randomBytes(5_000_000)

  it('takes bodies of known length, small and large', async () => {
    const { visit } = host.site()
    for (const body of [small, large, Buffer.alloc(0)]) {
      const response = await visit('/body.php', {
        method: 'POST',
        body: chunked(body),
        headers: { 'content-length': String(body.length) },
      })
      expect(await response.text()).toBe(`${body.length} ${await md5(body)} ${body.length}`)
    }
  })

  it('counts bodies of unknown length, and leaves no file behind', async () => {
    const { visit } = host.site()
    for (const body of [small, large]) {
      const response = await visit('/body.php', { method: 'POST', body: chunked(body) })
      expect(await response.text()).toBe(`${body.length} ${await md5(body)} ${body.length}`)
    }
    expect(readdirSync(join(host.directory, 'spool'))).toEqual([])
  })

  it('parses forms and uploads', async () => {
    const { visit } = host.site()
    const form = new FormData()
    form.set('name', 'värde')
    form.set('f', new Blob([large]), 'f.bin')
    const encoded = new Response(form)
    const response = await visit('/form.php', {
      method: 'POST',
      body: await encoded.bytes(),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    })
    const [fields, size] = (await response.json()) as [unknown, number]
    // 2M is PHP's own limit; the file is refused by PHP, the rest arrives.
    expect(fields).toEqual({ name: 'värde' })
    expect(size).toBe(0)
  })

  it('refuses bodies that are too large, too short, too long or broken off', async () => {
    const { visit } = host.site({}, { maxBodyBytes: 4_000_000 })
    const post = async (length: number | null, body: ReadableStream): Promise<number> => {
      const headers: HeadersInit = length === null ? {} : { 'content-length': String(length) }
      return (await visit('/body.php', { method: 'POST', body, headers })).status
    }
    expect(await post(null, chunked(large))).toBe(413)
    expect(await post(large.length, chunked(large))).toBe(413)
    expect(await post(900, chunked(small))).toBe(400)
    expect(await post(1100, chunked(small))).toBe(400)
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('the client left')),
    })
    expect(await post(null, broken)).toBe(400)
    expect(await post(3_000_000, chunked(large.subarray(0, 2_000_000)))).toBe(400)
  })

  it('answers before a large body was taken', async () => {
    const { visit } = host.site()
    const body = chunked(large)
    const headers = { 'content-length': String(large.length) }
    for (let round = 0; round < 3; round++) {
      expect(await (await visit('/early.php', { method: 'GET' })).text()).toBe('early')
    }
    const response = await visit('/early.php', { method: 'POST', body, headers })
    expect(await response.text()).toBe('early')
  })
})

describe('PHP over FastCGI: answers', () => {
  it('streams 50 MB at the reader’s pace', async () => {
    const { visit } = host.site()
    const response = await visit('/big.php')
    let size = 0
    let slept = false
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength
      if (!slept) await new Promise((resolve) => setTimeout(resolve, 200))
      slept = true
    }
    expect(size).toBe(16 * 4096 * 800)
  })

  it('ends PHP’s work when the reader leaves', async () => {
    const { visit } = host.site({}, { maxConnectionsPerBackend: 1 })
    const response = await visit('/endless.php')
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    const leaving = new AbortController()
    const stuck = visit('/stuck.php', { signal: leaving.signal })
    leaving.abort()
    expect((await stuck).status).toBe(400)
    // The one connection is free again.
    expect(await (await visit('/early.php')).text()).toBe('early')
  })

  it('keeps bytes, headers, cookies and status as they are', async () => {
    const { visit } = host.site()
    const binary = await (await visit('/binary.php')).bytes()
    expect([...binary]).toEqual(Array.from({ length: 256 }, (_, index) => index))
    const many = await visit('/headers.php')
    expect(many.headers.get('x-h-0')).toBe('v0')
    expect(many.headers.get('x-h-299')).toBe('v299')
    expect(many.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    for (const status of [201, 204, 304, 404, 451, 503]) {
      const response = await visit(`/status.php?s=${status}`)
      expect(response.status).toBe(status)
      expect(await response.text()).toBe([204, 304].includes(status) ? '' : 'body')
    }
    const moved = await visit('/location.php')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/there'])
    // Trailing blanks after a counted answer are a common fault, and harmless.
    expect(await (await visit('/long.php')).text()).toBe('lo')
    const head = await visit('/early.php', { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, null])
  })

  it('shows a broken answer as broken', async () => {
    const { visit, logged } = host.site()
    await expect((await visit('/killed.php')).text()).rejects.toThrow()
    expect((await visit('/killed-early.php')).status).toBe(502)
    await expect((await visit('/short.php')).text()).rejects.toThrow()
    expect(logged.some(({ level }) => level === 'error')).toBe(true)
  })

  it('ends a page that died half-way for the visitor, and logs why', async () => {
    const { visit, logged } = host.site()
    expect((await (await visit('/fatal-late.php')).text()).length).toBe(20_000)
    expect(JSON.stringify(logged)).toContain('undefined function nothing()')
    expect((await visit('/fatal.php')).status).toBe(500)
  })

  it('shows a page instead of a blank one when a script fails without a word', async () => {
    const { visit } = host.site()
    const blank = await visit('/fatal.php')
    expect([blank.status, blank.headers.get('content-type')]).toEqual([
      500,
      'text/html; charset=utf-8',
    ])
    const text = await blank.text()
    expect(text).toContain('Something went wrong')
    expect(blank.headers.get('content-length')).toBe(String(text.length))
    const quiet = await visit('/quiet.php')
    expect([quiet.status, quiet.headers.get('retry-after')]).toEqual([503, '77'])
    expect(quiet.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await quiet.text()).toContain('Not available')
    const head = await visit('/fatal.php', { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([500, null])
    // What a script says itself stays, also when it comes late and in pieces.
    expect(await (await visit('/late-failure.php')).text()).toBe('first second')
    const own = host.site({ error_pages: { '500': '/own.html' } })
    expect(await (await own.visit('/fatal.php')).text()).toBe('own words')
  })

  it('gives up on a script that does not answer', async () => {
    const { visit } = host.site({}, { requestTimeoutMs: 300 })
    const response = await visit('/stuck.php')
    expect([response.status, response.headers.get('cache-control')]).toEqual([504, 'no-store'])
    expect(await response.text()).toContain('took too long')
  })
})

describe('PHP over FastCGI: backends', () => {
  it('lets requests wait for a connection, but not for ever', async () => {
    const { visit } = host.site({}, { maxConnectionsPerBackend: 2 })
    const texts = await Promise.all(
      Array.from({ length: 8 }, async () => (await visit('/slow.php')).text()),
    )
    expect(new Set(texts)).toEqual(new Set(['slow']))
    const short = host.site({}, { maxConnectionsPerBackend: 1, queueTimeoutMs: 100 })
    const statuses = await Promise.all(
      Array.from({ length: 3 }, async () => (await short.visit('/slow.php')).status),
    )
    expect(statuses.toSorted()).toEqual([200, 503, 503])
  })

  it('leaves PHP’s processes free for others', async () => {
    const sites = Array.from({ length: 6 }, () => host.site())
    for (let round = 0; round < 5; round++) {
      const answers = sites.map(async ({ visit }) => (await visit('/early.php')).text())
      expect(await Promise.all(answers)).toEqual(sites.map(() => 'early'))
    }
  })

  it('asks for PHP again when it has gone, and answers 503 when it does not come', async () => {
    let asked = 0
    const { visit } = host.site(
      {},
      {
        ensure: async () => {
          asked += 1
          if (asked === 4) await host.startPhp()
          return { socket: host.socket, uid: 65_534 }
        },
      },
    )
    await host.stopPhp()
    const none = await visit('/early.php')
    expect([none.status, none.headers.get('retry-after'), asked]).toEqual([503, '5', 3])
    expect(await (await visit('/early.php')).text()).toBe('early')
  })

  it('does not run a script as somebody else', async () => {
    const { visit } = host.site({}, { ensure: async () => ({ socket: host.socket, uid: 12 }) })
    expect((await visit('/early.php')).status).toBe(503)
  })

  it('survives children that end between requests', async () => {
    await host.stopPhp()
    await host.startPhp({ children: 2, pool: ['pm.max_requests = 3'] })
    const { visit } = host.site({}, { maxConnectionsPerBackend: 2 })
    for (let round = 0; round < 40; round++) {
      const method = round % 2 === 0 ? 'GET' : 'POST'
      const texts = await Promise.all(
        [1, 2, 3].map(async () => (await visit('/early.php', { method })).text()),
      )
      expect(texts).toEqual(['early', 'early', 'early'])
    }
    expect(readFileSync(join(host.directory, 'fpm.log'), 'utf8')).not.toContain('SIGSEGV')
  })
})
