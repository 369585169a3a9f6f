import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import type { FiguresBatch } from '#handlers/ports/host/figures.ts'
import { H2Client } from '../support/h2-client.ts'
import { KeptConnection } from '../support/get.ts'
import { siteToml, startStaticWeb } from '../support/static-web.ts'
import { eventually, type WebProcess } from '../support/web-process.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

let web: WebProcess
beforeAll(async () => {
  web = await startStaticWeb()
  web.writeHosts('other', siteToml(web, 'other.test', 'aliases = ["www.other.test"]'))
  await web.control('POST', '/reload')
})
afterAll(() => web.remove())

let acknowledged: string | null = null
/** What was counted of a site since the last call, over all workers. */
const take = async (): Promise<(site: string) => SiteDay> => {
  const sums = new Map<string, SiteDay>()
  for (;;) {
    const { status, body } = await web.control('POST', '/figures', { acknowledged })
    expect(status).toBe(200)
    const { batch, parts, more } = body as FiguresBatch
    acknowledged = batch
    for (const { site, figures } of parts) {
      const sum = sums.get(site) ?? new SiteDay()
      sum.add(figures)
      sums.set(site, sum)
    }
    if (!more) return (site) => sums.get(site) ?? new SiteDay()
  }
}

/** Asks on a connection of its own, as many times as there are targets. */
const ask = async (host: string, targets: readonly string[], agent = BROWSER): Promise<void> => {
  const connection = new KeptConnection(web.port, host)
  for (const target of targets) await connection.get(target, `User-Agent: ${agent}\r\n`)
  connection.close()
}

describe('figures of sites', () => {
  it('are exact over all workers, names and ways', async () => {
    await take()
    for (let connection = 0; connection < 12; connection++)
      await ask(connection % 2 === 0 ? 'other.test' : 'www.other.test', ['/', '/', '/none?pw=1'])
    await ask('other.test', ['/', '/'], 'curl/8.5.0')
    await ask('stranger.test', ['/'])
    const client = await H2Client.open(web.sslPort, 'other.test')
    for (let turn = 0; turn < 3; turn++)
      expect((await client.get('/', { 'user-agent': BROWSER })).status).toBe(200)
    client.close()
    const { requests, botRequests, visitors, ...sum } = (await take())('other.test')
    expect([requests, botRequests, visitors.count()]).toEqual([41, 2, 1])
    expect(Object.fromEntries(sum.statuses)).toEqual({ 200: 29, 404: 12 })
    expect(sum.pages.list()).toEqual([['/', 27]])
    expect(sum.missing.list()).toEqual([['/none', 12]])
    expect(sum.bots.list()).toEqual([['programs', 2]])
    expect((await take())('other.test').requests).toBe(0)
  })

  it('lose nothing with workers that are replaced, and little with one that is killed', async () => {
    await take()
    await ask('m.test', ['/', '/'])
    const old = web.workers()
    await web.control('POST', '/restart')
    await eventually('old workers are gone', () => !web.workers().some((pid) => old.includes(pid)))
    const sum = await take()
    expect(sum('m.test').requests).toBe(2)
    await ask('m.test', ['/'])
    await web.control('GET', '/counters')
    // What it had told is kept.
    const [victim] = web.workers()
    if (victim !== undefined) process.kill(victim, 'SIGKILL')
    await eventually('another worker serves', () => {
      const now = web.workers()
      return now.length === old.length && !now.includes(victim ?? 0)
    })
    const after = await take()
    expect(after('m.test').requests).toBe(1)
    // The same visitor as before, though another worker has met him.
    await ask('m.test', ['/'])
    const again = (await take())('m.test').visitors
    again.merge(after('m.test').visitors.toText())
    expect(again.count()).toBe(1)
  })

  it('lose nothing with a restart of the web server, and count nobody anew after it', async () => {
    await take()
    await ask('m.test', ['/', '/'])
    const { body } = await web.control('POST', '/figures', { acknowledged })
    const handed = body as FiguresBatch
    await ask('m.test', ['/'])
    expect(await web.end()).toBe(0)
    await web.startAgain()
    await ask('m.test', ['/'])
    // What was handed out and never acknowledged is handed out again.
    const again = (await web.control('POST', '/figures', { acknowledged })).body as FiguresBatch
    expect(again).toEqual({ ...handed, more: again.more })
    acknowledged = again.batch
    const rest = (await take())('m.test')
    expect(rest.requests).toBe(2)
    for (const { figures } of handed.parts) rest.visitors.merge(figures.visitors)
    expect(rest.visitors.count()).toBe(1)
    // It is not taken over a second time.
    await web.end('SIGKILL')
    await web.startAgain()
    expect((await take())('m.test').requests).toBe(0)
  })

  it('are forgotten with their site', async () => {
    await ask('other.test', ['/'])
    web.writeHosts('other', '')
    await web.control('POST', '/reload')
    web.writeHosts('other', siteToml(web, 'other.test'))
    await web.control('POST', '/reload')
    expect((await take())('other.test').requests).toBe(0)
  })

  it('refuse a body that names no batch', async () => {
    expect((await web.control('POST', '/figures', { acknowledged: 7 })).status).toBe(400)
  })

  it('keep nothing of visitors on the disk but a key of today', async () => {
    const file = join(web.directory, 'run/pages/visitor-key.json')
    await eventually('the key is kept', () => existsSync(file))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { day } = JSON.parse(readFileSync(file, 'utf8')) as { day: number }
    expect(Math.abs(day - Date.now() / 86_400_000)).toBeLessThan(2)
  })
})
