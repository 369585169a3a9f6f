import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import {
  closeAll,
  connectionsPerWorker,
} from '#test/node/web-server/support/connections-per-worker.ts'
import type { KeptConnection } from '#test/node/web-server/support/get.ts'
import { RawClient, splitResponses } from '#test/node/web-server/support/raw-client.ts'

let site: CacheSite
/** One connection at each worker. */
let workers: KeptConnection[] = []
beforeAll(async () => {
  site = await startCacheSite({ rules: true, server: 'keepalive_timeout = 60' })
  workers = (await connectionsPerWorker(site.web, 'p.test', 1)).flat()
})
afterAll(async () => {
  closeAll([workers])
  await site?.stop()
})

const post = async (path: string): Promise<number | undefined> => {
  const client = new RawClient(site.web.port)
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: p.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  await client.closed
  return splitResponses(client.text)[0]?.status
}
/** PHP that writes rules, as an application does when its settings are saved. */
const writing = (rules: string, more = ''): string =>
  `file_put_contents($_SERVER['DOCUMENT_ROOT'] . '/.htaccess', ${JSON.stringify(rules)}); ${more}`

describe('rules that an application writes', () => {
  it('count in every worker when its answer has left', async () => {
    expect(workers).toHaveLength(2)
    site.page('/page', `echo 'page';`)
    for (let round = 0; round < 3; round++) {
      const names = [`X-Round-${round}: 1`, `X-Round-${round}: 2`]
      for (const [at, name] of names.entries()) {
        const value = at + 1
        site.page(
          '/save',
          writing(`Header set X-Round-${round} ${value}`, `header('Location: /', true, 303);`),
        )
        // Looked at just now, so that nobody would look again for a second.
        for (const one of workers) await one.get('/page')
        expect(await post('/save')).toBe(303)
        for (const one of workers) {
          const { headers } = await one.get('/page')
          expect(headers[`x-round-${round}`], name).toBe(String(value))
        }
      }
    }
  })

  it('in a directory that had none', async () => {
    const shop = join(site.root, 'shop')
    mkdirSync(shop)
    chmodSync(shop, 0o777)
    writeFileSync(join(shop, 'page.php'), '<?php echo "page";')
    site.page(
      '/shop/save',
      `file_put_contents($_SERVER['DOCUMENT_ROOT'] . '/shop/.htaccess', 'Header set X-Shop 1');`,
    )
    for (const one of workers)
      expect((await one.get('/shop/page.php')).headers['x-shop']).toBeUndefined()
    expect(await post('/shop/save')).toBe(200)
    for (const one of workers) expect((await one.get('/shop/page.php')).headers['x-shop']).toBe('1')
  })
})

describe('a page that becomes everybody’s', () => {
  it('is the same for all at once, though all workers took it to be nobody else’s', async () => {
    for (let page = 0; page < 20; page++) {
      const path = `/becomes${page}`
      site.page(path, `header('Cache-Control: private'); echo 'mine';`)
      for (const one of workers) expect((await one.get(path)).headers['x-cache']).toBe('MISS')
      site.page(path, `echo bin2hex(random_bytes(8));`)
      const order = page % 2 === 0 ? workers : workers.toReversed()
      const seen = []
      for (const one of [...order, ...order]) {
        const { headers, body } = await one.get(path)
        seen.push(`${headers['x-cache']} ${body}`)
      }
      const [first = ''] = seen
      const hit = first.replace('MISS', 'HIT')
      expect(first).toMatch(/^MISS /)
      expect(seen.slice(1)).toEqual([hit, hit, hit])
    }
  })
})
