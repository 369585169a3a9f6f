import { describe, expect, it } from 'vitest'
import {
  createPurgeMarks,
  hostTag,
  pagesToPurge,
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeSiteTag,
} from '#edge-cache/index.ts'
import { createSiteIndex } from '#edge-cache/stores/site-index.ts'
import type { CacheEntry, Markable } from '#edge-cache/types.ts'
import { countedTags } from './counted-tags.ts'

/** A page of `host`, which is a name of the site `primary`. */
const page = (host: string, path: string, tags: string[], primary = host) => ({
  key: { host, path, id: `//${host}${path}` },
  tags: [...new Set([hostTag(host), hostTag(primary), ...tags])],
  sequence: 0,
  keepUntilMs: 1000,
})

const mine = page('a.example', '/', ['news', 'home'])
const alias = page('www.a.example', '/', ['news'], 'a.example')
const other = page('b.example', '/', ['news', 'home'])

describe('a purge by tag within a site', () => {
  const hits = (marks: ReturnType<typeof createPurgeMarks>, ...pages: Markable[]): boolean[] =>
    pages.map((one) => marks.isPurged(one))

  it('hits its pages under all names, and no page of another site', () => {
    const marks = createPurgeMarks()
    marks.apply(1, purgeSiteTag('a.example', 'News'), 0)
    expect(hits(marks, mine, alias, other)).toEqual([true, true, false])
    expect(marks.isPurged({ ...mine, sequence: 1 })).toBe(false)
    expect(marks.isPurged(page('a.example', '/x', ['sport']))).toBe(false)
  })

  it('is not taken in by tags that look like hosts', () => {
    const marks = createPurgeMarks()
    marks.apply(1, purgeSiteTag('a.example', 'host:b.example'), 0)
    marks.apply(2, purgeSiteTag('a.example', 'b.example news'), 0)
    expect(hits(marks, mine, other)).toEqual([false, false])
  })

  it('survives as plain data, and goes with a purge of everything', () => {
    const marks = createPurgeMarks()
    marks.apply(1, purgeSiteTag('a.example', 'news'), 0)
    const restored = createPurgeMarks({ snapshot: marks.snapshot() })
    expect(hits(restored, mine, other)).toEqual([true, false])
    restored.apply(2, purgeAll(), 0)
    expect(restored.snapshot().tags).toEqual([])
    expect(hits(restored, mine, other)).toEqual([true, true])
  })
})

describe('counting what a purge would take', () => {
  const turn = (): Promise<void> => Promise.resolve()
  const count = async (scopes: Parameters<typeof pagesToPurge>[1], nowMs = 0): Promise<number> => {
    const pages = [mine, alias, page('a.example', '/blog/x', [])]
    return (await pagesToPurge(pages, scopes, createPurgeMarks(), nowMs, turn)).size
  }
  const names = ['a.example', 'www.a.example']

  it('counts a page once for each of its addresses', async () => {
    expect(await count(purgeDomain('a.example'))).toBe(3)
    expect(await count(purgePath(names, '/'))).toBe(2)
    expect(await count(purgePrefix(names, '/blog/'))).toBe(1)
    expect(await count(purgeSiteTag('a.example', 'home'))).toBe(1)
    const variants = ['http://a.example/', 'https://a.example/', 'https://a.example/\nmobile']
    const stored = variants.map((id) => ({ ...mine, key: { ...mine.key, id } }))
    const found = await pagesToPurge(stored, purgePath(names, '/'), createPurgeMarks(), 0, turn)
    expect(found.size).toBe(1)
  })

  it('leaves out what is dead already', async () => {
    expect(await count(purgeDomain('a.example'), 1000)).toBe(0)
    const marks = createPurgeMarks()
    marks.apply(1, purgeDomain('a.example'), 0)
    const found = await pagesToPurge([mine], purgeDomain('a.example'), marks, 0, turn)
    expect(found.size).toBe(0)
  })

  it('gives others their turn after some thousand tags, however few pages have them', async () => {
    const many = Array.from({ length: 4000 }, (_, at) => `t${at}`)
    const counted = Array.from({ length: 20 }, (_, at) => {
      const { tags, count } = countedTags([hostTag('a.example'), ...many])
      return { ...page('a.example', `/${at}`, []), tags, count }
    })
    const read = (): number => counted.reduce((sum, { count }) => sum + count(), 0)
    let before = 0
    const slices: number[] = []
    const end = async (): Promise<void> => {
      slices.push(read() - before)
      before = read()
      await Promise.resolve()
    }
    const scopes = purgeSiteTag('a.example', 'nothing')
    const found = await pagesToPurge(counted, scopes, createPurgeMarks(), 0, end)
    await end()
    expect(found.size).toBe(0)
    expect(before).toBeGreaterThanOrEqual(20 * many.length)
    expect(Math.max(...slices)).toBeLessThan(15_000)
  })
})

describe('site index', () => {
  const both = [mine, alias] as unknown as [CacheEntry, CacheEntry]
  const [one, two] = both

  it('keeps entries and bytes by site, and forgets a site with its last entry', () => {
    const index = createSiteIndex((place) => both[place] ?? null)
    index.add(0, one, 10)
    index.add(1, two, 20)
    index.remove(0, one, 10)
    index.remove(0, one, 10)
    expect(index.usage()).toEqual({ 'host:a.example': { entries: 1, bytes: 20 } })
    index.remove(1, two, 20)
    expect(index.usage()).toEqual({})
  })

  it('lists what a site has, oldest first, wherever something was taken out', () => {
    const places = new Map<number, CacheEntry>()
    const index = createSiteIndex((place) => places.get(place) ?? null)
    const listed = (): string[] => [...index.of('host:a.example')].map(({ key }) => key.path)
    const add = (place: number, path: string): void => {
      const entry = { ...one, key: { ...one.key, path } }
      places.set(place, entry)
      index.add(place, entry, 1)
    }
    for (const place of [0, 1, 2, 3, 5000]) add(place, `/${place}`)
    for (const place of [0, 2, 5000]) index.remove(place, one, 1)
    expect(listed()).toEqual(['/1', '/3'])
    add(2, '/again')
    expect(listed()).toEqual(['/1', '/3', '/again'])
    expect(index.usage()['host:a.example']).toEqual({ entries: 3, bytes: 3 })
    expect([...index.of('host:other.example')]).toEqual([])
  })
})
