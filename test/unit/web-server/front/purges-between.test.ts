import { describe, expect, it } from 'vitest'
import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeSiteTag,
  purgeTag,
  softly,
} from '#edge-cache/index.ts'
import { scopesOfHost } from '#adapters/node/web-server/front/follow-hosts.ts'
import { FRONT_ITSELF, ORDERS_HOST, parseOrders } from '#adapters/node/web-server/front/orders.ts'
import { withOrders } from '#adapters/node/web-server/front/with-orders.ts'
import { createPurgesForFronts } from '#adapters/node/web-server/front/purges-for-fronts.ts'
import type { RedisOutbox } from '#adapters/node/web-server/cache/redis/redis-outbox.ts'
import { parseVisitor, visitorText } from '#adapters/node/web-channel/visitor-field.ts'

const SITES = [
  { domain: 'a.test', aliases: ['www.a.test'] },
  { domain: 'b.test', aliases: ['*.b.test'] },
]
const OWN: readonly (readonly [string, PurgeScope[]])[] = [
  ['a site', purgeDomain('a.test')],
  ['a site by another name', purgeDomain('www.a.test')],
  ['a tag of a site', purgeSiteTag('b.test', 'x')],
  ['a page', purgePath('a.test', '/p')],
  ['a page at a name of a wildcard', purgePath('any.b.test', '/p')],
  ['pages below a path', softly(purgePrefix('www.a.test', '/p/'))],
]
const FOREIGN: readonly (readonly [string, PurgeScope[]])[] = [
  ['a site', purgeDomain('c.test')],
  ['a tag of a site', purgeSiteTag('c.test', 'x')],
  ['a page', purgePath('c.test', '/p')],
  ['pages below a path', purgePrefix('c.test', '/')],
  ['pages of many names at once', [{ kind: 'prefix', prefix: 'https://' }]],
  ['a name and all that it begins', [{ kind: 'prefix', prefix: '//a.test' }]],
  ['nobody', [{ kind: 'tag', tag: 'host:' }]],
  ['a name that a name of the host begins', [{ kind: 'prefix', prefix: '//a.test.evil.test/' }]],
]

describe('what a host may have made new at a front', () => {
  it.each(OWN)('is its own: %s', (_, scopes) => {
    expect(scopesOfHost(scopes, SITES)).toEqual(scopes)
  })
  it.each(FOREIGN)("is not another's: %s", (_, scopes) => {
    expect(scopesOfHost(scopes, SITES)).toEqual([])
  })
  it('of everything is all of its sites, of a tag that tag at them', () => {
    expect(scopesOfHost(softly(purgeAll()), SITES)).toEqual(
      softly([...purgeDomain('a.test'), ...purgeDomain('b.test')]),
    )
    expect(scopesOfHost(purgeTag('x'), SITES)).toEqual([
      ...purgeSiteTag('a.test', 'x'),
      ...purgeSiteTag('b.test', 'x'),
    ])
  })
})

describe('a host that was taken over', () => {
  it('makes no more of its purges at a front than one of all its sites', () => {
    const many = Array.from({ length: 60_000 }, () => purgeAll()).flat()
    expect(scopesOfHost(many, SITES)).toEqual([...purgeDomain('a.test'), ...purgeDomain('b.test')])
  })
  it('is refused at the first of its purges that is none', () => {
    const scopes = Array.from({ length: 100_000 }, () => 1)
    expect(parseOrders(JSON.stringify({ purges: [{ id: 'x', scopes }] }))).toBeNull()
  })
})

describe('purges of a host', () => {
  const asked = async (visitor: Partial<typeof FRONT_ITSELF>, front?: true) => {
    const serve = withOrders(
      () => Promise.resolve(new Response('site')),
      () => Promise.resolve([{ id: 'x', scopes: purgeAll() }]),
    )
    const request = new Request(`https://${ORDERS_HOST}/purges`, {
      ...{ method: 'POST', body: '{"done":[]}', headers: { host: ORDERS_HOST } },
    })
    const context = { serverAddress: '', protocol: 'HTTP/1.1', rawTarget: '/purges' } as const
    const facts = { ...context, ...FRONT_ITSELF, ...visitor }
    return (await serve(request, front === true ? { ...facts, front } : facts)).text()
  }
  it('are told to a front itself', async () => {
    expect(await asked({}, true)).toContain('purges')
  })
  it('are told to no visitor who asks for that name through a front, or here', async () => {
    const visitor = { clientAddress: '192.0.2.1', clientPort: 4711, serverPort: 80 }
    expect(await asked({ ...visitor, secure: false }, true)).toBe('site')
    expect(await asked({ clientAddress: '0.0.0.0', serverPort: 443 }, true)).toBe('site')
    expect(await asked({})).toBe('site')
  })
})

const outboxOf = (): RedisOutbox & { left(): number } => {
  let waiting: (readonly PurgeScope[])[] = []
  return {
    get waiting() {
      return waiting
    },
    add: (scopes) => void waiting.push(scopes),
    done: (sent) => (waiting = waiting.filter((one) => !sent.includes(one))),
    left: () => waiting.length,
  }
}

describe('purges on their way to a front', () => {
  it('are kept where no front asks, and gone once one says that they are done', async () => {
    const outbox = outboxOf()
    const purges = createPurgesForFronts(outbox)
    expect(await purges.share(purgeDomain('a.test'))).toBe('kept')
    const orders = await purges.take([])
    expect(orders.map(({ scopes }) => scopes)).toEqual([purgeDomain('a.test')])
    const shared = purges.share(purgeDomain('b.test'))
    const [next] = await purges.take(orders.map(({ id }) => id))
    expect(outbox.left()).toBe(1)
    void purges.take([next?.id ?? '', 'of another run'])
    expect(await shared).toBe('shared')
    expect(outbox.left()).toBe(0)
  })

  it('go to another front where one says nothing more of them', async () => {
    let nowMs = 0
    const purges = createPurgesForFronts(outboxOf(), () => nowMs)
    await purges.share(purgeDomain('a.test'))
    const [first] = await purges.take([])
    nowMs += 5001
    expect(await purges.take([])).toEqual([first])
  })
})

it('a visitor is said in one way, and what is not said so is nobody', () => {
  const visitor = { clientAddress: '2001:db8::1', clientPort: 5, secure: true, serverPort: 443 }
  expect(parseVisitor(visitorText(visitor))).toEqual(visitor)
  for (const text of [
    '',
    'x 1 http 80',
    '192.0.2.1 1 ftp 80',
    '192.0.2.1 1 http 80 ',
    '1 1 http 1',
  ])
    expect(parseVisitor(text)).toBeNull()
})
