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

const answer = async (token: string): Promise<Response> =>
  fetch(`${instance.panelUrl}/api/auth/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'Anna', password: 'a password of my own' }),
  })

test('people are invited, given another role and removed', async () => {
  const email = `anna@${alice.username}.example`
  const role = ['--role', 'developer']
  expect(await berth.ok('people list', [alice.username])).toContain('Nobody works')
  const text = await berth.ok('people invite', [alice.username, email.toUpperCase(), ...role])
  const token = /\/invitation#([\w-]{43})\n/.exec(text)?.[1] ?? ''
  expect(await berth.ok('people invitations', [alice.username])).toMatch(
    new RegExp(`${email} +developer`),
  )
  expect((await answer(token)).status).toBe(200)
  expect((await answer(token)).status).toBe(404)
  expect(await berth.ok('people list', [alice.username])).toMatch(
    new RegExp(`${email} +Anna +developer`),
  )
  await berth.ok('people role', [alice.username, email, '--role', 'reader'])
  expect(await berth.json('people list-all', ['--q', email])).toMatchObject([
    { email, name: 'Anna', accounts: [{ username: alice.username, role: 'reader' }] },
  ])
  expect(await berth.ok('people remove-second-factor', [email])).toContain('no second factor')
  await berth.ok('people remove', [alice.username, email, '--yes'])
  expect(await berth.json('people list-all', ['--q', email])).toEqual([])

  const again = await berth.json<{ id: number; token: string }>('people invite', [
    alice.username,
    email,
    ...role,
  ])
  await berth.ok('people revoke', [alice.username, String(again.id), '--yes'])
  expect((await answer(again.token)).status).toBe(404)
  const last = await berth.json<{ token: string }>('people invite', [
    alice.username,
    email,
    ...role,
  ])
  expect((await answer(last.token)).status).toBe(200)
  await berth.ok('people delete', [email, '--yes'])
  expect(await berth.ok('people list', [alice.username])).toContain('Nobody works')
})
