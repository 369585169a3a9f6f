import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from './support/run-berth.ts'

let berth: Berth
let tenant: Tenant

beforeAll(async () => {
  berth = new Berth('--config', instance.config.file)
  tenant = await Tenant.create(panel)
})
afterAll(() => berth?.remove())

test('schedules of plans and accounts are set, shown and removed', async () => {
  const { username } = tenant
  expect(await berth.ok('schedules plans')).toContain('default: none')
  const keeps = ['--hourly', '6', '--daily', '7', '--weekly', '4', '--monthly', '2']
  expect(
    await berth.ok('schedules set', [
      ...['--plan', 'business', '--what', 'archive', '--every', '12', '--window', '22-10'],
      ...['--place', 'local', ...keeps],
    ]),
  ).toBe('archive every 12 h 22-10 UTC at local; keeps hourly 6, daily 7, weekly 4, monthly 2\n')
  expect(await berth.ok('schedules plans')).toMatch(/business\s+archive every 12 h/)
  const own = ['--account', username, '--window', 'any', '--last', '3']
  expect(await berth.ok('schedules set', own)).toBe('archive every 24 h at local; keeps last 3\n')
  expect(await berth.ok('schedules show', [username])).toMatch(
    /^archive every 24 h at local; keeps last 3 \(account\)\nlast: never\nnext: \d{4}-/,
  )
  expect(await berth.ok('schedules list', ['--q', username, '--sort', 'username'])).toContain(
    `${username}`,
  )
  expect(await berth.ok('schedules delete', ['--account', username])).toContain('was removed')
  expect(await berth.ok('schedules delete', ['--plan', 'business'])).toContain('was removed')
  expect(await berth.json('schedules state')).toMatchObject({ failed: [], overdue: [] })
})

test('what is not said, and what makes no sense, is a wrong command line', async () => {
  for (const wrong of [
    [],
    ['--account', 'x', '--plan', 'free'],
    ['--plan', 'free', '--window', 'night'],
    ['--plan', 'free', '--every', '500'],
  ])
    expect([wrong, (await berth.run('schedules set', wrong)).code]).toEqual([wrong, 2])
  const refused = await berth.run('schedules set', ['--plan', 'free', '--every', '5'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('every_hours')])
})
