import { describe, expect, it } from 'vitest'
import { parseDirectives, requestDirectives } from '#edge-cache/http-mode/directives.ts'
import { parseHttpDate, type PurgeScope } from '#edge-cache/index.ts'
import { createInvalidator, isUnsafe } from '#edge-cache/http-mode/invalidation.ts'
import { uriTag } from '#edge-cache/http-mode/uri-tag.ts'
import { selection, varyNames } from '#edge-cache/http-mode/vary.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['SUN, 06 nov 1994 08:49:37 gmt', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Monday, 06-Nov-76 08:49:37 GMT', Date.UTC(2076, 10, 6, 8, 49, 37)],
    ['Monday, 06-Nov-77 08:49:37 GMT', Date.UTC(1977, 10, 6, 8, 49, 37)],
  ])('reads %s', (text, ms) => {
    expect(parseHttpDate(text, NOW)).toBe(ms)
  })

  it.each([
    '0',
    '',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun, 32 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
  ])('takes %j for no date', (text) => {
    expect(parseHttpDate(text, NOW)).toBeNull()
  })
})

describe('parseDirectives', () => {
  it('tells the forms of a directive apart', () => {
    const control = parseDirectives(
      'Private="a, B", no-cache, private, max-age = 5, max-age=6, x="a,no-store"',
    )
    expect(control.bare('private')).toBe(true)
    expect(control.fields('private')).toEqual(['a', 'b'])
    expect(control.bare('no-cache')).toBe(true)
    expect(control.secs('max-age')).toBe(5)
    expect(control.secs('s-maxage')).toBeUndefined()
    expect(control.has('no-store')).toBe(false)
  })

  it('does not take an unreadable number for an absent one', () => {
    expect(parseDirectives('max-age=1x').secs('max-age')).toBeNull()
    expect(parseDirectives('max-age').secs('max-age')).toBeNull()
  })

  it('reads Pragma only where there is no Cache-Control', () => {
    expect(requestDirectives(new Headers({ pragma: 'no-cache' })).has('no-cache')).toBe(true)
    const both = new Headers({ pragma: 'no-cache', 'cache-control': 'max-age=1' })
    expect(requestDirectives(both).has('no-cache')).toBe(false)
  })
})

describe('selection', () => {
  it('is one for values of one meaning, whatever the order of Vary', async () => {
    expect(varyNames(new Headers({ vary: 'B, a ,b' }))).toEqual(['a', 'b'])
    expect(varyNames(new Headers({ vary: 'a, *' }))).toBeNull()
    const one = await selection(
      ['accept-encoding'],
      new Headers({ 'accept-encoding': 'GZIP;q=0.5, x-foo' }),
    )
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(await selection(['accept-encoding'], new Headers({ 'accept-encoding': 'gzip' }))).toBe(
      one,
    )
    expect(await selection(['accept-encoding'], new Headers())).not.toBe(one)
  })

  it('never confuses values with one another', async () => {
    const ids = await Promise.all(
      [{ a: '1,2' }, { a: '1', b: '2' }, { b: '1,2' }, { a: '"1","2"' }, {}].map((headers) =>
        selection(['a', 'b'], new Headers(headers as Record<string, string>)),
      ),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('methods', () => {
  // Runtimes differ in which of them a request may have.
  it.each(['POST', 'DELETE', 'M-SEARCH', 'PROPPATCH', 'FROB'])(
    '%s may change something',
    (name) => {
      expect(isUnsafe(name)).toBe(true)
    },
  )
  it.each(['GET', 'head', 'OPTIONS', 'PROPFIND', 'QUERY'])('%s changes nothing', (name) => {
    expect(isUnsafe(name)).toBe(false)
  })
})

describe('uriTag', () => {
  it('is bounded in number for each host, and hosts share none', () => {
    const tags = new Set(
      Array.from({ length: 50_000 }, (_, index) => uriTag('a.test', `/${index}`, null)),
    )
    expect(tags.size).toBeLessThanOrEqual(4096)
    expect(tags.size).toBeGreaterThan(4000)
    expect(tags.has(uriTag('b.test', '/1', null))).toBe(false)
    expect(uriTag('a.test', '/x', null)).not.toBe(uriTag('a.test', '/x', 'y'))
  })
})

describe('createInvalidator', () => {
  const scope = (tag: string): PurgeScope => ({ kind: 'tag', tag })

  it('sends together what comes while a batch is under way, and loses nothing', async () => {
    const batches: string[][] = []
    const gates: (() => void)[] = []
    const invalidate = createInvalidator((scopes) => {
      batches.push(scopes.map((one) => (one.kind === 'tag' ? one.tag : one.kind)))
      return new Promise((resolve) => gates.push(resolve))
    })
    const done: string[] = []
    const send = (tag: string) => invalidate([scope(tag)]).then(() => done.push(tag))
    const all = [send('a'), send('b'), send('c'), send('b')]
    expect(batches).toEqual([['a']])
    gates.shift()?.()
    await all[0]
    await Promise.resolve()
    expect(batches).toEqual([['a'], ['b', 'c']])
    expect(done).toEqual(['a'])
    gates.shift()?.()
    await Promise.all(all)
    expect(batches).toHaveLength(2)
    await invalidate([])
    expect(batches).toHaveLength(2)
  })

  it('goes on after a batch that failed', async () => {
    let fails = true
    const invalidate = createInvalidator(() =>
      fails ? Promise.reject(new Error('down')) : Promise.resolve(),
    )
    await expect(invalidate([scope('a')])).rejects.toThrow('down')
    fails = false
    await expect(invalidate([scope('b')])).resolves.toBeUndefined()
  })
})
