import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

let alice: Tenant
let berth: Berth

beforeAll(async () => {
  alice = await Tenant.create(panel, 'pro')
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
})

test('servers that this machine alone reaches say so, and have no certificate to hand out', async () => {
  expect(await berth.ok('database-addresses show')).toMatch(/^Host: [^]*this machine alone\n/)
  const file = join(temporaryDirectory('bcli-'), 'certificate.pem')
  const refused = await berth.run('database-addresses certificate', [file])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('reached from other machines')
})

test('an address is allowed, listed and removed', async () => {
  const { username } = alice
  expect(await berth.ok('database-addresses list', [username])).toContain('This machine alone')
  const made = await berth.json('database-addresses add', [
    ...[username, '203.0.113.7', '--note', 'office'],
  ])
  expect(made).toMatchObject({ address: '203.0.113.7', note: 'office' })
  expect(await berth.ok('database-address list', [username])).toMatch(
    /^ADDRESS +NOTE +CREATED\n203\.0\.113\.7 +office/,
  )
  for (const address of ['203.0.113.7', '0.0.0.0/0', 'office.example']) {
    const refused = await berth.run('database-addresses add', [username, address])
    expect([address, refused.code, refused.stdout]).toEqual([address, 1, ''])
  }
  const none = await berth.run('database-addresses remove', [username, '203.0.113.8', '--yes'])
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toContain('database-addresses list')
  expect(await berth.ok('database-addresses remove', [username, '203.0.113.7', '--yes'])).toBe(
    `203.0.113.7 reaches the databases of ${username} no more.\n`,
  )
  expect(await berth.json('database-addresses list', [username])).toEqual([])
})
