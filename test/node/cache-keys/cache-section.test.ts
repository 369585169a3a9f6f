import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

let site: CacheSite | null = null
afterEach(async () => {
  await site?.stop()
  site = null
})
const start = async (cache: string): Promise<CacheSite> => (site = await startCacheSite({ cache }))

/** `X-Cache` of `times` visits, one after the other. */
const visits = async ({ web }: CacheSite, path: string, times: number): Promise<string[]> => {
  const answers = []
  for (let n = 0; n < times; n++) {
    answers.push((await get(web.port, 'p.test', path)).headers['x-cache'] ?? 'none')
  }
  return answers
}
interface Layer {
  entries: number
  limit_bytes: number
  evictions: number
}
const layers = async ({ web }: CacheSite): Promise<{ l1: Layer | null; l2: Layer | null }> =>
  (await web.management('GET', '/api/v1/cache/stats')).body as Awaited<ReturnType<typeof layers>>
const restart = async ({ web }: CacheSite): Promise<void> => {
  await web.end()
  await web.startAgain()
}

// The key in each title is what the table of keys looks for.
describe('[cache]', () => {
  it('cache.enable: off, every visit reaches PHP and no layer exists', async () => {
    const off = await start('enable = false\n')
    expect(await visits(off, '/a', 3)).toEqual(['none', 'none', 'none'])
    expect(off.runs('/a')).toBe(3)
    expect(await layers(off)).toMatchObject({ l1: null, l2: null })
  })

  it('cache.l1_enabled: off, pages come from the disk alone', async () => {
    const one = await start('l1_enabled = false\n')
    expect(await visits(one, '/a', 3)).toEqual(['MISS', 'HIT', 'HIT'])
    expect(await layers(one)).toMatchObject({ l1: null, l2: { entries: 1 } })
  })

  it('cache.l2_enabled: off, pages are in memory alone and end with it', async () => {
    const one = await start('l2_enabled = false\nmemory_limit = "16M"\n')
    await visits(one, '/a', 8)
    expect(await layers(one)).toMatchObject({ l2: null })
    expect(existsSync(join(one.web.directory, 'state/cache/pages.db'))).toBe(false)
    await restart(one)
    expect(await visits(one, '/a', 1)).toEqual(['MISS'])
  })

  it('cache.l1_enabled and cache.l2_enabled off together: nothing is stored', async () => {
    const none = await start('l1_enabled = false\nl2_enabled = false\n')
    expect(await visits(none, '/a', 3)).toEqual(['MISS', 'MISS', 'MISS'])
    expect(none.runs('/a')).toBe(3)
    expect(await layers(none)).toMatchObject({ l1: null, l2: null })
  })

  it('cache.storage: memory has no disk layer, whatever l2_enabled says; disk outlives a restart', async () => {
    const memory = await start(
      'storage = "memory"\nl2_enabled = true\ndisk_path = "{dir}/state/cache"\n',
    )
    await visits(memory, '/a', 2)
    expect(await layers(memory)).toMatchObject({ l2: null })
    await restart(memory)
    expect(await visits(memory, '/a', 1)).toEqual(['MISS'])
    await memory.stop()
    const disk = await start('storage = "disk"\ndisk_path = "{dir}/state/cache"\n')
    await visits(disk, '/a', 2)
    await restart(disk)
    expect(await visits(disk, '/a', 1)).toEqual(['HIT'])
  })

  it('cache.disk_path: the files lie there', async () => {
    const one = await start('storage = "disk"\ndisk_path = "{dir}/elsewhere"\n')
    await visits(one, '/a', 1)
    expect(existsSync(join(one.web.directory, 'elsewhere/pages.db'))).toBe(true)
    expect(existsSync(join(one.web.directory, 'state/cache'))).toBe(false)
  })

  it('cache.memory_limit and cache.disk_limit: bound their layers', async () => {
    const small = await start('memory_limit = "2M"\ndisk_limit = "3M"\n')
    const body = 'x'.repeat(60_000)
    for (let n = 0; n < 90; n++) {
      small.page(`/${n}`, `echo '${body}';`)
      await visits(small, `/${n}`, 1)
    }
    const { l1, l2 } = await layers(small)
    expect(l1?.limit_bytes).toBe(2 * 2 ** 20)
    expect(l2?.limit_bytes).toBe(3 * 2 ** 20)
    expect(l1?.evictions).toBeGreaterThan(30)
    expect(l2?.evictions).toBeGreaterThan(30)
    // Those who were pushed out of both are asked for again.
    expect(await visits(small, '/0', 1)).toEqual(['MISS'])
  })

  it('cache.default_ttl: hosts without a ttl of their own keep pages so long', async () => {
    const one = await start('default_ttl = 1\n')
    const began = performance.now()
    await visits(one, '/a', 1)
    await eventually('it expires', async () => (await visits(one, '/a', 1))[0] === 'MISS')
    expect(performance.now() - began).toBeGreaterThan(900)
    // It lives for a second: a visit may come after its end and fill it again.
    await eventually('a hit says so', async () => {
      const status = (await get(one.web.port, 'p.test', '/a')).headers['cache-status']
      return /hit; ttl=[01]\b/.test(String(status))
    })
  })

  it('cache.grace_secs: a page past its end is served while one request refreshes it', async () => {
    for (const [grace, first] of [
      ['grace_secs = 60\n', 'old'],
      ['', 'new'],
    ] as const) {
      const one = await start(`default_ttl = 1\n${grace}`)
      one.page('/a', `echo 'old';`)
      await visits(one, '/a', 1)
      one.page('/a', `echo 'new';`)
      // Time itself is what is waited for: no visit may start the refreshing early.
      await new Promise((resolve) => setTimeout(resolve, 1300))
      const body = async (): Promise<string> => (await get(one.web.port, 'p.test', '/a')).body
      expect(await body()).toBe(first)
      await eventually('it is refreshed', async () => (await body()) === 'new')
      await one.stop()
    }
  })

  it('cache.ignore_query_params: tracking parameters are nothing to the cache and to PHP', async () => {
    const one = await start('ignore_query_params = ["utm_*", "fbclid"]\n')
    expect(await visits(one, '/a?utm_source=x', 1)).toEqual(['MISS'])
    expect(await visits(one, '/a', 1)).toEqual(['HIT'])
    expect(await visits(one, '/a?fbclid=1&utm_medium=mail', 1)).toEqual(['HIT'])
    expect((await get(one.web.port, 'p.test', '/a')).body).not.toContain('utm_source')
    expect(await visits(one, '/a?page=2', 2)).toEqual(['MISS', 'MISS'])
    expect(await visits(one, '/a?page=2&utm_source=x', 2)).toEqual(['MISS', 'MISS'])
  })

  it('cache.mobile_variant: phones have pages of their own', async () => {
    const one = await start('mobile_variant = true\n')
    one.page(
      '/a',
      `echo str_contains($_SERVER['HTTP_USER_AGENT'] ?? '', 'Mobile') ? 'small' : 'wide';`,
    )
    const phone = 'User-Agent: Mozilla/5.0 (iPhone) Mobile Safari\r\n'
    for (let n = 0; n < 3; n++) {
      expect((await get(one.web.port, 'p.test', '/a')).body).toBe('wide')
      expect((await get(one.web.port, 'p.test', '/a', phone)).body).toBe('small')
    }
    expect(one.runs('/a')).toBe(2)
  })
})
