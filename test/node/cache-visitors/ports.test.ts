import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import {
  closeAll,
  connectionsPerWorker,
} from '#test/node/web-server/support/connections-per-worker.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

let site: CacheSite
beforeAll(async () => {
  site = await startCacheSite({ ports: 2 })
})
afterAll(() => site?.stop())

/** A page that says where it thinks it is. */
const PAGE = `echo 'at ' . $_SERVER['HTTP_HOST'] . ' ' . $_SERVER['SERVER_PORT'];`
const ask = async (port: number, host: string, path: string) => {
  const { status, headers, body } = await get(port, host, path)
  expect(status).toBe(200)
  return [headers['x-cache'], body]
}

describe('a page says where it was asked for', () => {
  it('at each port, and with the port in the Host and without, from the first view to every other', async () => {
    site.page('/where', PAGE)
    const [one = 0, two = 0] = site.web.ports
    // Where no port is named, something else may lead the usual one here.
    const asked = [
      [one, 'p.test', 'at p.test 80'],
      [one, `p.test:${one}`, `at p.test:${one} ${one}`],
      [two, `P.test:${two}`, `at p.test:${two} ${two}`],
    ] as const
    for (const [port, host, body] of asked)
      expect(await ask(port, host, '/where'), host).toEqual(['MISS', body])
    for (const [port, host, body] of [...asked, ...asked])
      expect(await ask(port, host, '/where'), host).toEqual(['HIT', body])
    // What a client makes up is no port of ours.
    expect(await ask(one, `p.test:${two}`, '/where')).toEqual(['HIT', 'at p.test 80'])
    expect(await ask(two, 'p.test', '/where')).toEqual(['HIT', 'at p.test 80'])
    expect(site.runs('/where')).toBe(3)

    expect(
      (await site.web.management('POST', '/api/v1/cache/purge?domain=p.test&path=/where')).status,
    ).toBe(200)
    for (const [port, host, body] of asked)
      expect(await ask(port, host, '/where'), host).toEqual(['MISS', body])
  })

  it('on a kept connection whose Host changes, over the fast path of every worker', async () => {
    site.page('/kept', PAGE)
    const [one = 0] = site.web.ports
    const plain = await connectionsPerWorker(site.web, 'p.test', 1)
    const shown = await connectionsPerWorker(site.web, `p.test:${one}`, 1)
    for (let round = 0; round < 3; round++) {
      for (const connection of plain.flat())
        expect((await connection.get('/kept')).body).toBe('at p.test 80')
      for (const connection of shown.flat())
        expect((await connection.get('/kept')).body).toBe(`at p.test:${one} ${one}`)
    }
    closeAll([...plain, ...shown])
    expect(site.runs('/kept')).toBe(2)
  })

  it('when it was warmed: as visitors name it', async () => {
    site.page('/warm', PAGE)
    const [one = 0] = site.web.ports
    const visits = await connectionsPerWorker(site.web, `p.test:${one}`, 1)
    for (const connection of visits.flat())
      for (let i = 0; i < 20; i++) await connection.get(`/visit${i}?i=${i}`)
    closeAll(visits)
    const order = { domain: 'p.test', batch: 'ports', urls: ['/warm'], discover: false }
    expect((await site.web.control('POST', '/cache/warm', order)).status).toBe(200)
    await eventually('it is warmed', async () => {
      const asked = { batch: 'ports' }
      const { body } = await site.web.control('POST', '/cache/warm-progress', asked)
      return (body as { done: number }).done === 1
    })
    expect(await ask(one, `p.test:${one}`, '/warm')).toEqual(['HIT', `at p.test:${one} ${one}`])
  })
})
