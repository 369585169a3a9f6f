import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { startCacheSite, type CacheSite } from '../support/cache-site.ts'

/** Every header that a browser sends with a first visit. */
const BROWSER = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language: de-DE,de;q=0.9,en;q=0.8',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Cache-Control: max-age=0',
  'Upgrade-Insecure-Requests: 1',
  'Sec-Fetch-Site: none',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Dest: document',
  'Sec-CH-UA: "Chromium";v="130"',
  'Cookie: _ga=GA1.1.1; _gid=x',
  'Connection: keep-alive',
]

let site: CacheSite
let trap: Server
let trapPort = 0
let trapped = 0
beforeAll(async () => {
  // Whoever connects here was lured away.
  trap = createServer((socket) => {
    trapped++
    socket.destroy()
  })
  trap.listen(0, '127.0.0.1')
  await once(trap, 'listening')
  const address = trap.address()
  trapPort = typeof address === 'object' && address !== null ? address.port : 0
  site = await startCacheSite()
})
afterAll(async () => {
  await site?.stop()
  trap?.close()
})

interface Receipt {
  queued: number
  rejected: { url: string; reason: string }[]
}
const warm = async (query: string) => {
  const { status, body } = await site.web.management('POST', `/api/v1/cache/warm?${query}`)
  return { status, receipt: body as Receipt }
}
interface Warmed {
  warm: { queue_size: number; running: number; done: number; failed: number; skipped: number }
}
const idle = (): Promise<void> =>
  eventually('the queue is empty', async () => {
    const { body } = await site.web.management('GET', '/api/v1/cache/stats')
    const { queue_size, running } = (body as Warmed).warm
    return queue_size === 0 && running === 0
  })

describe('warming', () => {
  it.each([
    ['this machine', () => `http://127.0.0.1:${trapPort}/`],
    ['this machine by name', () => `http://localhost:${trapPort}/`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['another host', () => 'http://evil.test/'],
    ['credentials that look like a host', () => `http://p.test@127.0.0.1:${trapPort}/`],
    ['credentials at our host', () => 'http://user:secret@p.test/'],
    ['an address without a scheme', () => `//127.0.0.1:${trapPort}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['another scheme', () => `gopher://127.0.0.1:${trapPort}/_x`],
    ['IPv6', () => 'http://[::1]/'],
    ['a number as a host', () => `http://2130706433:${trapPort}/`],
    ['a subdomain that is no host', () => 'http://x.p.test/'],
    ['a line break', () => '/x\r\nHost: evil.test'],
    ['a relative climb', () => '../../etc/passwd'],
  ])('refuses %s', async (_what, url) => {
    const { status, receipt } = await warm(`url=${encodeURIComponent(url())}`)
    if (status === 200) {
      expect(receipt.queued).toBe(0)
      expect(receipt.rejected).toHaveLength(1)
    } else expect(status).toBe(400)
    await idle()
    expect(trapped).toBe(0)
  })

  it('follows no redirect out', async () => {
    for (const [n, target] of [
      `http://127.0.0.1:${trapPort}/`,
      `//127.0.0.1:${trapPort}/`,
      'http://169.254.169.254/',
    ].entries()) {
      site.page(`/out-${n}`, `header('Location: ${target}', true, 302);`)
      expect((await warm(`domain=p.test&url=/out-${n}`)).receipt.queued).toBe(1)
    }
    await idle()
    expect(trapped).toBe(0)
  })

  it('takes nothing from a sitemap or home page that leads elsewhere', async () => {
    const evil = `http://127.0.0.1:${trapPort}/x`
    site.page(
      '/sitemap.xml',
      `header('Content-Type: application/xml');
       echo '<urlset><url><loc>${evil}</loc></url><url><loc>http://p.test/mapped</loc></url></urlset>';`,
    )
    site.page(
      '/',
      `echo '<a href="${evil}">x</a><a href="/linked">y</a><a href="//evil.test/">z</a>';`,
    )
    expect((await warm('domain=p.test&deterministic=1')).status).toBe(200)
    await eventually(
      'the pages are warm',
      () => site.runs('/mapped') > 0 && site.runs('/linked') > 0,
    )
    await idle()
    expect(trapped).toBe(0)
  })

  it('makes pages that browsers hit, in every form they ask', async () => {
    const { receipt } = await warm('domain=p.test&url=/warmed')
    expect(receipt).toMatchObject({ queued: 1, rejected: [] })
    await eventually('PHP ran', () => site.runs('/warmed') === 1)
    await idle()
    for (const fields of [
      BROWSER.join('\r\n') + '\r\n',
      '',
      'User-Agent: curl/8\r\nAccept: */*\r\n',
    ]) {
      const answer = await get(
        site.web.port,
        'p.test',
        '/warmed',
        fields.replace('Connection: keep-alive\r\n', ''),
      )
      expect(answer.headers['x-cache'], fields.slice(0, 30)).toBe('HIT')
    }
    expect(site.runs('/warmed')).toBe(1)
  })

  it('refreshes in place: nobody waits and nobody sees a gap', async () => {
    site.page('/place', `echo 'one';`)
    await get(site.web.port, 'p.test', '/place')
    site.page('/place', `usleep(400000); echo 'two';`)
    const before = site.runs('/place')
    expect((await warm('domain=p.test&url=/place')).receipt.queued).toBe(1)
    await eventually('it is being filled', () => site.runs('/place') > before)
    const during = await get(site.web.port, 'p.test', '/place')
    expect([during.headers['x-cache'], during.body]).toEqual(['HIT', 'one'])
    await idle()
    for (let n = 0; n < 8; n++) {
      const after = await get(site.web.port, 'p.test', '/place')
      expect([after.headers['x-cache'], after.body]).toEqual(['HIT', 'two'])
    }
  })
})
