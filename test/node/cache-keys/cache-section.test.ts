import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

let site: CacheSite | null = null
afterEach(async () => {
  await site?.stop()
  site = null
})
const start = async (cache: string): Promise<CacheSite> =>
  (site = await startCacheSite({ cache, workers: 1 }))

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
})

describe('[cache], keys of one server that do not meet', () => {
  let one: CacheSite
  beforeAll(async () => {
    one = await startCacheSite({
      workers: 1,
      cache: `storage = "disk"
disk_path = "{dir}/elsewhere"
memory_limit = "2M"
disk_limit = "3M"
ignore_query_params = ["utm_*", "fbclid"]
mobile_variant = true
`,
    })
  })
  afterAll(() => one?.stop())

  it('cache.disk_path: the files lie there', async () => {
    await visits(one, '/a', 1)
    expect(existsSync(join(one.web.directory, 'elsewhere/pages.db'))).toBe(true)
    expect(existsSync(join(one.web.directory, 'state/cache'))).toBe(false)
  })

  it('cache.ignore_query_params: tracking parameters are nothing to the cache and to PHP', async () => {
    expect(await visits(one, '/query?utm_source=x', 1)).toEqual(['MISS'])
    expect(await visits(one, '/query', 1)).toEqual(['HIT'])
    expect(await visits(one, '/query?fbclid=1&utm_medium=mail', 1)).toEqual(['HIT'])
    expect((await get(one.web.port, 'p.test', '/query')).body).not.toContain('utm_source')
    expect(await visits(one, '/query?page=2', 2)).toEqual(['MISS', 'MISS'])
    expect(await visits(one, '/query?page=2&utm_source=x', 2)).toEqual(['MISS', 'MISS'])
  })

  it('cache.mobile_variant: phones have pages of their own', async () => {
    one.page(
      '/mobile',
      `echo str_contains($_SERVER['HTTP_USER_AGENT'] ?? '', 'Mobile') ? 'small' : 'wide';`,
    )
    const phone = 'User-Agent: Mozilla/5.0 (iPhone) Mobile Safari\r\n'
    for (let n = 0; n < 3; n++) {
      expect((await get(one.web.port, 'p.test', '/mobile')).body).toBe('wide')
      expect((await get(one.web.port, 'p.test', '/mobile', phone)).body).toBe('small')
    }
    expect(one.runs('/mobile')).toBe(2)
  })

  it('cache.memory_limit and cache.disk_limit: bound their layers', async () => {
    const body = 'x'.repeat(60_000)
    for (let n = 0; n < 90; n++) {
      one.page(`/${n}`, `echo '${body}';`)
      await visits(one, `/${n}`, 1)
    }
    const { l1, l2 } = await layers(one)
    expect(l1?.limit_bytes).toBe(2 * 2 ** 20)
    expect(l2?.limit_bytes).toBe(3 * 2 ** 20)
    expect(l1?.evictions).toBeGreaterThan(30)
    expect(l2?.evictions).toBeGreaterThan(30)
    // Those who were pushed out of both are asked for again; which ones depends on when the disk wrote.
    const first = Array.from({ length: 30 }, (_, n) => `/${n}`)
    const answers = []
    for (const path of first) answers.push(...(await visits(one, path, 1)))
    expect(answers).toContain('MISS')
  })
})

describe('[cache], how long a page counts', () => {
  let without: CacheSite
  beforeAll(async () => {
    without = await startCacheSite({ cache: 'default_ttl = 1\n', workers: 1 })
  })
  afterAll(() => without?.stop())

  it('cache.default_ttl: hosts without a ttl of their own keep pages so long', async () => {
    const began = performance.now()
    await visits(without, '/a', 1)
    await eventually('it expires', async () => (await visits(without, '/a', 1))[0] === 'MISS')
    expect(performance.now() - began).toBeGreaterThan(900)
    // It lives for a second: a visit may come after its end and fill it again.
    await eventually('a hit says so', async () => {
      const status = (await get(without.web.port, 'p.test', '/a')).headers['cache-status']
      return /hit; ttl=[01]\b/.test(String(status))
    })
  })

  it.each([
    ['kept', 'old'],
    ['without', 'new'],
  ] as const)(
    'cache.grace_secs (%s): a page past its end is served while one request refreshes it',
    async (name, first) => {
      const one = name === 'kept' ? await start('default_ttl = 1\ngrace_secs = 60\n') : without
      one.page('/grace', `echo 'old';`)
      await visits(one, '/grace', 1)
      one.page('/grace', `echo 'new';`)
      // Time itself is what is waited for: no visit may start the refreshing early.
      await new Promise((resolve) => setTimeout(resolve, 1300))
      const body = async (): Promise<string> => (await get(one.web.port, 'p.test', '/grace')).body
      expect(await body()).toBe(first)
      await eventually('it is refreshed', async () => (await body()) === 'new')
    },
  )
})
