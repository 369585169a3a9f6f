import { describe, expect, it } from 'vitest'
import type { SiteObservations } from '#edge-cache/observation.ts'
import { HeavyHitters } from '#edge-cache/heavy-hitters.ts'
import { ObservationLedger } from '#adapters/node/web-server/observations/observation-ledger.ts'

const HOUR_MS = 3_600_000
const seen = (cookie: string, count: number): SiteObservations => ({
  reasons: [['cookie', count, '']],
  clickIdsOnly: 1,
  cookies: [[cookie, count, '']],
  pages: [['/', count, 'cookie']],
})

describe('what workers saw of visitors', () => {
  it('is summed by site and forgotten after a day', () => {
    const clock = { nowMs: 100 * 24 * HOUR_MS + HOUR_MS }
    const startMs = clock.nowMs
    const ledger = new ObservationLedger(() => clock.nowMs)
    ledger.note({ 'a.test': seen('one', 2), 'b.test': seen('two', 1) })
    ledger.note({ 'a.test': seen('one', 3) })
    clock.nowMs += 12 * HOUR_MS
    ledger.note({ 'a.test': seen('two', 4) })
    expect(ledger.read('a.test')).toEqual({
      sinceMs: startMs,
      reasons: [['cookie', 9, '']],
      clickIdsOnly: 3,
      cookies: [
        ['one', 5, ''],
        ['two', 4, ''],
      ],
      pages: [['/', 9, 'cookie']],
    })
    expect(ledger.read('none.test').reasons).toEqual([])
    clock.nowMs += 12 * HOUR_MS
    expect(ledger.read('a.test')).toMatchObject({
      sinceMs: 100 * 24 * HOUR_MS + 6 * HOUR_MS,
      cookies: [['two', 4, '']],
    })
    expect(ledger.read('b.test').reasons).toEqual([])
    clock.nowMs -= 48 * HOUR_MS
    ledger.note({ 'a.test': seen('back', 1) })
    expect(ledger.read('a.test').cookies).toContainEqual(['back', 1, ''])
  })
})

describe('heavy hitters', () => {
  it('keep what comes often, however much else comes', () => {
    const hitters = new HeavyHitters(4)
    for (let i = 0; i < 1000; i++) {
      hitters.add('often', 1, `note ${i}`)
      hitters.add(`once ${i}`)
    }
    const all = hitters.read()
    expect(all).toHaveLength(4)
    expect(all[0]).toEqual(['often', 1000, 'note 999'])
  })
})
