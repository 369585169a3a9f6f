import { describe, expect, it } from 'vitest'
import {
  createObservations,
  type Observation,
  type SiteObservations,
} from '#edge-cache/statistics/observation.ts'
import { HeavyHitters } from '#edge-cache/statistics/heavy-hitters.ts'
import { ObservationLedger } from '#adapters/node/web-server/observations/observation-ledger.ts'

const HOUR_MS = 3_600_000
const VIEW: Observation = {
  ...{ site: 'a.test', reason: 'cookie', path: '/', cookies: [], clickIdsOnly: false },
}
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

describe('the room for what is seen at all sites', () => {
  /** A report as full as one can be, of paths and names that no other report has. */
  const flood = (site: string, round: number, slots = 64): SiteObservations => ({
    reasons: [['cookie', 100, '']],
    clickIdsOnly: 0,
    cookies: Array.from({ length: slots }, (_, n) => [
      `${site} ${round} ${n} `.padEnd(128, 'c'),
      n === 0 ? 1000 : 1,
      '',
    ]),
    pages: Array.from({ length: slots }, (_, n) => [
      `/${site}/${n === 0 ? 'often' : `${round}/${n}`}`.padEnd(200, 'p'),
      n === 0 ? 1000 : 1,
      'cookie',
    ]),
  })

  it('has a bound, however many sites there are, and keeps what comes often at each', () => {
    const clock = { nowMs: 100 * 24 * HOUR_MS }
    const ledger = new ObservationLedger(() => clock.nowMs)
    ledger.note({ 'quiet.test': seen('member', 7) })
    let most = 0
    for (let step = 0; step < 5; step++) {
      for (let site = 0; site < 1000; site++) {
        ledger.note({ [`s${site}.test`]: flood(`s${site}`, step) })
        most = Math.max(most, ledger.sizeBytes)
      }
      if (step === 0) expect(ledger.read('quiet.test').cookies).toEqual([['member', 7, '']])
      clock.nowMs += 6 * HOUR_MS
    }
    expect(most).toBeLessThan(32 * 2 ** 20)
    clock.nowMs -= 1
    for (const site of ['s0', 's500', 's999']) {
      const [page, cookie] = [ledger.read(`${site}.test`).pages[0], ledger.read(`${site}.test`)]
      expect(page?.[0]).toContain(`/${site}/often`)
      expect(cookie.reasons).toEqual([['cookie', 400, '']])
    }
  })

  it('has a bound in a worker too, where paths are cut', () => {
    const observations = createObservations()
    for (let site = 0; site < 3000; site++)
      for (let n = 0; n < 20; n++)
        observations.note({
          site: `s${site}.test`,
          reason: 'cookie',
          path: `/${site}/${n}/`.padEnd(8000, 'x'),
          cookies: [`c${n}`.padEnd(128, 'y')],
          clickIdsOnly: false,
        })
    const taken = JSON.stringify(observations.take())
    expect(taken.length).toBeLessThan(4 * 2 ** 20)
    expect(taken).toContain('"s0.test"')
    expect(observations.take()).toEqual({})
    observations.note({ ...VIEW, path: '/'.padEnd(8000, 'x') })
    expect(observations.take()['a.test']?.pages[0]?.[0]).toHaveLength(200)
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
