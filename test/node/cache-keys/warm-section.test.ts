import { afterEach, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

let site: CacheSite | null = null
afterEach(async () => {
  await site?.stop()
  site = null
})
const start = async (cache: string): Promise<CacheSite> =>
  (site = await startCacheSite({ cache, workers: 1 }))

interface Receipt {
  queued: number
  duplicates: number
  rejected: { url: string; reason: string }[]
}
const warm = async ({ web }: CacheSite, paths: readonly string[]): Promise<Receipt> => {
  const query = new URLSearchParams(paths.map((path) => ['url', path]))
  const { body } = await web.management('POST', `/api/v1/cache/warm?domain=p.test&${query}`)
  return body as Receipt
}
interface Report {
  queue_limit: number
  done: number
  failed: number
  targets: { attempts: number }[]
}
const report = async ({ web }: CacheSite) => {
  const { body } = await web.management('GET', '/api/v1/cache/stats')
  return (body as { warm: Report }).warm
}

// The other warm_* keys are tested with the queue itself, in test/node/warm.
describe('[cache] warm_*', () => {
  it('cache.warm_max_queue_size: what finds no room is rejected', async () => {
    const one = await start('warm_max_queue_size = 2\nwarm_max_concurrency = 1\n')
    const paths = Array.from({ length: 8 }, (_, n) => `/w${n}`)
    for (const path of paths) one.page(path, `usleep(200000); echo 'page';`)
    const { queued, rejected } = await warm(one, paths)
    expect(queued).toBeGreaterThanOrEqual(2)
    expect(queued).toBeLessThanOrEqual(3)
    expect(rejected).toHaveLength(paths.length - queued)
    expect((await report(one)).queue_limit).toBe(2)
  })

  it('cache.warm_dedupe_window_secs: so long a target is not taken again', async () => {
    const one = await start('warm_dedupe_window_secs = 1\n')
    expect(await warm(one, ['/a', '/a'])).toMatchObject({ queued: 1, duplicates: 1 })
    await eventually('it is done', async () => (await report(one)).done === 1)
    await eventually('the window ends', async () => (await warm(one, ['/a'])).queued === 1)
    await one.stop()
    const long = await start('')
    await warm(long, ['/a'])
    await eventually('it is done', async () => (await report(long)).done === 1)
    expect(await warm(long, ['/a'])).toMatchObject({ queued: 0, duplicates: 1 })
  })

  it('cache.warm_max_retries and cache.warm_retry_backoff_ms: how often, and how far apart', async () => {
    const settledMs = async (backoffMs: number, retries: number): Promise<number> => {
      const one = await start(
        `warm_max_retries = ${retries}\nwarm_retry_backoff_ms = ${backoffMs}\n`,
      )
      one.page('/a', `http_response_code(500);`)
      await warm(one, ['/a'])
      await eventually('the first attempt', () => one.runs('/a') >= 1)
      const firstMs = performance.now()
      await eventually('all attempts', async () => (await report(one)).failed === 1)
      expect((await report(one)).targets.at(-1)?.attempts).toBe(1 + retries)
      await one.stop()
      return performance.now() - firstMs
    }
    await settledMs(10, 0)
    expect(await settledMs(3000, 1)).toBeGreaterThan(1000)
    await settledMs(10, 2)
  })

  it('cache.warm_request_timeout_ms: a page that takes longer has failed', async () => {
    const one = await start('warm_request_timeout_ms = 3000\nwarm_max_retries = 0\n')
    one.page('/slow', `sleep(20); echo 'page';`)
    one.page('/quick', `echo 'page';`)
    await warm(one, ['/slow', '/quick'])
    await eventually('both are settled', async () => {
      const { done, failed } = await report(one)
      return done === 1 && failed === 1
    })
  })
})
