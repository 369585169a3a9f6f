import { expect, test } from 'vitest'
import { percent } from '../../../src/lib/format/size.ts'
import { relativeTime } from '../../../src/lib/format/timestamp.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'
import { cache as german } from '../../../src/lib/texts/de/cache.ts'
import { cache as english } from '../../../src/lib/texts/en/cache.ts'

test.each([
  [30, 60, 50],
  [75, 60, 125],
  [0, 60, 0],
  [-1, 60, 0],
  [5, 0, 0],
])('%d of %d is %d %%', (used, total, share) => {
  expect(percent(used, total)).toBe(share)
})

const NOW = Date.parse('2026-03-01T12:00:00Z')
test.each([
  ['2026-05-30 11:59:58', 'in 3 months'],
  ['2026-03-08 11:59:00', 'in 7 days'],
  ['2026-03-01 13:59:59', 'in 2 hours'],
  ['2026-03-01 12:59:50', 'in 1 hour'],
  ['2026-02-27 12:00:01', 'yesterday'],
  ['2026-03-01 11:58:01', '1 minute ago'],
])('%s is %s', (timestamp, shown) => {
  expect(withTexts('en', () => relativeTime(timestamp, NOW))).toBe(shown)
})

test('one request is not several', () => {
  expect(english.insight.total('1')).toBe('1 request for pages')
  expect(english.insight.total('1,200')).toBe('1,200 requests for pages')
  expect(english.insight.clicks.share('1', '2 %')).toMatch(/^1 request carried /)
  expect(german.insight.total('1')).toBe('1 Anfrage nach Seiten')
  expect(german.insight.clicks.share('1', '2 %')).toMatch(/^1 Anfrage trug /)
  expect(german.insight.cookies.count('2', '2 %')).toBe('2 Anfragen, 2 %')
})
