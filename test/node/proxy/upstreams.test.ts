import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { eventually, startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { createKilledApp, type KilledApp } from './support/killed-app.ts'
import { ask, serveHosts } from './support/proxied-web.ts'

let web: WebProcess
const apps: KilledApp[] = []

const hosts = (keys: string, weights = [1, 1, 1]): string => `
[[virtualhost]]
domain = "p.test"
[virtualhost.proxy]
upstreams = [
${apps.map(({ port }, at) => `  { upstream = "http://127.0.0.1:${port}", weight = ${weights[at] ?? 1} },`).join('\n')}
]
${keys}
[virtualhost.cache]
enable = false
`
interface State {
  upstream: string
  workers: number
  up: number
  active: number
  requests: number
  failures: number
}
const states = async (): Promise<State[]> => {
  const { body } = await web.management('GET', '/api/v1/upstreams')
  return (body as { upstreams: State[] }).upstreams
}
const allUp = (): Promise<void> =>
  eventually('all are up', async () => {
    await ask(web.port, '/')
    return (await states()).every(({ up }) => up === 1)
  })

beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  for (const [at, port] of (await freePorts(3)).entries())
    apps.push(createKilledApp(`app${at}`, port))
})
afterAll(async () => {
  await web?.remove()
})
beforeEach(async () => {
  await Promise.all(apps.map((app) => app.start()))
})
afterEach(async () => {
  await Promise.all(apps.map((app) => app.kill()))
})

/** Sends requests, `together` at a time, until `isOver`; how they ended, by count. */
const load = async (
  together: number,
  isOver: () => boolean,
  options: Parameters<typeof ask>[2] = {},
): Promise<Map<string, number>> => {
  const ends = new Map<string, number>()
  const one = async (): Promise<void> => {
    while (!isOver()) {
      const end = await ask(web.port, '/', options).then(
        ({ status }) => String(status),
        (error: unknown) => String(error),
      )
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: together }, one))
  return ends
}

describe('several upstreams of one application', () => {
  test('get requests by their weights', async () => {
    await serveHosts(web, 'p', hosts('', [1, 2, 1]))
    const counts = new Map<string, number>()
    for (let at = 0; at < 40; at++) {
      const { text } = await ask(web.port, '/')
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    expect(Object.fromEntries(counts)).toEqual({
      'app0 GET ': 10,
      'app1 GET ': 20,
      'app2 GET ': 10,
    })
    expect((await states()).map(({ requests, active, up }) => [requests, active, up])).toEqual([
      [10, 0, 1],
      [20, 0, 1],
      [10, 0, 1],
    ])
  })

  test('die and come back under load, and no request fails', async () => {
    await serveHosts(web, 'p', hosts('back_off_secs = 1'))
    let isOver = false
    const ends = load(20, () => isOver)
    for (const app of apps) {
      await app.kill()
      await new Promise((resolve) => setTimeout(resolve, 700))
      await app.start()
      await allUp()
    }
    isOver = true
    expect([...(await ends).keys()]).toEqual(['200'])
    const after = await states()
    expect(after.every(({ failures }) => failures > 0)).toBe(true)
    await eventually('nothing is under way', async () =>
      (await states()).every(({ active }) => active === 0),
    )
  })

  test('are asked with bodies where a connection stands', async () => {
    await serveHosts(web, 'p', hosts('back_off_secs = 2'))
    await apps[0]?.kill()
    for (let at = 0; at < 9; at++) {
      const { status, text } = await ask(web.port, '/', { method: 'POST', body: 'words' })
      expect([status, text.slice(4)]).toEqual([200, ' POST words'])
    }
    const [first] = await states()
    expect([first?.up, first?.failures]).toEqual([0, 1])
    await apps[0]?.start()
    await allUp()
  })

  test('a request that ends applications ends two of them at most', async () => {
    await serveHosts(web, 'p', hosts('back_off_secs = 3'))
    expect((await ask(web.port, '/crash')).status).toBe(502)
    expect((await ask(web.port, '/')).status).toBe(200)
    const { status } = await ask(web.port, '/crash', { method: 'POST', body: 'x' })
    expect(status).toBe(502)
    // Nobody is left: as with a single one.
    expect((await ask(web.port, '/')).status).toBe(502)
    for (const app of apps) {
      await app.kill()
      await app.start()
    }
    // Where all are out, each is asked all the same.
    expect((await ask(web.port, '/')).status).toBe(200)
    await allUp()
  })

  test('one slow address does not take one out, three in a row do', async () => {
    await serveHosts(web, 'p', hosts('timeout_secs = 1\nback_off_secs = 60'))
    const silent = () => ask(web.port, '/never').then(({ status }) => status)
    expect(await Promise.all([silent(), silent(), silent()])).toEqual([504, 504, 504])
    expect((await states()).map(({ up }) => up)).toEqual([1, 1, 1])
    const more = await Promise.all(Array.from({ length: 9 }, silent))
    expect(new Set(more)).toEqual(new Set([504]))
    expect((await states()).map(({ up }) => up)).toEqual([0, 0, 0])
    await serveHosts(web, 'p', hosts(''))
    expect((await states()).map(({ up }) => up)).toEqual([1, 1, 1])
  })

  test('one whose health path says so is left out, and taken back', async () => {
    await serveHosts(
      web,
      'p',
      hosts(['health_path = "/health"', 'health_interval_secs = 1'].join('\n')),
    )
    const { text } = await ask(web.port, '/unfit')
    const sick = Number(/^app(\d)/.exec(text)?.[1])
    await eventually('it is out', async () => (await states())[sick]?.up === 0)
    const ends = new Set<string>()
    for (let at = 0; at < 12; at++) ends.add((await ask(web.port, '/')).text.slice(0, 4))
    expect(ends.size).toBe(2)
    expect(ends.has(`app${sick}`)).toBe(false)
    await apps[sick]?.kill()
    await apps[sick]?.start()
    await eventually('it is back', async () => (await states())[sick]?.up === 1)
    await serveHosts(web, 'p', hosts(''))
  })

  test('are judged as a single one is', async () => {
    const of = (upstreams: string): string =>
      `[[virtualhost]]\ndomain = "a.test"\nusername = "alice"\nhome = "/home/alice"\n[virtualhost.proxy]\nupstreams = [{ upstream = "http://127.0.0.1:3000" }, ${upstreams}]\n`
    for (const [target, why] of [
      ['http://169.254.169.254', 'runs on this machine'],
      ['http://127.0.0.1:22', "which is the system's"],
      ['unix:/run/other.sock', "inside the account's home"],
      [`http://127.0.0.1:${web.apiPort}`, 'which is ours'],
    ]) {
      web.writeHosts('a', of(`{ upstream = "${target}" }`))
      const { status, body } = await web.control('POST', '/reload')
      expect(status).not.toBe(200)
      expect(JSON.stringify(body)).toContain(why)
      expect(JSON.stringify(body)).toContain('proxy.upstreams')
    }
    web.removeHosts('a')
  })
})
