import { describe, expect, it } from 'vitest'
import {
  createPurgeMarks,
  createPurgeSequencer,
  NO_MARKS,
  type Purge,
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeTag,
  softly,
} from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const page = (sequence: number) =>
  cacheEntry('a.test', '/x', { sequence, tags: ['host:a.test', 'post-1'] })

describe('purge marks', () => {
  it.each([
    ['all', purgeAll()],
    ['tag', purgeTag('POST-1')],
    ['domain', purgeDomain('A.test')],
    ['key', purgePath('a.test', '/x')],
  ])('kill older entries and spare younger ones: %s', (_name, scopes) => {
    const marks = createPurgeMarks()
    marks.apply(5, scopes, 0)
    expect(marks.isPurged(page(4))).toBe(true)
    expect(marks.isPurged(page(5))).toBe(false)
    expect(marks.current()).toBe(5)
  })

  it('keep the greatest sequence when purges arrive out of order or twice', () => {
    const marks = createPurgeMarks()
    marks.apply(7, purgeTag('post-1'), 0)
    marks.apply(3, purgeTag('post-1'), 0)
    marks.apply(7, purgeTag('post-1'), 0)
    expect(marks.isPurged(page(6))).toBe(true)
    expect(marks.isPurged(page(7))).toBe(false)
    expect(marks.current()).toBe(7)
  })

  it('are bounded, and a mark that had to go still kills what it killed', () => {
    const marks = createPurgeMarks({ maxMarks: 10 })
    marks.apply(1, purgeTag('post-1'), 0)
    for (let i = 2; i <= 100; i++) marks.apply(i, purgeTag(`t${i}`), 0)
    expect(marks.snapshot().tags).toHaveLength(10)
    expect(marks.isPurged(page(0))).toBe(true)
    expect(marks.isPurged(page(100))).toBe(false)
  })

  it('by prefix are bounded per host, at the cost of that host alone', () => {
    const marks = createPurgeMarks()
    marks.apply(1, purgePrefix('a.test', '/x'), 0)
    for (let i = 2; i <= 300; i++) marks.apply(i, purgePrefix('a.test', `/p${i}/`), 0)
    expect(marks.snapshot().prefixes.length).toBeLessThan(200)
    expect(marks.isPurged(page(0))).toBe(true)
    expect(marks.isPurged(page(300))).toBe(false)
    const other = cacheEntry('b.test', '/x', { sequence: 0, tags: ['host:b.test'] })
    expect(marks.isPurged(other)).toBe(false)
  })

  it('that are soft kill nothing, and are kept apart', () => {
    const marks = createPurgeMarks()
    marks.apply(5, softly([...purgeTag('post-1'), ...purgePrefix('a.test', '/')]), 0)
    expect([marks.isPurged(page(4)), marks.isSoftPurged(page(4))]).toEqual([false, true])
    expect(marks.isSoftPurged(page(5))).toBe(false)
    const copy = createPurgeMarks({ snapshot: structuredClone(marks.snapshot()) })
    expect([copy.isPurged(page(4)), copy.isSoftPurged(page(4))]).toEqual([false, true])
    expect(copy.current()).toBe(5)
  })

  it('are forgotten one by one when everything is purged', () => {
    const marks = createPurgeMarks()
    for (let i = 1; i <= 50; i++) marks.apply(i, purgeTag(`t${i}`), 0)
    marks.apply(51, purgeAll(), 0)
    expect(marks.snapshot()).toEqual({ ...NO_MARKS, sequence: 51, floor: 51 })
  })

  it('pass through a snapshot, as a message does', () => {
    const marks = createPurgeMarks()
    marks.apply(1, purgeAll(), 0)
    marks.apply(2, purgeTag('post-1'), 0)
    marks.apply(3, purgePath('a.test', '/y'), 0)
    const copy = createPurgeMarks({ snapshot: structuredClone(marks.snapshot()) })
    expect(copy.snapshot()).toEqual(marks.snapshot())
    expect(copy.isPurged(page(1))).toBe(true)
    expect(copy.isPurged(page(2))).toBe(false)
  })
})

describe('purge sequencer', () => {
  it('goes on where the log ended and writes every purge', () => {
    const saved: Purge[] = []
    const marks = createPurgeMarks()
    const sequencer = createPurgeSequencer({
      marks,
      log: {
        loadMarks: () => ({ ...NO_MARKS, sequence: 41, floor: 3, tags: [['old', 40]] }),
        saveMarks: (purge) => {
          saved.push(purge)
        },
      },
      nowMs: () => 99,
      onLogError: () => undefined,
    })
    const purge = sequencer.purge(purgeTag('post-1'))
    expect(purge).toEqual({ sequence: 42, scopes: purgeTag('post-1'), atMs: 99 })
    expect(saved).toEqual([purge])
    expect(marks.isPurged(page(41))).toBe(true)
    expect(sequencer.snapshot().tags).toEqual([
      ['old', 40],
      ['post-1', 42],
    ])
  })

  it('says when a purge is kept, also where that takes time or fails', async () => {
    const events: string[] = []
    const sequencer = createPurgeSequencer({
      marks: createPurgeMarks(),
      log: {
        loadMarks: () => NO_MARKS,
        saveMarks: async ({ sequence }) => {
          await Promise.resolve()
          events.push(`saving ${sequence}`)
          if (sequence === 2) throw new Error('disk full')
        },
      },
      nowMs: () => 0,
      onLogError: async () => {
        await Promise.resolve()
        events.push('emptied')
      },
    })
    await sequencer.kept()
    sequencer.purge(purgeTag('a'))
    sequencer.purge(purgeTag('b'))
    await sequencer.kept()
    expect(events).toEqual(['saving 1', 'saving 2', 'emptied'])
  })

  it('purges also when the log refuses, and says so', () => {
    const errors: unknown[] = []
    const marks = createPurgeMarks()
    const sequencer = createPurgeSequencer({
      marks,
      log: {
        loadMarks: () => marks.snapshot(),
        saveMarks: () => {
          throw new Error('disk full')
        },
      },
      nowMs: () => 0,
      onLogError: (error) => errors.push(error),
    })
    expect(sequencer.purge(purgeAll()).sequence).toBe(1)
    expect(marks.isPurged(page(0))).toBe(true)
    expect(errors).toHaveLength(1)
  })
})
