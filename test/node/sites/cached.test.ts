import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Site } from '#test/contract/sites/sites-harness.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
let nowMs = Date.now()
let site: Site

const HTML = 'header("Content-Type: text/html");'
beforeAll(async () => {
  host.plant({
    '/count.php': `<?php ${HTML} file_put_contents(__DIR__ . "/../runs", "x", FILE_APPEND); echo "page ", $_SERVER["REQUEST_URI"];`,
    '/who.php': `<?php ${HTML} echo $_SERVER["HTTP_HOST"], " ", $_SERVER["HTTP_X_FORWARDED_HOST"] ?? "-", " ", $_SERVER["REQUEST_URI"];`,
    '/fatal.php': `<?php ${HTML} echo str_repeat("y", 20000); flush(); nothing();`,
    '/killed.php': `<?php ${HTML} echo str_repeat("y", 20000); flush(); usleep(100000); posix_kill(getmypid(), 9); sleep(5);`,
    '/short.php': `<?php ${HTML} header("Content-Length: 99999"); echo str_repeat("y", 20000);`,
    '/index.php': `<?php ${HTML} echo "front ", $_SERVER["REQUEST_URI"];`,
    '/page.html': 'first',
  })
  await host.startPhp()
})
afterAll(() => host.stop())
beforeEach(() => {
  site = host.site({}, {}, createMemoryPageCache({ nowMs: () => nowMs }))
})

const get = async (
  target: string,
  ask: Parameters<Site['visit']>[1] = {},
): Promise<[string | null, string]> => {
  const response = await site.visit(target, ask)
  return [response.headers.get('x-cache'), await response.text()]
}

describe('sites behind the page cache', () => {
  it('runs PHP once for many visitors, whatever the spelling of the address', async () => {
    const targets = ['/count.php', '/%63ount.php', '/./count.php', '/x/../count.php']
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => get(targets[index % 4] ?? '')),
    )
    expect(new Set(answers.map(([, text]) => text))).toEqual(new Set(['page /count.php']))
    expect(await get('/count.php')).toEqual(['HIT', 'page /count.php'])
    expect(readFileSync(join(host.home, 'runs'), 'utf8')).toBe('x')
  })

  it('keeps apart what the origin keeps apart', async () => {
    const targets = [
      '/a/b',
      '/a%2Fb',
      '/a//b',
      '/a;b',
      '/a%3Bb',
      '/%E6%97%A5',
      '/%E4%B8%AD',
      '/%FF',
    ]
    for (const target of targets) expect(await get(target)).toEqual(['MISS', `front ${target}`])
    for (const target of targets) expect(await get(target)).toEqual(['HIT', `front ${target}`])
  })

  it('gives no visitor what another one made up', async () => {
    const headers = { 'x-forwarded-host': 'evil.test' }
    await get('/who.php', { host: 'a.test:6666', headers })
    expect(await get('/who.php')).toEqual(['HIT', 'a.test - /who.php'])
    expect((await get('/who.php', { host: 'www.a.test' }))[1]).toBe('www.a.test - /who.php')
  })

  it('never stores a page that is not whole', async () => {
    for (let round = 0; round < 2; round++) {
      const fatal = await get('/fatal.php')
      expect([fatal[0], fatal[1].length]).toEqual(['MISS', 20_000])
      await expect(get('/killed.php')).rejects.toThrow()
      await expect(get('/short.php')).rejects.toThrow()
    }
  })

  it('shows an edited file within a second', async () => {
    expect(await get('/page.html')).toEqual(['MISS', 'first'])
    expect(await get('/page.html')).toEqual(['HIT', 'first'])
    host.plant({ '/page.html': 'second one' })
    nowMs += 1100
    expect((await get('/page.html'))[1]).toBe('second one')
    const { headers } = await site.visit('/page.html')
    expect(headers.has('berth-revalidate')).toBe(false)
  })
})
