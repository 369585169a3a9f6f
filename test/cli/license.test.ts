import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { runLauncher, type Outcome } from './support/run-berth.ts'

let dir: string
let config: string

const license = (...args: string[]): Promise<Outcome> =>
  runLauncher(['license', ...args, '--config', config])
const at = (name: string): string => join(dir, name)

beforeAll(async () => {
  dir = temporaryDirectory('blicense-')
  config = at('berth.toml')
  writeFileSync(config, '[paths]\nstate_dir = "state"\n')
  expect((await license('keygen', '--out', dir)).code).toBe(0)
})

test('keygen keeps the private key to its owner and replaces none', async () => {
  expect(statSync(at('license.key')).mode & 0o777).toBe(0o600)
  const key = readFileSync(at('license.key'), 'utf8')
  const again = await license('keygen', '--out', dir)
  expect([again.code, again.stdout]).toEqual([1, ''])
  expect(again.stderr).toContain('exists already')
  expect(readFileSync(at('license.key'), 'utf8')).toBe(key)
})

test('issue signs what show accepts, and what the configuration names', async () => {
  const args = ['--key', at('license.key'), '--tier', 'pro', '--holder', 'Example Ltd']
  const issued = await license(
    'issue',
    ...args,
    '--expires',
    '2099-12-31',
    '--out',
    at('license.json'),
  )
  expect(issued.code).toBe(0)
  const shown = await license('show', at('license.json'), '--key', at('license.pub'), '--json')
  expect(shown.code).toBe(0)
  expect(JSON.parse(shown.stdout)).toMatchObject({
    tier: 'pro',
    holder: 'Example Ltd',
    accounts_limit: 50,
    domains_limit: 250,
    expires_at: '2099-12-31',
    valid: true,
  })
  expect((await license('show')).stdout).toMatch(/tier\s+community/)
  writeFileSync(
    config,
    '[paths]\nstate_dir = "state"\n[panel]\nlicense_file = "license.json"\nlicense_public_key_file = "license.pub"\n',
  )
  expect((await license('show')).stdout).toMatch(/holder\s+Example Ltd/)
})

test('business has no limits; given limits go before the tier’s', async () => {
  const args = ['--key', at('license.key'), '--holder', 'x', '--tier']
  const business = await license('issue', ...args, 'business')
  expect(JSON.parse(business.stdout)).toMatchObject({ accounts_limit: -1, expires_at: null })
  const own = await license('issue', ...args, 'pro', '--accounts', '7', '--domains', '-1')
  expect(JSON.parse(own.stdout)).toMatchObject({ accounts_limit: 7, domains_limit: -1 })
})

test('a changed or expired licence is told with the reason, exit code 1', async () => {
  const good = readFileSync(at('license.json'), 'utf8')
  writeFileSync(at('bad.json'), good.replace('"pro"', '"business"'))
  const bad = await license('show', at('bad.json'), '--key', at('license.pub'))
  expect(bad.code).toBe(1)
  expect(bad.stdout).toContain('its signature is not good')
  const args = [
    '--key',
    at('license.key'),
    '--tier',
    'pro',
    '--holder',
    'x',
    '--expires',
    '2020-01-01',
  ]
  const issued = await license('issue', ...args, '--out', at('old.json'))
  expect([issued.code, issued.stderr]).toEqual([0, expect.stringContaining('2020-01-01, is over')])
  const json = await license('issue', ...args, '--out', at('old2.json'), '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ warning: expect.stringContaining('is over') })
  const today = new Date().toISOString().slice(0, 10)
  const good2 = await license('issue', ...args.slice(0, -1), today, '--out', at('today.json'))
  expect(good2.stderr).toBe('')
  const old = await license('show', at('old.json'), '--key', at('license.pub'))
  expect([old.code, old.stdout.includes('it expired on 2020-01-01')]).toEqual([1, true])
})

test.each([
  [['issue', '--tier', 'gold'], 2],
  [['issue', '--tier', 'pro', '--expires', '2027-02-30'], 2],
  [['issue', '--tier', 'pro', '--accounts', 'many'], 2],
  [['issue'], 2],
  [['show', '/nonexistent'], 1],
])('%j fails with code %d and prints nothing', async (args, code) => {
  const key =
    args.length > 1 && args[0] === 'issue' ? ['--key', at('license.key'), '--holder', 'x'] : []
  const outcome = await license(...args, ...key)
  expect([outcome.code, outcome.stdout]).toEqual([code, ''])
  expect(outcome.stderr).not.toBe('')
})
