import { describe, expect, it } from 'vitest'
import { chooseTimeZone, moment, unzoned, zoned } from '../../../src/lib/format/time/time-zone.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'

const BERLIN = 'Europe/Berlin'

describe('the time zone in which times are shown', () => {
  it.each([
    [BERLIN, BERLIN],
    ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
    ['UTC', 'UTC'],
    [undefined, 'UTC'],
    ['', 'UTC'],
    ['Europe/Nowhere', 'UTC'],
    ['"><script>alert(1)</script>', 'UTC'],
    [`${'a/'.repeat(50_000)}b`, 'UTC'],
  ])('of the cookie %j is %s', (cookie, zone) => {
    expect(chooseTimeZone(cookie)).toBe(zone)
  })

  it('is that of the request, with its name', () => {
    const at = '2026-11-25 22:31:05'
    expect(moment(at)).toBe('2026-11-25 22:31:05 UTC')
    expect(withTexts('de', () => moment(at), BERLIN)).toBe('2026-11-25 23:31:05 CET')
    expect(withTexts('en', () => moment('2026-07-01 23:30:00'), BERLIN)).toBe(
      '2026-07-02 01:30:00 CEST',
    )
    expect(withTexts('en', () => moment('no time'), BERLIN)).toBe('no time')
  })

  it.each([
    ['2026-11-25 22:31:00', BERLIN],
    ['2026-07-01 00:00:00', 'Pacific/Kiritimati'],
    ['2026-03-29 00:59:00', BERLIN],
    ['2026-03-29 01:00:00', BERLIN],
    ['2026-10-25 02:00:00', BERLIN],
    ['2026-01-01 12:00:00', 'America/St_Johns'],
    ['2026-06-01 12:00:00', 'UTC'],
  ])('leads from %s in %s and back', (utc, zone) => {
    expect(unzoned(zoned(utc, zone), zone)).toBe(utc)
  })

  it('takes the first of two hours that a clock shows alike, and goes on from one it leaves out', () => {
    expect(unzoned('2026-10-25 02:30:00', BERLIN)).toBe('2026-10-25 00:30:00')
    expect(unzoned('2026-03-29 02:30:00', BERLIN)).toBe('2026-03-29 01:30:00')
    expect(unzoned('', BERLIN)).toBe('')
  })
})
