import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Berth } from '../support/run-berth.ts'

let berth: Berth
const carol = randomUsername()
const dave = randomUsername()
const alice = randomUsername()

beforeAll(() => {
  berth = new Berth('--config', instance.config.file)
})
afterAll(() => berth?.remove())

const loginOf = async (password: string) =>
  (await panel.call('POST', '/api/auth/login', { username: carol, password }, null)).status
const status = async (command: string, name: string) =>
  (await berth.json<{ status: string }>(command, [name])).status

test('are made within plans and limits, shown, listed and changed', async () => {
  const none = ['--plan', 'free', '--accounts', 'none']
  const made = await berth.json<{ password: string }>('resellers create', [
    carol,
    ...['--plan', 'free', '--plan', 'pro', '--accounts', '2', '--domains', '9'],
    ...['--databases', '8', '--disk', '6000', '--bandwidth', '400000', '--generate-password'],
  ])
  expect(made).toMatchObject({
    username: carol,
    plans: ['free', 'pro'],
    accounts: { used: 0, limit: 2 },
    disk_limit_mb: 6000,
    bandwidth_limit_mb: 400_000,
  })
  expect(await loginOf(made.password)).toBe(200)
  const second = [dave, ...none, '--password-stdin']
  const input = 'long enough 1\n'
  expect(await berth.ok('resellers create', second, { input })).toBe(
    `Reseller ${dave} was created.\n`,
  )
  const taken = await berth.run('resellers create', second, { input })
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('is taken')])
  const table = await berth.ok('resellers list', ['--sort', 'accounts', '--order', 'desc'])
  expect(table).toMatch(new RegExp(`${carol} +active +0/2 +0/9 +0/6000 +0/400000 +free pro`))
  expect(table).toMatch(new RegExp(`${dave} +active +0 +0 +0 +0 +free`))
  const { id } = await berth.json<{ id: number }>('resellers show', [carol])
  expect(await berth.ok('resellers show', [String(id)])).toMatch(
    /^databases\n +used +0\n +limit +8$/m,
  )
  const change = ['--plan', 'free', '--disk', 'none', '--domains', '3']
  expect(await berth.json('resellers update', [carol, ...change])).toMatchObject({
    plans: ['free'],
    disk_limit_mb: null,
    domains_limit: 3,
    accounts_limit: 2,
  })
  expect((await berth.run('resellers update', [carol])).code).toBe(2)
  expect(await berth.run('resellers show', ['nobody'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no reseller "nobody". See: berth resellers list\n',
  })
})

test('have accounts that are made for them, moved, and suspended with them', async () => {
  const { id } = await berth.json<{ id: number }>('resellers show', [carol])
  const facts = ['--domain', `${alice}.example.com`, '--email', `${alice}@example.com`]
  const wanted = [alice, ...facts, '--reseller', carol, '--generate-password']
  const refused = await berth.run('accounts create', [...wanted, '--plan', 'pro'])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Plan pro is not among those that the reseller may give.'),
  ])
  expect(await berth.json('accounts create', wanted)).toMatchObject({ reseller_id: id })
  const owner = async () => (await berth.json('accounts show', [alice]))['reseller_id']
  expect(await berth.ok('accounts move', [alice, dave])).toBe(
    `Account ${alice} is ${dave}'s now.\n`,
  )
  expect(await owner()).not.toBe(id)
  expect(await berth.ok('accounts move', [alice, 'none'])).toBe(
    `Account ${alice} is no reseller's now.\n`,
  )
  expect(await owner()).toBe(null)
  await berth.ok('accounts move', [alice, carol])
  expect(await owner()).toBe(id)
  expect((await berth.run('accounts move', [alice, 'nobody'])).code).toBe(1)

  const why = ['--reason', 'invoice 17 is unpaid']
  expect(await berth.ok('resellers suspend', [carol, ...why])).toBe(
    `Reseller ${carol} is suspended.\n`,
  )
  expect(await berth.json('resellers show', [carol])).toMatchObject({
    status: 'suspended',
    suspend_reason: 'invoice 17 is unpaid',
  })
  expect(await status('accounts show', alice)).toBe('active')
  expect(await berth.ok('resellers unsuspend', [carol])).toBe(
    `Reseller ${carol} is active again.\n`,
  )
  await berth.ok('resellers suspend', [carol, '--with-accounts'])
  expect(await status('accounts show', alice)).toBe('suspended')
  await berth.ok('resellers unsuspend', [carol])
  expect(await status('accounts show', alice)).toBe('active')
  expect((await berth.run('resellers unsuspend', [carol])).code).toBe(1)
})

test('get a new password, lose a second factor, and go when it is said who gets their accounts', async () => {
  const input = 'another one 2\n'
  expect(await berth.ok('resellers password', [carol, '--password-stdin'], { input })).toBe(
    `Reseller ${carol} has a new password.\n`,
  )
  expect(await loginOf('another one 2')).toBe(200)
  expect(await berth.ok('resellers remove-second-factor', [carol])).toBe(
    `Reseller ${carol} has no second factor any more.\n`,
  )
  expect((await berth.run('resellers delete', [carol])).code).toBe(2)
  const asked = await berth.run('resellers delete', [carol, '--yes'])
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('Say to whom they go')])
  expect(await berth.ok('resellers delete', [carol, '--accounts-to', dave, '--yes'])).toBe(
    `Reseller ${carol} was deleted.\n`,
  )
  const { id } = await berth.json<{ id: number }>('resellers show', [dave])
  expect(await berth.json('accounts show', [alice])).toMatchObject({ reseller_id: id })
  await berth.ok('resellers delete', [dave, '--accounts-to', 'none', '--yes'])
  expect(await berth.json('accounts show', [alice])).toMatchObject({ reseller_id: null })
  await berth.ok('accounts delete', [alice, '--yes'])
})
