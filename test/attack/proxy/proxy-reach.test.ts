import type { LookupAddress } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createInternetAccess } from '#adapters/node/web-server/proxy/reach/internet-access.ts'
import { countHops } from '#adapters/node/web-server/proxy/reach/count-hops.ts'
import { internetTargetProblem } from '#handlers/domain/upstreams/internet-target.ts'
import { startFickleNames, type FickleNames } from '../../node/proxy/support/fickle-names.ts'
import {
  ask,
  proxyToml,
  serveHosts,
  startApp,
  type RunningApp,
} from '../../node/proxy/support/proxied-web.ts'
import { startWeb, type WebProcess } from '../../node/web-server/support/web-process.ts'

let names: FickleNames
beforeAll(async () => {
  names = await startFickleNames()
})
afterAll(() => names.close())
beforeEach(() => {
  names.names.clear()
  names.asked.length = 0
  names.silent = false
})

const INSIDE = [
  '127.0.0.1',
  '10.0.0.5',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '0.0.0.0',
  '::1',
  'fd00:ec2::254',
  'fe80::1',
  '::ffff:127.0.0.1',
]

const own = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))

describe('names that an owner chose', () => {
  const look = (
    name: string,
    isAllowed?: (address: string) => boolean,
  ): Promise<string | LookupAddress[]> => {
    const { lookup } = createInternetAccess({
      servers: [names.server],
      ...(isAllowed === undefined ? {} : { isAllowed }),
    })
    return new Promise((resolve) =>
      lookup(name, { all: true }, (error, found) =>
        resolve(error === null ? (found as LookupAddress[]) : error.message),
      ),
    )
  }

  it('lead into the internet', async () => {
    names.names.set('app.example', ['9.9.9.9', '2620:fe::fe'])
    expect(await look('app.example')).toEqual([
      { address: '9.9.9.9', family: 4 },
      { address: '2620:fe::fe', family: 6 },
    ])
  })

  it('lead nowhere near this machine, also where one address of several does', async () => {
    for (const address of INSIDE.filter((one) => !one.startsWith('::ffff'))) {
      names.names.set('in.example', ['9.9.9.9', address])
      expect(await look('in.example'), address).toContain('none of the internet')
    }
  })

  it("are no names of the machine's own", async () => {
    expect(await look('localhost')).not.toEqual(expect.any(Array))
  })

  it('are judged each time that they are looked up', async () => {
    const { lookup } = createInternetAccess({ servers: [names.server] })
    const once = (): Promise<string> =>
      new Promise((resolve) =>
        lookup('turn.example', {}, (error, address) =>
          resolve(error === null ? String(address) : error.message),
        ),
      )
    names.names.set('turn.example', ['9.9.9.9'])
    expect(await once()).toBe('9.9.9.9')
    names.names.set('turn.example', ['127.0.0.1'])
    // Kept for a while: what was judged is what is connected to, whatever the name says by now.
    expect(await once()).toBe('9.9.9.9')
    expect(names.asked).toHaveLength(2)
  })

  it('are not looked up more often for many that ask at once', async () => {
    const { lookup } = createInternetAccess({ servers: [names.server] })
    names.names.set('many.example', ['9.9.9.9'])
    await Promise.all(
      Array.from(
        { length: 200 },
        () => new Promise<void>((resolve) => lookup('many.example', {}, () => resolve())),
      ),
    )
    expect(names.asked).toHaveLength(2)
  })

  it('of addresses that stand in the configuration are judged as well', () => {
    const { allows } = createInternetAccess()
    for (const address of [...INSIDE, ...own()]) expect(allows(address), address).toBe(false)
    expect(allows('9.9.9.9')).toBe(true)
  })

  it.each([
    ...INSIDE.map((address) => `http://${address.includes(':') ? `[${address}]` : address}:8080`),
    'http://localhost:8080',
    'http://intranet',
    'http://0x7f000001:8080',
    'http://2130706433',
    'http://127.1',
    'unix:/run/berth/agent.sock',
    'http://app.example:22',
    'http://app.example:25',
    'https://app.example:6',
  ])('%s is refused', (upstream) => {
    expect(internetTargetProblem(upstream)).not.toBeNull()
  })

  it.each([
    'https://app.example',
    'http://app.example:8080',
    'http://9.9.9.9',
    'http://[2620:fe::fe]',
  ])('%s is fine', (upstream) => {
    expect(internetTargetProblem(upstream)).toBeNull()
  })

  it('end a circle', () => {
    const hops = (value?: string): number =>
      countHops(new Headers(value === undefined ? {} : { 'berth-hops': value }))
    expect([hops(), hops('1'), hops('3')]).toEqual([1, 2, 4])
    for (const value of ['4', '99', '-1', '1, 2', '1e9', 'x'])
      expect(() => hops(value), value).toThrow('in a circle')
  })
})

describe('a web server', () => {
  let web: WebProcess
  let app: RunningApp
  beforeAll(async () => {
    app = await startApp((message, out) => out.end(`app ${message.headers['berth-hops']}`))
    web = await startWeb({ workers: 1 })
  })
  afterAll(async () => {
    await web?.remove()
    await app?.close()
  })
  const account = (): string =>
    `root = "${web.directory}/home/t/public_html"\nhome = "${web.directory}/home/t"\nusername = "t"\nuid = 64321`

  it("takes no address of the inside for an owner's, and no port of its own for an administrator's", async () => {
    const refused = async (upstream: string, reach: string): Promise<void> => {
      web.writeHosts(
        't',
        proxyToml('t.test', 1, `reach = "${reach}"`, account()).replace(
          'http://127.0.0.1:1',
          upstream,
        ),
      )
      const { status } = await web.control('POST', '/reload')
      web.removeHosts('t')
      expect(status, `${reach} ${upstream}`).toBe(422)
    }
    await refused(`http://127.0.0.1:${app.port}`, 'internet')
    await refused('http://169.254.169.254', 'internet')
    await refused(`http://127.0.0.1:${web.port}`, 'anywhere')
    await refused(`http://127.0.0.1:${web.apiPort}`, 'anywhere')
    await refused(`unix:${web.directory}/run/web.sock`, 'anywhere')
  })

  it('says 502 for a name of the inside, with or without a connection that is kept', async () => {
    await serveHosts(
      web,
      't',
      proxyToml('t.test', 1, 'reach = "internet"', account()).replace(
        'http://127.0.0.1:1',
        `http://inside.localhost:${app.port}`,
      ),
    )
    for (const method of ['GET', 'POST'])
      expect((await ask(web.port, '/', { host: 't.test', method })).status).toBe(502)
  })

  it('leads where an administrator says, and counts how often', async () => {
    await serveHosts(web, 't', proxyToml('t.test', app.port, 'reach = "anywhere"', account()))
    const hops = (field: Record<string, string>) =>
      ask(web.port, '/', { host: 't.test', headers: field })
    expect((await hops({})).text).toBe('app 1')
    expect((await hops({ 'berth-hops': '4' })).status).toBe(502)
  })
})
