import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RecognisedApplications } from '#adapters/node/web-server/applications/recognised.ts'
import { SiteChanges } from '#adapters/node/web-server/applications/site-changes.ts'

const purges: string[] = []
let changes: SiteChanges
beforeEach(() => {
  vi.useFakeTimers()
  purges.length = 0
  changes = new SiteChanges(async (site) => void purges.push(site))
})
afterEach(() => vi.useRealTimers())

describe('changes of sites', () => {
  it('the first is purged at once, those of the next two seconds together after them', async () => {
    await changes.changed('a.test', 'now')
    expect(purges).toEqual(['a.test'])
    for (let count = 0; count < 5; count++) await changes.changed('a.test', 'now')
    await vi.advanceTimersByTimeAsync(1990)
    expect(purges).toEqual(['a.test'])
    await vi.advanceTimersByTimeAsync(20)
    expect(purges).toEqual(['a.test', 'a.test'])
    await changes.changed('a.test', 'now')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(purges.length).toBe(3)
    await changes.changed('a.test', 'now')
    expect(purges.length).toBe(4)
  })

  it('sites have nothing to do with each other', async () => {
    await changes.changed('a.test', 'now')
    await changes.changed('b.test', 'now')
    expect(purges).toEqual(['a.test', 'b.test'])
  })

  it('what a task may change is purged a moment later, and seldom', async () => {
    await changes.changed('a.test', 'later')
    await changes.changed('a.test', 'later')
    await vi.advanceTimersByTimeAsync(9990)
    expect(purges).toEqual([])
    await vi.advanceTimersByTimeAsync(20)
    expect(purges).toEqual(['a.test'])
    await changes.changed('a.test', 'later')
    await vi.advanceTimersByTimeAsync(290_000)
    expect(purges).toEqual(['a.test'])
    await changes.changed('a.test', 'now')
    expect(purges.length).toBe(2)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(purges.length).toBe(3)
  })

  it('what would follow is purged at the end', async () => {
    await changes.changed('a.test', 'now')
    await changes.changed('a.test', 'now')
    await changes.changed('b.test', 'later')
    await changes.flush()
    expect(purges).toEqual(['a.test', 'a.test', 'b.test'])
    await vi.advanceTimersByTimeAsync(600_000)
    expect(purges.length).toBe(3)
  })

  it('a purge that fails is told to who waits for it, and the next one is made', async () => {
    let fails = true
    const failing = new SiteChanges(async (site) => {
      if (fails) throw new Error('no')
      purges.push(site)
    })
    await expect(failing.changed('a.test', 'now')).rejects.toThrow('no')
    await failing.changed('a.test', 'now')
    fails = false
    await vi.advanceTimersByTimeAsync(2000)
    expect(purges).toEqual(['a.test'])
  })
})

describe('recognised applications', () => {
  it('are another one once, whichever worker tells of it first', () => {
    const recognised = new RecognisedApplications()
    expect(recognised.of('a.test')).toBeNull()
    expect(recognised.note('a.test', null)).toBe(false)
    expect(recognised.note('a.test', 'wordpress')).toBe(true)
    expect(recognised.note('a.test', 'wordpress')).toBe(false)
    expect(recognised.note('b.test', 'drupal')).toBe(false)
    expect([recognised.of('a.test'), recognised.of('b.test')]).toEqual(['wordpress', 'drupal'])
  })
})
