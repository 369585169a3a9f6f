import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { H2Client } from '../support/h2-client.ts'
import { get, KeptConnection } from '../support/get.ts'
import { siteToml, startStaticWeb } from '../support/static-web.ts'
import { eventually, type WebProcess } from '../support/web-process.ts'

const BIG_BYTES = 20_000_000
const CLOSED = 'over_bandwidth = true'

let web: WebProcess
beforeAll(async () => {
  web = await startStaticWeb()
  web.writeHosts('other', siteToml(web, 'other.test', 'aliases = ["www.other.test"]'))
  await web.control('POST', '/reload')
})
afterAll(() => web.remove())

interface Batch {
  batch: string
  bytes: Record<string, number>
}
let acknowledged: string | null = null
const take = async (): Promise<Record<string, number>> => {
  const { status, body } = await web.control('POST', '/traffic', { acknowledged })
  expect(status).toBe(200)
  acknowledged = (body as Batch).batch
  return (body as Batch).bytes
}

describe('what sites send', () => {
  it('is counted by virtual host, whichever worker and name answered', async () => {
    await take()
    const page = (await get(web.port, 'm.test')).body.length
    for (let i = 0; i < 5; i++) await get(web.port, 'm.test')
    await get(web.port, 'other.test')
    await get(web.port, 'www.other.test')
    await get(web.port, 'stranger.test')
    expect(await take()).toEqual({ 'm.test': 6 * page, 'other.test': 2 * page })
    expect(await take()).toEqual({})
  })

  it('counts what was sent of an answer that the client broke off', async () => {
    const { client } = new KeptConnection(web.port, 'm.test')
    client.write('GET /big.bin HTTP/1.1\r\nHost: m.test\r\n\r\n')
    await once(client.socket, 'data')
    client.destroy()
    let sum = 0
    await eventually('the broken answer is counted', async () => {
      sum += (await take())['m.test'] ?? 0
      return sum > 0
    })
    expect(sum).toBeLessThan(BIG_BYTES)
  })

  it('is handed over again until it is acknowledged, and not lost with a replaced worker', async () => {
    await take()
    await get(web.port, 'm.test')
    const first = await web.control('POST', '/traffic', { acknowledged })
    const again = await web.control('POST', '/traffic', { acknowledged })
    expect(again).toEqual(first)
    const page = (first.body as Batch).bytes['m.test']
    expect(page).toBeGreaterThan(0)
    await take()
    await get(web.port, 'm.test')
    const old = web.workers()
    await web.control('POST', '/restart')
    await eventually('old workers are gone', () => !web.workers().some((pid) => old.includes(pid)))
    expect(await take()).toEqual({ 'm.test': page })
  })

  it('refuses a body that names no batch', async () => {
    expect((await web.control('POST', '/traffic', { acknowledged: 7 })).status).toBe(400)
  })
})

describe('a site whose traffic is used up', () => {
  it('answers 509 with a page, on open connections too, and comes back', async () => {
    const kept = new KeptConnection(web.port, 'other.test')
    expect((await kept.get()).status).toBe(200)
    web.writeHosts('other', siteToml(web, 'other.test', CLOSED))
    await web.control('POST', '/reload')
    for (const answer of [await kept.get(), await get(web.port, 'other.test', '/big.bin')]) {
      expect(answer.status).toBe(509)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.body).toContain('Bandwidth limit exceeded')
    }
    expect((await get(web.port, 'm.test')).status).toBe(200)
    web.writeHosts('other', siteToml(web, 'other.test'))
    await web.control('POST', '/reload')
    expect((await kept.get()).status).toBe(200)
    kept.close()
  })

  it('answers 509 on an open HTTP/2 connection, under every name, and comes back', async () => {
    const names = ['other.test', 'www.other.test']
    const client = await H2Client.open(web.sslPort, 'other.test')
    const statuses = async (): Promise<number[]> => {
      const seen: number[] = []
      for (const name of names) seen.push((await client.get('/', { ':authority': name })).status)
      return seen
    }
    const closed = siteToml(web, 'other.test', `${CLOSED}\naliases = ["www.other.test"]`)
    const opened = siteToml(web, 'other.test', 'aliases = ["www.other.test"]')
    const serve = async (toml: string): Promise<void> => {
      web.writeHosts('other', toml)
      expect((await web.control('POST', '/reload')).status).toBe(200)
    }
    await serve(opened)
    await take()
    expect(await statuses()).toEqual([200, 200])
    const page = (await get(web.port, 'm.test')).body.length
    expect(await take()).toEqual({ 'm.test': page, 'other.test': 2 * page })
    await serve(closed)
    expect(await statuses()).toEqual([509, 509])
    await serve(opened)
    expect(await statuses()).toEqual([200, 200])
    client.close()
  })
})
