import { expect, test } from 'vitest'
import { attentionOf } from '../../../src/lib/components/dashboard/own/attention.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'
import type { OwnFacts } from '../../../src/lib/components/dashboard/own/own-facts.ts'

const NOW = Date.UTC(2026, 0, 10, 12)

const domain = (name: string, more: object = {}) => ({
  domain_name: name,
  domain_type: 'addon',
  ssl_status: 'active',
  ssl_expires_at: '2026-03-01 00:00:00',
  ...more,
})
const ok = (data: unknown) => ({ ok: true, data })

interface Given {
  account?: object
  domains?: object[]
  running?: boolean
  failed?: object[]
  jobs?: object[]
}
/** As the API tells them, as far as it matters here. */
const factsOf = ({ account, domains, running = true, failed = [], jobs = [] }: Given): OwnFacts =>
  ({
    account: {
      disk_used_mb: 1,
      disk_quota_mb: 100,
      bandwidth_used_mb: 1,
      bandwidth_quota_mb: 0,
      ...account,
    },
    domains: { result: ok(domains ?? [domain('a.example')]), total: 1 },
    cache: ok({ running, server: null, domains: [] }),
    backups: ok({ failed, overdue: [], last_success_at: null, next_run_at: null }),
    jobs: ok(jobs),
    activity: ok([]),
  }) as unknown as OwnFacts

const attention = (facts: OwnFacts, nowMs: number) =>
  withTexts('en', () => attentionOf(facts, nowMs))

const keys = (given: Given): string[] =>
  attention(factsOf(given), NOW).map(({ key, tone }) => `${tone} ${key}`)

test('nothing where all is well', () => {
  expect(keys({})).toEqual([])
})

test('quotas from 85 per cent on, as faults from 95', () => {
  expect(keys({ account: { disk_used_mb: 84 } })).toEqual([])
  expect(keys({ account: { disk_used_mb: 85 } })).toEqual(['warn disk'])
  expect(keys({ account: { disk_used_mb: 95 } })).toEqual(['bad disk'])
  const traffic = { bandwidth_used_mb: 1000, bandwidth_quota_mb: 1000 }
  const [found] = attention(factsOf({ account: traffic }), NOW)
  expect(found).toMatchObject({ key: 'traffic', tone: 'bad', link: null })
  expect(found?.text).toContain('used up')
})

test('certificates that end, and sites without one, of which aliases are none', () => {
  const expiring = (at: string) => keys({ domains: [domain('a.example', { ssl_expires_at: at })] })
  expect(expiring('2026-01-25 13:00:00')).toEqual([])
  expect(expiring('2026-01-20 12:00:00')).toEqual(['warn certificate a.example'])
  expect(expiring('2026-01-11 12:00:00')).toEqual(['bad certificate a.example'])
  expect(expiring('2026-01-10 11:00:00')).toEqual(['bad certificate a.example'])
  const bare = { ssl_status: 'none', ssl_expires_at: null }
  const one = [domain('a.example', bare), domain('b.example', { ...bare, domain_type: 'alias' })]
  const text = (domains: object[]) => attention(factsOf({ domains }), NOW)[0]?.text
  expect(text(one)).toContain('a.example has no certificate')
  expect(text([...one, domain('c.example', bare)])).toContain('2 websites')
})

test('what does not work comes first: the server, failed backups, then failing jobs', () => {
  const failed = [
    { account_id: 1, username: 'a', at: '2026-01-09 00:00:00', error: 'x', last_success_at: null },
  ]
  const jobs = [
    { id: 1, name: 'nightly', failures: 3, enabled: true },
    { id: 2, name: 'off', failures: 3, enabled: false },
    { id: 3, name: 'well', failures: 0, enabled: true },
  ]
  expect(keys({ running: false, failed, jobs, account: { disk_used_mb: 90 } })).toEqual([
    'bad server',
    'bad backup 1',
    'warn disk',
    'warn cron 1',
  ])
})
