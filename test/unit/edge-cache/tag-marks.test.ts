import { describe, expect, it } from 'vitest'
import { createPurgeMarks, purgeDomain, purgeSiteTag, purgeTag, softly } from '#edge-cache/index.ts'
import { createTagMarks } from '#edge-cache/purge/tag-marks.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { countedTags } from './counted-tags.ts'

const TAGS = Array.from({ length: 4000 }, (_, i) => `t${i}`)

describe('tags looked up of a page that has thousands', () => {
  const looked = (apply: (marks: ReturnType<typeof createPurgeMarks>) => void): number => {
    const marks = createPurgeMarks()
    apply(marks)
    const { tags, count } = countedTags(['host:www.a.test', 'host:a.test', ...TAGS])
    const page = cacheEntry('www.a.test', '/', { sequence: 5, tags })
    expect([marks.isPurged(page), marks.isSoftPurged(page)]).toEqual([false, false])
    return count()
  }

  it('are but those of its hosts while only other sites and hosts were purged', () => {
    const few = looked((marks) => {
      marks.apply(6, purgeSiteTag('b.test', 't1'), 0)
      marks.apply(7, softly(purgeSiteTag('b.test', 't1')), 0)
      marks.apply(8, purgeDomain('b.test'), 0)
    })
    expect(few).toBeLessThan(20)
  })

  it('are but those of its hosts where it is younger than all tag marks of its site', () => {
    const few = looked((marks) => {
      marks.apply(4, [...purgeSiteTag('a.test', 't1'), ...purgeTag('t2')], 0)
      marks.apply(9, purgeSiteTag('b.test', 't1'), 0)
    })
    expect(few).toBeLessThan(20)
  })

  it('are all of them where the site has a younger mark', () => {
    const all = looked((marks) => marks.apply(6, purgeSiteTag('a.test', 'nothing'), 0))
    expect(all).toBeGreaterThanOrEqual(TAGS.length)
  })
})

describe('tag marks', () => {
  const own = ['host:www.a.test', 'host:a.test', 'news']

  it.each(['host:www.a.test', 'host:a.test', 'news', 'host:a.test news'])('hit by %s', (tag) => {
    const marks = createTagMarks(10)
    expect(marks.mark(tag, 3)).toBe(0)
    expect([marks.hits(own, 2), marks.hits(own, 3)]).toEqual([true, false])
    expect(marks.hits(['host:b.test', 'other'], 2)).toBe(false)
  })

  it('name the oldest that had to go, and no longer hit by it', () => {
    const marks = createTagMarks(2)
    for (const [at, tag] of ['host:a.test news', 'host:a.test', 'x'].entries())
      expect(marks.mark(tag, at + 1)).toBe(at === 2 ? 1 : 0)
    expect(marks.hits(['host:b.test', 'host:a.test', 'news'], 1)).toBe(true)
    expect(marks.mark('y', 4)).toBe(2)
    expect(marks.hits(own, 0)).toBe(false)
    expect(marks.entries()).toEqual([
      ['x', 3],
      ['y', 4],
    ])
  })

  it('forget each kind up to a sequence', () => {
    const marks = createTagMarks(10)
    for (const [at, tag] of ['host:a.test news', 'host:a.test', 'news', 'late'].entries())
      marks.mark(tag, at + 1)
    marks.forgetUntil(3)
    expect(marks.hits(own, 0)).toBe(false)
    expect(marks.entries()).toEqual([['late', 4]])
  })
})
