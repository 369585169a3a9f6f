import { describe, expect, it } from 'vitest'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { createPageVariants } from '#handlers/sites/htaccess/page-variants.ts'
import type { Plan } from '#handlers/sites/htaccess/plan.ts'
import { noCacheWords, readCacheFlag } from '#handlers/sites/rewrite/cache-flags.ts'

const host = (): VirtualHostConfig => ({ domain: 'a.test' }) as VirtualHostConfig
const planOf = (variant: string, varyCookies: readonly string[] = []): Plan =>
  ({ edition: 'e', variant, varyCookies }) as unknown as Plan

describe('variants that rules choose', () => {
  it('are bounded for each virtual host', () => {
    const { admits } = createPageVariants()
    const [a, b] = [host(), host()]
    const ask = (vhost: VirtualHostConfig, variant: string) =>
      admits(vhost, planOf(variant), new Headers())
    for (let n = 0; n < 100; n++) expect(ask(a, `v${n}`)).toBe(n < 32)
    for (const variant of ['', 'v0', 'v31']) expect(ask(a, variant)).toBe(true)
    expect(ask(b, 'v99')).toBe(true)
  })

  it('are short and plain', () => {
    const { admits } = createPageVariants()
    for (const variant of ['a b', 'a\nb', 'a?b', 'é', 'x'.repeat(65), '"'])
      expect(admits(host(), planOf(variant), new Headers()), variant).toBe(false)
    expect(admits(host(), planOf('+ismobile+webp'), new Headers())).toBe(true)
  })

  it('name the key beside the rules', () => {
    const { editionOf } = createPageVariants()
    expect([editionOf(planOf('')), editionOf(planOf('+webp'))]).toEqual(['e', 'e;+webp'])
  })

  it.each([
    ['a=1', false],
    ['b=', true],
    ['x=1; A=2', false],
    ['aa=1; b', true],
    ['x="a=1"', true],
  ])('a cookie %s of the list a, b: shared is %s', (cookie, shared) => {
    const { admits } = createPageVariants()
    expect(admits(host(), planOf('', ['a', 'b']), new Headers({ cookie }))).toBe(shared)
  })
})

describe('readCacheFlag', () => {
  it('takes words to the cache, in any case, and no others', () => {
    const words = noCacheWords()
    const env = new Map<string, string>()
    expect(readCacheFlag('Cache-Control', 'no-autoflush', words, env)).toBe(true)
    expect(words).toEqual({ off: false, variant: '', cookies: [] })
    expect(readCacheFlag('cache-CONTROL', 'vary=guest', words, env)).toBe(true)
    expect(readCacheFlag('cache-vary', 'a,,b', words, env)).toBe(true)
    expect(readCacheFlag('Cache-Vary', 'b, c', words, env)).toBe(true)
    expect(readCacheFlag('Cache-Control', 'max-age=1, No-Cache', words, env)).toBe(true)
    expect(words).toEqual({ off: true, variant: 'guest', cookies: ['a', 'b', 'c'] })
    expect([...env]).toEqual([
      ['LSCACHE_VARY_VALUE', 'guest'],
      ['LSCACHE_VARY_COOKIE', 'a,b,c'],
    ])
    expect(readCacheFlag('Cache', 'x', words, env)).toBe(false)
  })

  it('lists more names than are read by closing the cache, whichever flag they come from', () => {
    const read = (...flags: [name: string, value: string][]) => {
      const words = noCacheWords()
      const env = new Map<string, string>()
      for (const [name, value] of flags) readCacheFlag(name, value, words, env)
      return { ...words, env: env.get('LSCACHE_VARY_COOKIE') }
    }
    const names = (from: number, count: number): string =>
      Array.from({ length: count }, (_, n) => `c${from + n}`).join(',')
    const most = read(['Cache-Vary', names(0, 64)])
    expect([most.off, most.cookies.length, most.env]).toEqual([false, 64, names(0, 64)])
    expect(read(['Cache-Vary', names(0, 65)])).toMatchObject({ off: true, cookies: [] })
    const two = read(['Cache-Vary', names(0, 40)], ['Cache-Vary', names(30, 40)])
    expect([two.off, two.cookies.length]).toEqual([true, 40])
    expect(read(['Cache-Control', `${'x,'.repeat(63)}y`]).off).toBe(false)
    expect(read(['Cache-Control', `${'x,'.repeat(64)}y`]).off).toBe(true)
  })
})
