import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { RawClient, splitResponses } from '#test/node/web-server/support/raw-client.ts'

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite({ host: '[virtualhost.cache]\nmode = "http"\n' })
})
afterAll(() => site?.stop())

const ask = (path: string, fields = '') => get(site.web.port, 'p.test', path, fields)
/** Body and `X-Cache` of several visits, each on a connection of its own. */
const visits = async (count: number, path: string, fields = ''): Promise<string[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(path, fields)))
  return answers.map(({ headers, body }) => `${headers['x-cache']} ${body}`)
}
const send = async (method: string, path: string): Promise<number> => {
  const client = new RawClient(site.web.port)
  client.write(
    `${method} ${path} HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`,
  )
  await client.closed
  client.destroy()
  return splitResponses(client.text)[0]?.status ?? 0
}

const RUN = `strlen(file_get_contents("$page.runs"))`

describe('an application behind a virtual host in http mode, over two workers', () => {
  it('runs once for many, whatever its type and its query', async () => {
    site.page(
      '/api',
      `header('Content-Type: application/json'); header('Cache-Control: max-age=600'); usleep(200000); echo ${RUN};`,
    )
    const first = await visits(12, '/api?q=1')
    expect(new Set(first.map((answer) => answer.slice(-1)))).toEqual(new Set(['1']))
    expect(site.runs('/api')).toBe(1)
    expect((await ask('/api?q=2')).body).toBe('2')
    expect(new Set(await visits(12, '/api?q=1'))).toEqual(new Set(['HIT 1']))
  })

  it('is asked whether its answer still holds, and answers conditions and ranges from it', async () => {
    site.page(
      '/tagged',
      `header('Cache-Control: no-cache'); header('ETag: "v1"');
      if (($_SERVER['HTTP_IF_NONE_MATCH'] ?? '') === '"v1"') { http_response_code(304); exit; }
      echo 'whole answer';`,
    )
    await ask('/tagged')
    const again = await ask('/tagged')
    expect([again.status, again.body, again.headers['x-cache']]).toEqual([
      200,
      'whole answer',
      'HIT',
    ])
    expect(again.headers['cache-status']).toContain('detail=revalidated')
    expect((await ask('/tagged', 'If-None-Match: "v1"\r\n')).status).toBe(304)
    const part = await ask('/tagged', 'Range: bytes=0-4\r\n')
    expect([part.status, part.body]).toEqual([206, 'whole'])
    expect(site.runs('/tagged')).toBe(4)
  })

  it('selects by Vary, and never gives one visitor what is private to another', async () => {
    site.page(
      '/lang',
      `header('Cache-Control: max-age=600'); header('Vary: Accept-Language'); echo $_SERVER['HTTP_ACCEPT_LANGUAGE'];`,
    )
    for (const language of ['de', 'en', 'de', 'en']) {
      expect((await ask('/lang', `Accept-Language: ${language}\r\n`)).body).toBe(language)
    }
    expect(site.runs('/lang')).toBe(2)
    site.page(
      '/me',
      `header('Cache-Control: private, max-age=600'); usleep(50000); echo $_COOKIE['who'];`,
    )
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const bodies = await Promise.all(
      names.map(async (name) => (await ask('/me', `Cookie: who=${name}\r\n`)).body),
    )
    expect(bodies).toEqual(names)
  })

  it('changes what every worker serves when it is written to', async () => {
    site.page(
      '/item',
      `header('Cache-Control: max-age=600'); echo $_SERVER['REQUEST_METHOD'], ${RUN};`,
    )
    for (const method of ['POST', 'DELETE', 'PROPPATCH', 'M-SEARCH', 'POST']) {
      await visits(8, '/item')
      const before = site.runs('/item')
      expect(new Set(await visits(8, '/item'))).toEqual(new Set([`HIT GET${before}`]))
      expect(await send(method, '/item')).toBe(200)
      const after = await visits(8, '/item')
      expect(new Set(after.map((answer) => answer.split(' ')[1]))).toEqual(
        new Set([`GET${before + 2}`]),
      )
    }
  })

  it('is purged by path with every query', async () => {
    site.page('/list', `header('Cache-Control: max-age=600'); echo ${RUN};`)
    for (const path of ['/list', '/list?page=2']) await ask(path)
    for (const path of ['/list', '/list?page=2'])
      expect((await ask(path)).headers['x-cache']).toBe('HIT')
    const purged = await site.web.management('POST', '/api/v1/cache/purge?domain=p.test&path=/list')
    expect(purged.status).toBe(200)
    for (const path of ['/list', '/list?page=2'])
      expect((await ask(path)).headers['x-cache']).toBe('MISS')
  })

  it('never has an answer stored that broke off', async () => {
    site.page(
      '/short',
      `header('Cache-Control: max-age=600'); header('Content-Length: 99'); echo 'half';`,
    )
    for (let round = 0; round < 2; round++) await ask('/short').catch(() => undefined)
    expect(site.runs('/short')).toBe(2)
    site.page(
      '/fatal',
      `header('Cache-Control: max-age=600'); echo str_repeat('x', 20000); flush(); nothing();`,
    )
    for (let round = 0; round < 2; round++) await ask('/fatal').catch(() => undefined)
    expect(site.runs('/fatal')).toBe(2)
  })
})
