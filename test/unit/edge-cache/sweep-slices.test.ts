import { describe, expect, it } from 'vitest'
import {
  createMemoryStore,
  createPurgeMarks,
  type MemoryStore,
  type PurgeMarks,
  purgeSiteTag,
} from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const PAGES = 20
const TAGS = Array.from({ length: 4000 }, (_, at) => `t${at}`)

/** Marks that count the tags of the entries which they are asked about. */
const countingMarks = (marks: PurgeMarks): PurgeMarks & { take(): number } => {
  let tags = 0
  return {
    ...marks,
    isPurged(entry) {
      tags += entry.tags.length
      return marks.isPurged(entry)
    },
    take() {
      const taken = tags
      tags = 0
      return taken
    },
  }
}

describe('sweeping the memory of pages with thousands of tags', () => {
  const filled = (): { store: MemoryStore; marks: PurgeMarks & { take(): number } } => {
    const store = createMemoryStore({ limitBytes: 64 * 2 ** 20 })
    for (let at = 0; at < PAGES; at++)
      store.put(cacheEntry('a.test', `/${at}`, { tags: ['host:a.test', ...TAGS] }))
    return { store, marks: countingMarks(createPurgeMarks()) }
  }
  /** Tags that each of so many rounds looked at. */
  const rounds = ({ store, marks }: ReturnType<typeof filled>, count: number): number[] =>
    Array.from({ length: count }, () => {
      store.sweep(marks, 2_000)
      return marks.take()
    })
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)
  const everything = PAGES * (TAGS.length + 1)

  it('compares each page once with a mark, a few thousand tags in a round', () => {
    const subject = filled()
    rounds(subject, 20)
    subject.marks.apply(1, purgeSiteTag('a.test', 'nothing'), 0)
    const looked = rounds(subject, 50)
    expect(Math.max(...looked)).toBeLessThan(15_000)
    expect(sum(looked)).toBe(everything)
    expect(sum(rounds(subject, 50))).toBe(0)
    expect(subject.store.stats().entries).toBe(PAGES)
  })

  it('goes through all pages again for a mark that came in the middle of it', () => {
    const subject = filled()
    rounds(subject, 20)
    subject.marks.apply(1, purgeSiteTag('a.test', 'nothing'), 0)
    expect(sum(rounds(subject, 2))).toBeLessThan(everything)
    // A smaller number, as a mark that was late.
    subject.marks.apply(0.5, purgeSiteTag('a.test', 't7'), 0)
    rounds(subject, 50)
    expect(subject.store.stats().entries).toBe(0)
  })

  it('takes out what expires also where no mark came', () => {
    const { store, marks } = filled()
    expect(store.sweep(marks, 1_000_000)).toBeGreaterThan(0)
    for (let round = 0; round < 20; round++) store.sweep(marks, 1_000_000)
    expect(store.stats().entries).toBe(0)
  })
})
