import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCRIPT_SETTLED_MS } from '#edge-cache/fields/script-header.ts'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'

const soon = { timeout: 20_000, interval: 100 }

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite({ workers: 1 })
})
afterAll(() => site?.stop())

const ask = (host: string, path: string, language: string) =>
  get(
    site.web.port,
    host,
    path,
    `Accept-Language: ${language}\r\nUser-Agent: Browser ${language}\r\n`,
  )
interface Found {
  since_ms: number
  why: string
  page: string
}
const variesOf = async (domain: string): Promise<Found | null> => {
  // The report is made anew twice a second.
  await site.web.control('POST', '/cache/forget-cookie', { domain, name: 'none' })
  const { body } = await site.web.control('GET', '/cache')
  return (body as { sites: Record<string, { varies: Found | null }> }).sites[domain]?.varies ?? null
}

describe('a site that answers by language without saying so', () => {
  it('is noticed by a sample, and filled by neutral requests from then on', async () => {
    // Of a script that was changed just now, pages are asked for again soon.
    const { ctimeMs } = statSync(join(site.root, 'index.php'))
    await expect.poll(() => Date.now() - ctimeMs, soon).toBeGreaterThan(SCRIPT_SETTLED_MS + 500)
    site.page(
      '/lang',
      `$de = str_starts_with($_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? '', 'de');
       echo $de ? '<html lang="de">Guten Tag' : '<html lang="en">Good day';`,
    )
    site.page(
      '/same',
      `echo '<html lang="en">Good day at ' . hrtime(true) . bin2hex(random_bytes(8));`,
    )
    const german = '<html lang="de">Guten Tag'
    const english = '<html lang="en">Good day'
    expect((await ask('p.test', '/lang', 'de-DE')).body).toBe(german)
    await ask('q.test', '/same', 'de-DE')
    const filledAtMs = Date.now()
    await expect.poll(() => Date.now() - filledAtMs, soon).toBeGreaterThan(5100)
    expect([site.runs('/lang'), site.runs('/same')]).toEqual([1, 1])
    // Not in the wake of the first visit.
    const second = await ask('p.test', '/lang', 'en')
    expect([second.body, second.headers['x-cache']]).toEqual([german, 'HIT'])
    expect((await ask('q.test', '/same', 'en')).headers['x-cache']).toBe('HIT')

    await expect
      .poll(() => variesOf('p.test'), soon)
      .toMatchObject({ why: 'language', page: '/lang' })
    // The visitor's own run, and the two of the sample.
    expect(site.runs('/lang')).toBe(3)
    // The next visitor's own run tells that there is a page, the neutral one fills it.
    const next = async () => (await ask('p.test', '/lang', 'de-DE')).headers['x-cache']
    await expect.poll(next, soon).toBe('MISS')
    await expect.poll(() => site.runs('/lang'), soon).toBe(5)
    await expect.poll(async () => (await ask('p.test', '/lang', 'de-DE')).body, soon).toBe(english)
    for (const language of ['de-DE', 'en', 'fr']) {
      const answer = await ask('p.test', '/lang', language)
      expect([answer.body, answer.headers['x-cache']]).toEqual([english, 'HIT'])
    }
    expect(site.runs('/lang')).toBe(5)

    // Of the other site a sample was taken too, and nothing follows from it.
    await expect.poll(() => site.runs('/same'), soon).toBe(3)
    expect(await variesOf('q.test')).toBeNull()
    expect((await ask('q.test', '/same', 'en')).headers['x-cache']).toBe('HIT')
    expect(site.runs('/same')).toBe(3)

    const { body } = await site.web.control('POST', '/cache/insight', { domain: 'p.test' })
    expect(JSON.stringify(body)).toContain('"cause":"varies"')
  }, 60_000)

  it('is known after a restart', async () => {
    await site.web.end()
    await site.web.startAgain()
    expect(await variesOf('p.test')).toMatchObject({ why: 'language', page: '/lang' })
    site.page('/new', `echo empty($_SERVER['HTTP_ACCEPT_LANGUAGE']) ? 'neutral' : 'own';`)
    expect((await ask('p.test', '/new', 'de')).body).toBe('own')
    await expect.poll(async () => (await ask('p.test', '/new', 'en')).body, soon).toBe('neutral')
    expect(await variesOf('q.test')).toBeNull()
  })
})
