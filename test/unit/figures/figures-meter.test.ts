import { beforeEach, describe, expect, it } from 'vitest'
import { FiguresLedger } from '#adapters/node/web-server/figures/figures-ledger.ts'
import { FiguresMeter } from '#adapters/node/web-server/figures/figures-meter.ts'
import { VisitorKey } from '#adapters/node/web-server/figures/visitor-key.ts'
import { Visitor } from '#adapters/node/web-server/figures/visitor.ts'
import { KnownTargets } from '#adapters/node/web-server/http1/head/known-targets.ts'
import { dayText } from '#handlers/domain/figures/figures-day.ts'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import type { FiguresPart } from '#handlers/ports/host/figures.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const KEY = { day: 20_000, key: 'A'.repeat(43) + '=' }

let clock: { day: number }
let names: Record<string, string>
let meter: FiguresMeter

const makeMeter = (): FiguresMeter =>
  new FiguresMeter({
    clock,
    siteOf: (host) => names[host] ?? null,
    isProxy: (address) => address === '10.0.0.1',
    clientOf: (address, forwarded) => forwarded ?? address,
    key: new VisitorKey(KEY),
  })

const visitor = (
  over: Partial<{
    host: string
    address: string
    agent: string | null
    referer: string | null
    via: string
  }> = {},
): Visitor => {
  const { host = 'a.example', address = '192.0.2.1', agent = BROWSER, referer = null, via } = over
  return new Visitor(host, address, agent, referer, () => via ?? null)
}

const sumOf = (parts: readonly FiguresPart[]): SiteDay => {
  const sum = new SiteDay()
  for (const { figures } of parts) sum.add(figures)
  return sum
}

const page = (
  who: Visitor,
  target = '/',
  status = 200,
  cached: 'HIT' | 'MISS' | null = 'HIT',
): void => meter.hit(who, null, target, status, 100, cached)

beforeEach(() => {
  clock = { day: 20_000 }
  names = { 'a.example': 'a.example', 'www.a.example': 'a.example', 'b.example': 'b.example' }
  meter = makeMeter()
})

describe('what is counted of visitors', () => {
  it('is each answer of a site under all of its names, and none of others', () => {
    page(visitor())
    page(visitor({ host: 'www.a.example' }), '/x?y=1', 304)
    page(visitor({ host: 'none.example' }))
    page(visitor({ host: '' }))
    meter.record(visitor({ host: 'b.example' }), '/slow', 200, 50, 'MISS', 120.4)
    const parts = meter.take()
    expect(parts.map(({ site, day }) => [site, day])).toEqual([
      ['a.example', dayText(20_000)],
      ['b.example', dayText(20_000)],
    ])
    expect(parts[0]?.figures).toMatchObject({
      ...{ requests: 2, bytes: 200, hits: 2, misses: 0, bot_requests: 0 },
      statuses: { 200: 1, 304: 1 },
      pages: [
        ['/', 1],
        ['/x', 1],
      ],
    })
    expect(parts[1]?.figures).toMatchObject({ misses: 1, slow: [['/slow', 120, 1, 120]] })
    expect(meter.take()).toEqual([])
  })

  it('is one visitor for one address and browser, whatever he asks for and how often', () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'])
      for (const agent of [BROWSER, `${BROWSER} x`])
        for (let turn = 0; turn < 3; turn++) page(visitor({ address, agent }), `/${turn}`)
    // The two of IPv6 are in one network.
    expect(sumOf(meter.take()).visitors.count()).toBe(6)
    for (const via of ['198.51.100.1', '198.51.100.2', '198.51.100.1'])
      page(visitor({ address: '10.0.0.1', via }))
    expect(sumOf(meter.take()).visitors.count()).toBe(2)
  })

  it('knows who sends another head on the same connection, unless others do as well', () => {
    const first = visitor({ referer: 'https://one.example/' })
    page(first, '/1')
    const second = first.next('a.example', BROWSER, 'https://two.example/')
    expect(second.edition).toBe(first.edition)
    page(second, '/2')
    expect(second.next('a.example', BROWSER, 'https://two.example/')).toBe(second)
    page(second.next('b.example', BROWSER, null))
    page(second.next('a.example', 'curl/8', null))
    const [a, b] = meter.take() as [FiguresPart, FiguresPart]
    expect(a.figures).toMatchObject({ requests: 3, bot_requests: 1 })
    expect(new Set(a.figures.referrers)).toEqual(
      new Set([
        ['one.example', 1],
        ['two.example', 1],
      ]),
    )
    expect(b.figures.requests).toBe(1)
    const proxied = visitor({ address: '10.0.0.1', via: '198.51.100.1' })
    page(proxied)
    expect(proxied.next('a.example', BROWSER, null)).not.toBe(proxied)
    expect(proxied.next('a.example', BROWSER, null).edition).toBe(-1)
  })

  it('has programs apart', () => {
    const bot = visitor({ agent: 'Googlebot/2.1', referer: 'https://spam.example/' })
    page(bot, '/a')
    meter.record(bot, '/b', 404, 10, 'MISS', 5)
    page(visitor({ referer: 'https://news.example/x?y' }), '/c')
    const { figures } = meter.take()[0] as FiguresPart
    expect(figures).toMatchObject({
      ...{ requests: 3, bot_requests: 2, bot_bytes: 110 },
      bots: [['Googlebot', 2]],
      pages: [['/c', 1]],
      missing: [],
      referrers: [['news.example', 1]],
    })
    const sum = new SiteDay()
    sum.add(figures)
    expect(sum.visitors.count()).toBe(1)
  })

  it('has pages, what was not found, and where from, but not what belongs to pages', () => {
    const who = visitor({ referer: 'https://www.a.example/' })
    page(who, '/gone', 404, 'MISS')
    page(who, '/style.css', 200, 'MISS')
    page(who, '/old', 301, null)
    meter.record(who, '/', 200, 10, null, 3)
    meter.record(who, '/broken', 500, 10, 'MISS', 30)
    meter.record(who, '/socket', 101, 999, null, 600_000)
    expect(meter.take()[0]?.figures).toMatchObject({
      ...{ requests: 6, misses: 2, hits: 0, bytes: 1319 },
      referrers: [],
      missing: [['/gone', 1]],
      statuses: { 101: 1, 200: 2, 301: 1, 404: 1, 500: 1 },
      slow: [
        ['/broken', 30, 1, 30],
        ['/', 3, 1, 3],
      ],
    })
  })

  it('goes on with targets that are known, also after it was taken', () => {
    const targets = new KnownTargets()
    const bytes = Buffer.from('/page')
    const find = () => targets.find(bytes, 0, bytes.length, 7)
    find()
    const who = visitor()
    for (let turn = 0; turn < 5; turn++) meter.hit(who, find(), '/page', 200, 1, 'HIT')
    expect(meter.take()[0]?.figures.pages).toEqual([['/page', 5]])
    const other = visitor({ host: 'b.example' })
    for (let turn = 0; turn < 3; turn++) {
      meter.hit(who, find(), '/page', 200, 1, 'HIT')
      meter.hit(other, find(), '/page', 200, 1, 'HIT')
    }
    expect(meter.take().map(({ figures }) => figures.pages)).toEqual([
      [['/page', 3]],
      [['/page', 3]],
    ])
  })

  it('begins anew at midnight, with visitors that nobody knows again', () => {
    const who = visitor()
    page(who)
    clock.day++
    page(who)
    page(who)
    const [first, second] = meter.take() as [FiguresPart, FiguresPart]
    expect([first.day, second.day]).toEqual([dayText(20_000), dayText(20_001)])
    expect([first.figures.requests, second.figures.requests]).toEqual([1, 2])
    expect(first.figures.visitors).not.toBe(second.figures.visitors)
    // Another worker, whose key is as old, says the same of the same visitor.
    const elsewhere = makeMeter()
    elsewhere.hit(visitor(), null, '/', 200, 1, 'HIT')
    expect(elsewhere.take()[0]?.figures.visitors).toBe(second.figures.visitors)
  })

  it('leaves out sites that are gone', () => {
    const who = visitor()
    page(who)
    names = { 'b.example': 'b.example' }
    meter.hostsChanged()
    page(who)
    expect(meter.take()).toEqual([])
  })

  it('keeps no address, no agent and no query', () => {
    page(
      visitor({
        address: '203.0.113.77',
        agent: `${BROWSER} Ann`,
        referer: 'https://r.example/?q=secret',
      }),
      '/p?pw=secret',
    )
    const text = JSON.stringify(meter.take())
    for (const word of ['203.0.113', 'Ann', 'secret', 'Firefox']) expect(text).not.toContain(word)
  })

  it('stays within bounds, whatever comes', () => {
    for (let turn = 0; turn < 100_000; turn++) {
      const who = visitor({
        address: `192.0.2.${turn % 250}`,
        agent: `Mozilla/5.0 (${turn})`,
        referer: `https://r${turn}.example/`,
        host: turn % 3 === 0 ? `x${turn}.example` : 'a.example',
      })
      meter.hit(who, null, `/${turn}/${'x'.repeat(500)}`, turn % 2 === 0 ? 200 : 404, 1, 'MISS')
    }
    const parts = meter.take()
    expect(parts).toHaveLength(1)
    expect(JSON.stringify(parts).length).toBeLessThan(60_000)
    expect(parts[0]?.figures.requests).toBe(66_666)
  })
})

describe('the ledger of figures', () => {
  const partOf = (site: string, requests: number, day = '2026-11-24'): FiguresPart => ({
    ...{ site, day },
    figures: { ...new SiteDay().figures(), requests },
  })

  it('hands out a batch until it is acknowledged, and loses nothing', () => {
    const ledger = new FiguresLedger()
    ledger.note([partOf('a.example', 1), partOf('b.example', 2)])
    ledger.note([partOf('a.example', 3), partOf('a.example', 5, '2026-11-25')])
    const first = ledger.read(null)
    expect(first.parts.map(({ site, day, figures }) => [site, day, figures.requests])).toEqual([
      ['a.example', '2026-11-24', 4],
      ['b.example', '2026-11-24', 2],
      ['a.example', '2026-11-25', 5],
    ])
    ledger.note([partOf('a.example', 7)])
    expect(ledger.read('unknown')).toEqual(first)
    expect(ledger.read(first.batch).parts.map(({ figures }) => figures.requests)).toEqual([7])
  })

  it('goes on in another process, and forgets sites that are gone', () => {
    const ledger = new FiguresLedger()
    ledger.note([partOf('a.example', 1), partOf('b.example', 2)])
    const { batch } = ledger.read(null)
    ledger.note([partOf('a.example', 4), partOf('b.example', 8)])
    const next = new FiguresLedger()
    next.takeOver(JSON.parse(JSON.stringify(ledger.kept())) as ReturnType<FiguresLedger['kept']>)
    next.forget(['b.example'])
    expect(next.read(null).parts.map(({ figures }) => figures.requests)).toEqual([1])
    expect(next.read(batch).parts.map(({ figures }) => figures.requests)).toEqual([4])
  })

  it('comes in pieces where there are many sites, and is bounded', () => {
    const ledger = new FiguresLedger()
    for (let site = 0; site < 30_000; site++) ledger.note([partOf(`s${site}.example`, 1)])
    let sites = 0
    let batch = ledger.read(null)
    for (;;) {
      sites += batch.parts.length
      expect(batch.parts.length).toBeLessThanOrEqual(100)
      if (!batch.more) break
      batch = ledger.read(batch.batch)
    }
    expect(sites).toBe(20_000)
  })
})
