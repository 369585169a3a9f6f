import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import {
  closeAll,
  connectionsPerWorker,
} from '#test/node/web-server/support/connections-per-worker.ts'
import { get } from '#test/node/web-server/support/get.ts'

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite({ host: '[virtualhost.cache]\nharmless_cookies = ["mine_*"]\n' })
})
afterAll(() => site?.stop())
beforeEach(() => forget('p.test', null))

const ask = (path: string, cookie = '', host = 'p.test') =>
  get(site.web.port, host, path, cookie === '' ? '' : `Cookie: ${cookie}\r\n`)
const xCache = async (path: string, cookie = '', host = 'p.test'): Promise<string | undefined> =>
  (await ask(path, cookie, host)).headers['x-cache']
/** Has a page stored that shows nothing of its visitor. */
const fill = async (path: string, hosts = ['p.test']): Promise<void> => {
  site.page(path, `echo 'page';`)
  for (const host of hosts) expect((await ask(path, '', host)).status).toBe(200)
}
/** A page that sets a cookie. */
const setting = (path: string, field: string, more = ''): Promise<unknown> => {
  site.page(path, `header('Set-Cookie: ${field}'); ${more} echo 'set';`)
  return ask(path)
}
const forget = async (domain: string, name: string | null): Promise<unknown> =>
  (await site.web.control('POST', '/cache/forget-cookie', { domain, name })).body
const learned = async (domain = 'p.test'): Promise<{ names: string[]; full: boolean }> => {
  // The report is made anew twice a second.
  await forget(domain, 'none')
  const { body } = await site.web.control('GET', '/cache')
  const { sites } = body as {
    sites: Record<
      string,
      { learned_cookies: { name: string; learned_at: string }[]; learned_full: boolean }
    >
  }
  const { learned_cookies = [], learned_full = false } = sites[domain] ?? {}
  for (const { learned_at } of learned_cookies) expect(Date.parse(learned_at)).not.toBeNaN()
  return { names: learned_cookies.map(({ name }) => name), full: learned_full }
}

describe('cookies that a site was seen to set', () => {
  it('keep their owners out in every worker, from the answer on that sets one', async () => {
    await fill('/page')
    const groups = await connectionsPerWorker(site.web, 'p.test', 1)
    const [a, b] = groups.flat()
    for (const one of [a, b]) {
      const answer = await one?.get('/page', 'Cookie: basket=1\r\n')
      expect(answer?.headers['x-cache']).toBe('HIT')
    }
    site.page('/add', `setcookie('basket', '1'); echo 'added';`)
    expect((await a?.get('/add'))?.status).toBe(200)
    for (const one of [b, a, b]) {
      const answer = await one?.get('/page', 'Cookie: Basket=1\r\n')
      expect(answer?.headers['x-cache']).toBe('MISS')
      expect(answer?.headers['cache-status']).toContain('detail=cookie')
      expect((await one?.get('/page'))?.headers['x-cache']).toBe('HIT')
    }
    closeAll(groups)
    expect(await learned()).toEqual({ names: ['basket'], full: false })
  })

  it('count at their own site, under all its names', async () => {
    await fill('/names', ['p.test', 'www.p.test', 'q.test'])
    await setting('/setnames', 'corner=1')
    expect(await xCache('/names', 'corner=1')).toBe('MISS')
    expect(await xCache('/names', 'corner=1', 'www.p.test')).toBe('MISS')
    expect(await xCache('/names', 'corner=1', 'q.test')).toBe('HIT')
  })

  it('are learned of redirects, and of answers to every method', async () => {
    site.page('/in', `setcookie('member', '1'); header('Location: /', true, 303);`)
    const answer = await ask('/in')
    expect(answer.status).toBe(303)
    expect((await learned()).names).toEqual(['member'])
  })

  it.each([
    [
      'that are taken away again',
      'gone=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0',
      '',
    ],
    ['of failures', 'failed=1', 'http_response_code(404);'],
    ['of our own errors', 'broken=1', 'http_response_code(500);'],
    ['known as harmless', '_ga=1', ''],
    ['that the owner calls harmless', 'mine_1=1', ''],
    ['known as sessions anyway', 'PHPSESSID=1', ''],
  ])('are not those %s', async (_what, field, more) => {
    await setting('/teach', field, more)
    expect(await learned()).toEqual({ names: [], full: false })
  })

  it('are the harmless ones of the owner neither, whatever they hold', async () => {
    await fill('/mine')
    expect(await xCache('/mine', 'mine_1=9f86d081884c7d659a2feaa0c55ad015')).toBe('HIT')
    expect(await xCache('/mine', 'yours_1=9f86d081884c7d659a2feaa0c55ad015')).toBe('MISS')
  })

  it('are bounded: where there are too many, every unknown cookie keeps its owner out', async () => {
    await fill('/many')
    site.page('/flood', `for ($i = 0; $i < 70; $i++) setcookie("name$i", '1'); echo 'set';`)
    expect(await xCache('/many', 'unseen=1')).toBe('HIT')
    await ask('/flood')
    const { names, full } = await learned()
    expect([names.length, full]).toEqual([64, true])
    expect(await xCache('/many', 'unseen=1')).toBe('MISS')
    expect(await xCache('/many', '_ga=1; mine_2=1')).toBe('HIT')
    expect(await forget('p.test', null)).toEqual({ forgotten: true })
    expect(await xCache('/many', 'unseen=1')).toBe('HIT')
  })

  it('can be forgotten one by one', async () => {
    await fill('/forget')
    await setting('/setforget', 'theme=dark')
    expect(await xCache('/forget', 'theme=dark')).toBe('MISS')
    expect(await forget('p.test', 'Theme')).toEqual({ forgotten: true })
    expect(await forget('p.test', 'theme')).toEqual({ forgotten: false })
    expect(await xCache('/forget', 'theme=dark')).toBe('HIT')
    const unknown = { domain: 'other.test', name: null }
    expect((await site.web.control('POST', '/cache/forget-cookie', unknown)).status).toBe(404)
  })

  it('outlive a restart, unless their site is gone', async () => {
    await setting('/setlasting', 'lasting=1')
    const file = `${site.web.directory}/state/cache/learned-cookies.json`
    expect(readFileSync(file, 'utf8')).toContain('"lasting"')
    await site.web.end('SIGKILL')
    await site.web.startAgain()
    expect(await learned()).toEqual({ names: ['lasting'], full: false })
    await fill('/after')
    expect(await xCache('/after', 'lasting=1')).toBe('MISS')
  })
})
