import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

let alice: Tenant
let berth: Berth

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
})

test('a test message is kept without a relay, shown, and removed', async () => {
  const to = `me@${alice.username}.example`
  const { id } = await berth.json<{ id: string }>('mail test', [to])
  const kept = ['--state', 'kept', '--sort', 'created_at', '--order', 'desc']
  expect(await berth.ok('mail list', kept)).toMatch(
    new RegExp(`^ID +ACCOUNT[^]*${id} +\\(panel\\) +kept +${to}`),
  )
  const shown = await berth.ok('mail show', [id])
  expect(shown).toMatch(new RegExp(`State: +kept\n[^]*To: +${to} \\(waiting\\)`))
  expect(await berth.json('mail retry', [id])).toMatchObject({ id, state: 'kept' })
  const status = await berth.ok('mail status')
  expect(status).toMatch(/^Relay: +none: messages are kept\n[^]*kept: +[1-9]/)

  const refused = await berth.run('mail delete', [id])
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(await berth.ok('mail delete', [id, '--yes'])).toBe(`Message ${id} was removed.\n`)
  for (const command of ['show', 'retry'])
    expect((await berth.run(`mail ${command}`, [id])).code).toBe(1)
  expect(await berth.json('mail list', ['--q', to])).toEqual([])
  expect(await berth.ok('mail test', [to])).toContain('there is no relay')
  expect((await berth.run('mail test', ['nobody'])).code).toBe(1)
})

test('the messages of one account, and how much it may send', async () => {
  expect(await berth.ok('mail list', [alice.username])).toBe('There are no messages.\n')
  expect(await berth.ok('mail status', [alice.username])).toMatch(
    /^Relay: +none: they are kept\nLast hour: +0 of \d+\n24 hours: +0 of \d+\n/,
  )
  expect((await berth.run('mail list', ['nobody'])).code).toBe(1)
  expect((await berth.run('mail list', ['--state', 'lost'])).code).toBe(2)
})
