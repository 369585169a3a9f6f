import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ModeSite } from './start-mode-site.ts'

/** What scripts answer. */
export const responsesSuite = (site: () => ModeSite): void => {
  it('streams 64 MiB whole', async () => {
    const answer = await site().visit('/large.php')
    const hash = createHash('sha256')
    for (let i = 0; i < 1024; i++) {
      const word = Buffer.alloc(4)
      word.writeUInt32BE(i)
      hash.update(Buffer.alloc(65_536, word))
    }
    expect(answer.body.length).toBe(64 * 2 ** 20)
    expect(createHash('sha256').update(answer.body).digest('hex')).toBe(hash.digest('hex'))
  })

  it('leaves binary output as it is', async () => {
    const round = Buffer.concat(Array.from({ length: 256 }, (_, i) => Buffer.of(i, 13, 10)))
    const answer = await site().visit('/binary.php')
    expect(answer.headers['content-type']).toBe('image/png')
    expect(answer.body.equals(Buffer.concat(Array.from({ length: 64 }, () => round)))).toBe(true)
  })

  it('passes many headers and several cookies', async () => {
    const many = await site().visit('/many-headers.php')
    for (const i of [0, 1, 150, 299]) expect(many.headers[`x-many-${i}`]).toBe(`value ${i}`)
    expect(many.headers['x-bytes']).toBe('caf\xc3\xa9')
    expect(many.headers).not.toHaveProperty('x-powered-by')
    const cookies = await site().visit('/cookies.php')
    expect(cookies.setCookies).toEqual(['a=1', 'b=2; path=/x; HttpOnly', 'c=3'])
    expect(cookies.headers['x-cache']).toBe('MISS')
  })

  it('takes the status from code, status line and Status field', async () => {
    const { visit } = site()
    for (const code of [201, 202, 404, 418, 451, 503])
      expect((await visit(`/code.php?s=${code}`)).status).toBe(code)
    const gone = await visit('/status-line.php')
    expect([gone.status, gone.text]).toEqual([410, 'gone'])
    const refused = await visit('/status-header.php')
    expect([refused.status, refused.headers['status']]).toEqual([403, undefined])
    for (const code of [204, 304]) {
      const bare = await visit(`/code.php?s=${code}`)
      expect([bare.status, bare.text]).toEqual([code, ''])
    }
  })

  it('redirects', async () => {
    const found = await site().visit('/redirect.php')
    expect([found.status, found.headers['location']]).toEqual([302, '/server.php?x=1'])
    const moved = await site().visit('/redirect-308.php')
    expect([moved.status, moved.headers['location']]).toEqual([308, '/there'])
  })

  it('answers HEAD without a body', async () => {
    const head = await site().visit('/binary.php', { method: 'HEAD' })
    expect([head.status, head.headers['content-type'], head.body.length]).toEqual([
      200,
      'image/png',
      0,
    ])
  })

  it('goes on after a flush, and may say nothing', async () => {
    const flushed = await site().visit('/flushed.php')
    expect(flushed.text).toBe('first second third')
    expect(flushed.headers['x-head']).toBe('sent')
    const empty = await site().visit('/empty.php')
    expect([empty.status, empty.text]).toEqual([200, ''])
    const silent = await site().visit('/silent.txt.php')
    expect([silent.status, silent.text]).toEqual([200, ''])
    expect(silent.headers['content-type']).toMatch(/^text\/plain/)
  })

  it('keeps sessions in the account’s own directory', async () => {
    const { visit, tenant } = site()
    const first = await visit('/session.php')
    const directory = tenant.path('sessions')
    expect(first.text).toBe(`1 ${directory}`)
    const cookie = first.setCookies[0]?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^PHPSESSID=/)
    for (const n of [2, 3])
      expect((await visit('/session.php', { headers: { Cookie: cookie } })).text).toBe(
        `${n} ${directory}`,
      )
  })

  it('fills the page cache', async () => {
    const first = await site().visit('/page.php')
    expect([first.status, first.headers['x-cache']]).toEqual([200, 'MISS'])
    const second = await site().visit('/page.php')
    expect([second.text, second.headers['x-cache']]).toEqual([first.text, 'HIT'])
  })

  it('does not wait for what a script leaves in the background', async () => {
    const before = performance.now()
    expect((await site().visit('/background.php')).text).toBe('at once')
    // The two programs sleep 20 s.
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  it('runs nothing that is no PHP file, and finds none that is not there', async () => {
    const { visit } = site()
    for (const path of ['/photo.jpg/y.php', '/photo.jpg/', '/missing.php', '/server.php.bak']) {
      const answer = await visit(path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.text).not.toContain('executed-photo')
    }
    expect((await visit('/photo.jpg')).text).toBe('<?php echo "executed-photo";')
  })
}
