import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '#test/node/cache-redis/support/redis-server.ts'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { get } from '../support/get.ts'
import { phpHost } from '../support/php-site.ts'
import { startOverStorage, STORAGES } from '../support/start-over-storage.ts'
import { eventually, type WebProcess } from '../support/web-process.ts'
import { php, sharePhpSite } from '../support/shared-php-site.ts'

/** Each run writes another number, which only grows. */
const NUMBERED = `<?php
file_put_contents(__DIR__ . '/../runs', 'x', FILE_APPEND | LOCK_EX);
header('Content-Type: text/html; charset=utf-8');
header('Cache-Control: max-age=' . (str_contains($_SERVER['REQUEST_URI'], 'short') ? 1 : 60));
echo 'edition ', filesize(__DIR__ . '/../runs'), ' ', bin2hex(random_bytes(8));
`

let redis: RedisServer
sharePhpSite()
beforeAll(async () => {
  redis = await startRedis()
  writeFileSync(join(php.root, 'index.php'), NUMBERED)
})
afterAll(async () => {
  await redis.remove()
})

describe.each(STORAGES)('two workers over %s', (storage) => {
  let web: WebProcess
  beforeAll(async () => {
    web = await startOverStorage(
      storage,
      redis,
      `${phpHost(php, 'p.test')}${phpHost(php, 'rfc.test')}[virtualhost.cache]\nmode = "http"\n`,
    )
  })
  afterAll(() => web?.remove())
  beforeEach(() => php.resetRuns())

  /** Views over ten connections, one after the other: a miss, then hits of the same bytes. */
  const expectOneEdition = async (host: string, path: string): Promise<string> => {
    const seen = new Set<string>()
    let body = ''
    for (let n = 0; n < 10; n++) {
      const answer = await get(web.port, host, path)
      body = answer.body
      seen.add(`${answer.headers['x-cache']} ${body}`)
    }
    expect([...seen]).toEqual([`MISS ${body}`, `HIT ${body}`])
    return body
  }

  it.each(['p.test', 'rfc.test'])(
    'run the application once per page, and all see the same bytes (%s)',
    async (host) => {
      for (let page = 0; page < 5; page++) await expectOneEdition(host, `/page${page}`)
      expect(php.runs()).toBe(5)
      expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
      expect(await expectOneEdition(host, '/page0')).toContain('edition 6 ')
      expect(php.runs()).toBe(6)
      await eventually('the one page is counted', async () => {
        const { body } = await web.management('GET', '/api/v1/cache/stats')
        const { l2 } = body as { l2: { entries: number; bytes: number } | null }
        return l2?.entries === 1 && l2.bytes > 200
      })
    },
  )

  it('never go back to an older edition when a page expires', async () => {
    let latest = 0
    while (latest < 4) {
      const { body } = await get(web.port, 'p.test', '/short')
      const edition = Number(/^edition (\d+) /.exec(body)?.[1])
      expect(edition).toBeGreaterThanOrEqual(latest)
      latest = edition
    }
    // Whatever worker found it expired, one made it anew.
    expect(php.runs()).toBe(4)
  })

  it('let go of their copies when one of them stored a newer page', async () => {
    const groups = await connectionsPerWorker(web, 'rfc.test', 1)
    const [one, other] = groups.flat()
    // Both have it in their own memory.
    for (let n = 0; n < 3; n++) for (const each of [one, other]) await each?.get('/again')
    for (const by of [one, other]) {
      const newer = await by?.get('/again', 'Cache-Control: no-cache\r\n')
      for (const each of [one, other]) expect((await each?.get('/again'))?.body).toBe(newer?.body)
    }
    expect(php.runs()).toBe(3)
    closeAll(groups)
  })
})
