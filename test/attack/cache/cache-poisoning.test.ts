import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { exchange, splitResponses } from '#test/node/web-server/support/raw-client.ts'
import { startCacheSite, type CacheSite } from '../support/cache-site.ts'

const EVIL = 'evil-marker'
let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite()
})
afterAll(() => site?.stop())

let count = 0
const freshPath = (): string => `/page-${++count}`
/** What a visitor without any special header gets. */
const visit = (path: string, host = 'p.test') => get(site.web.port, host, path)

describe('key poisoning', () => {
  it('would succeed at this site: it shows what it is sent', async () => {
    const answer = await get(site.web.port, 'p.test', '/?a', `X-Custom-Header: ${EVIL}\r\n`)
    expect(answer.body).toContain(`"HTTP_X_CUSTOM_HEADER":"${EVIL}"`)
  })

  it('is not told what only a proxy may say', async () => {
    for (const name of [
      'X-Forwarded-Host',
      'X-Forwarded-For',
      'Via',
      'CF-Connecting-IP',
      'traceparent',
    ]) {
      const answer = await get(site.web.port, 'p.test', '/?a', `${name}: ${EVIL}\r\n`)
      expect(answer.body, name).not.toContain(EVIL)
    }
  })

  // The site shows all it is sent, so whatever gets through to a shared page is seen by the next visitor.
  for (const field of [
    `X-Forwarded-Host: ${EVIL}`,
    `X-Forwarded-Proto: ${EVIL}`,
    `X-Forwarded-Scheme: ${EVIL}`,
    `X-Forwarded-For: ${EVIL}`,
    `X-Host: ${EVIL}`,
    `X-Forwarded-Server: ${EVIL}`,
    `Forwarded: host=${EVIL}`,
    `X-Original-URL: /${EVIL}`,
    `X-Rewrite-URL: /${EVIL}`,
    `X-HTTP-Method-Override: ${EVIL}`,
    `X-HTTP-Method: ${EVIL}`,
    `X-Method-Override: ${EVIL}`,
    `X-Custom-Header: ${EVIL}`,
    `True-Client-IP: ${EVIL}`,
    `Proxy: ${EVIL}`,
    `Cookie: campaign=${EVIL}`,
    `Content-Type: ${EVIL}`,
    `Origin: http://${EVIL}`,
    `Via: 1.1 ${EVIL}`,
    `X-Wap-Profile: ${EVIL}`,
    `Accept-Language: ${EVIL}`,
    `Accept: text/html;x=${EVIL}`,
    `User-Agent: ${EVIL}`,
    `Referer: http://${EVIL}/`,
    `Sec-CH-UA: "${EVIL}"`,
    `Sec-Anything: ${EVIL}`,
    `Save-Data: ${EVIL}`,
    `DNT: ${EVIL}`,
  ]) {
    for (const [fills, host] of Object.entries({ visitor: 'p.test', neutral: 'n.test' })) {
      it(`never keeps what ${field.split(':', 1)[0]} brought in, filled by ${fills} requests`, async () => {
        const path = freshPath()
        for (let n = 0; n < 2; n++) await get(site.web.port, host, path, `${field}\r\n`)
        const answer = await visit(path, host)
        expect(answer.body).toContain(path)
        expect(answer.body).not.toContain(EVIL)
        for (const value of Object.values(answer.headers)) expect(value).not.toContain(EVIL)
        expect((await visit(path, host)).headers['x-cache']).toBe('HIT')
      })
    }
  }

  it('takes no port, case or final dot of Host into the page, and they share one entry', async () => {
    const path = freshPath()
    site.page(path, `echo json_encode([$_SERVER['SERVER_NAME'], $_SERVER['HTTP_HOST']]);`)
    for (const host of ['p.test:1234', 'P.TEST', 'p.test.', 'P.tEsT:9']) {
      expect((await visit(path, host)).body).not.toMatch(/1234|P\.T|:9"/)
    }
    const answer = await visit(path)
    expect(answer.headers['x-cache']).toBe('HIT')
    expect(answer.body).toBe('["p.test","p.test"]')
    expect(site.runs(path)).toBe(1)
  })

  it('refuses two Hosts and absolute forms of another host, and stores nothing of them', async () => {
    const path = freshPath()
    const two = `GET ${path} HTTP/1.1\r\nHost: p.test\r\nHost: ${EVIL}.test\r\nConnection: close\r\n\r\n`
    expect(splitResponses(await exchange(site.web.port, two))[0]?.status).toBe(400)
    const absolute = `GET http://${EVIL}.test${path} HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\n\r\n`
    const [answer] = splitResponses(await exchange(site.web.port, absolute))
    expect(answer?.body ?? '').not.toContain('"path"')
    expect((await visit(path)).body).not.toContain(EVIL)
  })

  it('has one entry whatever language or browser asks, and none for a page that says it differs', async () => {
    const same = freshPath()
    site.page(same, 'echo "for everybody";')
    const ask = (host: string, language: string, agent: string) =>
      get(site.web.port, host, same, `Accept-Language: ${language}\r\nUser-Agent: ${agent}\r\n`)
    await ask('p.test', 'de-DE,de;q=0.8', 'Mozilla/5.0 Firefox/140.0')
    const other = await ask('p.test', 'fr', 'two')
    expect(other.headers['x-cache']).toBe('HIT')
    expect(site.runs(same)).toBe(1)
    await ask('n.test', 'de', 'one')
    expect((await ask('n.test', 'fr', 'two')).headers['x-cache']).toBe('HIT')
    // His own, and the neutral one behind it.
    expect(site.runs(same)).toBe(3)

    const varying = freshPath()
    site.page(
      varying,
      `header('Vary: Accept-Language'); echo $_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? 'none';`,
    )
    for (const language of ['de', 'fr', EVIL]) {
      const answer = await get(site.web.port, 'p.test', varying, `Accept-Language: ${language}\r\n`)
      expect(answer.body).toBe(language)
      expect(answer.headers['x-cache']).toBe('MISS')
    }
    expect((await visit(varying)).body).toBe('none')
  })

  it('does not let a query, a fragment or an encoded one stand for the page', async () => {
    const path = freshPath()
    await visit(`${path}?x=${EVIL}`)
    await visit(`${path}%3Fx=${EVIL}`)
    await visit(`${path}%23${EVIL}`)
    const answer = await visit(path)
    expect(answer.headers['x-cache']).toBe('MISS')
    expect(answer.body).not.toContain(EVIL)
  })

  it('tells upper case, encoded slashes and doubled slashes apart where PHP does', async () => {
    const path = freshPath()
    const spellings = [path, path.toUpperCase(), `${path}%2Fx`, `${path}/x`]
    for (const spelling of spellings) await visit(spelling)
    for (const spelling of spellings) {
      const { body } = await visit(spelling)
      expect(JSON.parse(body).server.REQUEST_URI).toBe(spelling)
    }
  })

  it('keeps two paths in other scripts apart', async () => {
    const [japan, china] = ['/日本', '/中国'].map((path) => encodeURI(path))
    const raw = (path: string) => Buffer.from(path, 'utf8').toString('latin1')
    for (let n = 0; n < 2; n++) {
      expect(
        JSON.parse(Buffer.from((await visit(japan ?? '')).body, 'latin1').toString()).path,
      ).toBe('/日本')
      expect(
        JSON.parse(Buffer.from((await visit(china ?? '')).body, 'latin1').toString()).path,
      ).toBe('/中国')
    }
    expect((await visit(japan ?? '')).headers['x-cache']).toBe('HIT')
    // Bytes that were not escaped are the same page or refused, never another one.
    const bare = await visit(raw('/日本'))
    expect(bare.status === 400 || bare.body === (await visit(japan ?? '')).body).toBe(true)
  })

  it('never answers one virtual host with the page of another, on one connection either', async () => {
    const path = freshPath()
    for (let n = 0; n < 2; n++) {
      expect((await visit(path, 'p.test')).body).toContain('"SERVER_NAME":"p.test"')
      expect((await visit(path, 'q.test')).body).toContain('"SERVER_NAME":"q.test"')
      expect((await visit(path, 'www.p.test')).body).toContain('"SERVER_NAME":"www.p.test"')
    }
    const hosts = ['p.test', 'q.test', 'www.p.test', 'p.test']
    const pipelined = hosts
      .map(
        (host, n) =>
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${n === 3 ? 'Connection: close\r\n' : ''}\r\n`,
      )
      .join('')
    const answers = splitResponses(await exchange(site.web.port, pipelined, { halfClose: false }))
    expect(answers.map(({ body }) => JSON.parse(body).server.SERVER_NAME)).toEqual(hosts)
    expect((await visit(path, 'r.test')).status).toBe(404)
  })

  it('gives no page to a request smuggled behind another', async () => {
    const path = freshPath()
    const smuggled =
      `POST ${path} HTTP/1.1\r\nHost: p.test\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `0\r\n\r\nGET /${EVIL} HTTP/1.1\r\nHost: p.test\r\n\r\n`
    const text = await exchange(site.web.port, smuggled)
    expect(text.startsWith('HTTP/1.1 400')).toBe(true)
    expect(site.runs(`/${EVIL}`)).toBe(0)
    expect((await visit(path)).headers['x-cache']).toBe('MISS')
  })

  it('keeps nothing of a request that broke off', async () => {
    const path = freshPath()
    site.page(path, `usleep(200000); echo 'whole page of ', $_SERVER['SERVER_NAME'];`)
    await new Promise<void>((resolve) => {
      const socket = connect(site.web.port, '127.0.0.1', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: p.test\r\n\r\n`, () => {
          socket.destroy()
          resolve()
        })
      })
    })
    expect((await visit(path)).body).toBe('whole page of p.test')
  })
})

describe('what must never be stored', () => {
  it.each([
    ['a cookie for the visitor', `setcookie('a', 'secret');`],
    ['private', `header('Cache-Control: private, max-age=600');`],
    ['no-store', `header('Cache-Control: no-store');`],
    ['no-cache', `header('Cache-Control: no-cache');`],
    [
      'no-cache with others, in capitals',
      `header('Cache-Control: Public, NO-CACHE="x", max-age=9');`,
    ],
    ['max-age=0', `header('Cache-Control: max-age=0');`],
    ['Pragma', `header('Pragma: no-cache');`],
    ['expired', `header('Expires: Thu, 19 Nov 1981 08:52:00 GMT');`],
    ['Vary: Cookie', `header('Vary: Cookie');`],
    ['Vary: *', `header('Vary: *');`],
    ['an error', `http_response_code(500);`],
    ['not found', `http_response_code(404);`],
    ['a redirect', `header('Location: /x', true, 302);`],
    ['JSON', `header('Content-Type: application/json');`],
    ['a session', `session_save_path(sys_get_temp_dir()); session_start();`],
  ])('%s', async (_what, code) => {
    const path = freshPath()
    site.page(path, `${code} echo 'run ', hrtime(true);`)
    const bodies = []
    for (let n = 0; n < 3; n++) {
      const answer = await visit(path)
      expect(answer.headers['x-cache']).toBe('MISS')
      bodies.push(answer.body)
    }
    expect(new Set(bodies).size).toBe(3)
  })

  it.each([
    ['a session cookie', 'Cookie: PHPSESSID=abc'],
    ['a login', 'Cookie: x=1; wordpress_logged_in_0123=admin'],
    ['a password of a post', 'Cookie: wp-postpass_0123=x'],
    ['credentials', 'Authorization: Basic YTpi'],
  ])(
    'the page of a visitor with %s, who does not get the shared one either',
    async (_what, field) => {
      const path = freshPath()
      site.page(
        path,
        `echo empty($_COOKIE) && empty($_SERVER['HTTP_AUTHORIZATION']) ? 'shared' : 'personal';`,
      )
      expect((await get(site.web.port, 'p.test', path, `${field}\r\n`)).body).toBe('personal')
      expect((await visit(path)).body).toBe('shared')
      expect((await visit(path)).headers['x-cache']).toBe('HIT')
      const again = await get(site.web.port, 'p.test', path, `${field}\r\n`)
      expect(again.body).toBe('personal')
      expect(again.headers['x-cache']).toBe('MISS')
    },
  )

  it('/account.php/x.css and the like: what is personal stays personal', async () => {
    for (const path of [
      '/account.php/x.css',
      '/account/x.css',
      '/account;x.css',
      '/account%0Ax.css',
      '/account/..%2fx.css',
    ]) {
      site.page(
        decodeURIComponent(path),
        `setcookie('s', '1'); echo 'account of ', $_COOKIE['PHPSESSID'] ?? 'nobody';`,
      )
      const own = await get(site.web.port, 'p.test', path, 'Cookie: PHPSESSID=alice\r\n')
      const stolen = await visit(path)
      expect(own.headers['x-cache'] ?? 'MISS').toBe('MISS')
      expect(stolen.body).not.toContain('alice')
    }
  })

  it('the answer to HEAD or POST as the page', async () => {
    const path = freshPath()
    site.page(path, `echo $_SERVER['REQUEST_METHOD'] === 'GET' ? 'full page' : '';`)
    const head = `HEAD ${path} HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\n\r\n`
    await exchange(site.web.port, head)
    const post = `POST ${path} HTTP/1.1\r\nHost: p.test\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`
    await exchange(site.web.port, post)
    expect((await visit(path)).body).toBe('full page')
  })
})
