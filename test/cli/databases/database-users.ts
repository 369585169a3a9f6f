import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

let alice: Tenant
let berth: Berth
const MARIADB = ['--engine', 'mariadb']

beforeAll(async () => {
  alice = await Tenant.create(panel, 'pro')
  berth = new Berth('--config', instance.config.file)
  for (const name of ['shop', 'blog'])
    await berth.ok('databases create', [alice.username, name, '--generate-password'])
})
afterAll(async () => {
  berth?.remove()
})

test("a database's user gets another name, and sizes and slow statements are shown", async () => {
  const { username } = alice
  const renamed = await berth.json('databases rename-user', [username, 'shop', 'seller'])
  expect(renamed).toMatchObject({ database: `${username}_shop`, user: `${username}_seller` })
  const taken = [username, 'blog', 'seller', ...MARIADB]
  const refused = await berth.run('databases rename-user', taken)
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(await berth.ok('databases sizes', [username, 'shop', ...MARIADB])).toMatch(
    /^(Nothing is noted yet|DAY +SIZE\n)/,
  )
  expect(await berth.ok('databases slow', [username, 'shop', ...MARIADB])).toBe(
    'Nothing took long since the host was started.\n',
  )
  for (const command of ['databases sizes', 'databases slow'])
    expect((await berth.run(command, [username, 'none'])).code).toBe(1)
})

test('a further user is made, given other rights, another password and name, and dropped', async () => {
  const { username } = alice
  expect(await berth.ok('database-users list', [username])).toContain('their own users alone')
  const asked = [username, 'report', '--grant', 'shop:read', '--grant', 'blog:write']
  const made = await berth.json('database-users create', [
    ...asked,
    ...MARIADB,
    '--generate-password',
  ])
  expect(made).toMatchObject({
    user: `${username}_report`,
    password: expect.stringMatching(/^\w{20}$/) as string,
    databases: expect.arrayContaining([
      { database: `${username}_shop`, rights: 'read' },
      { database: `${username}_blog`, rights: 'write' },
    ]) as unknown,
  })
  expect(await berth.ok('database-user list', [username])).toMatch(
    new RegExp(`^USER +ENGINE[^]*${username}_report +\\w+ .*${username}_shop:read`),
  )
  const again = await berth.run('database-users create', [...asked, '--generate-password'])
  expect([again.code, again.stdout]).toEqual([1, ''])

  const rights = await berth.json('database-users rights', [
    username,
    'report',
    '--grant',
    `${username}_shop:all`,
    ...MARIADB,
  ])
  expect(rights['databases']).toEqual([{ database: `${username}_shop`, rights: 'all' }])
  await berth.ok('database-users password', [username, 'report', '--password-stdin', ...MARIADB], {
    input: 'brand new pw 1\n',
  })
  const renamed = await berth.json('database-users rename', [username, 'report', 'figures'])
  expect(renamed).toMatchObject({ user: `${username}_figures` })
  expect((await berth.run('database-users rename', [username, 'report', 'other'])).code).toBe(1)

  expect(await berth.run('database-users delete', [username, 'figures'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `Dropping database user figures of ${username} cannot be undone. Confirm it with --yes.\n`,
  })
  expect(await berth.ok('database-users delete', [username, 'figures', '--yes', ...MARIADB])).toBe(
    `Database user figures of ${username} was dropped.\n`,
  )
  expect(await berth.json('database-users list', [username])).toEqual([])
})

test.each(['shop', 'shop:rule', ':read'])('--grant %s is no right', async (grant) => {
  const { username } = alice
  for (const command of ['create', 'rights']) {
    const args = [username, 'report', '--grant', grant]
    const { code, stderr } = await berth.run(`database-users ${command}`, args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"${grant}"`)])
  }
})

test('without a right the command line is wrong', async () => {
  for (const command of ['create', 'rights']) {
    const { code, stderr } = await berth.run(`database-users ${command}`, [alice.username, 'x'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--grant')])
  }
})
