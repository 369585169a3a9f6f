import { beforeAll, expect, test } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const office = (change: Record<string, unknown> = {}) => ({
  account_id: 1,
  address: '203.0.113.7',
  note: 'office',
  ...change,
})

const badAddresses = [
  '0.0.0.0/0',
  '::/0',
  '10.0.0.0/8',
  '203.0.113.7/24',
  '2001:db8::/32',
  '2001:db8:1::/56',
  '::ffff:203.0.113.7',
  '::ffff:cb00:7107',
  'fe80::1',
  'fe80::1%eth0',
  '224.0.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '203.0.113.07',
  '203.0.113',
  'office.example',
  '%',
  "203.0.113.7' OR ''='",
  '203.0.113.7 trust',
  '203.0.113.7\nhost all all all trust',
  '203.0.113.7,198.51.100.1',
  '',
  ' ',
  '1'.repeat(65),
]

/** Addresses from which databases may be reached. */
export const databaseAddressesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('addresses that reach databases', makeInstance, (shared) => {
    const allowed = (username: string) =>
      shared.instance.host.databaseRemote.addresses.get(username) ?? []
    const list = async (query = '') =>
      (await shared.admin.get(`/api/database-addresses/1${query}`)).body.data as {
        id: number
        address: string
      }[]

    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
    })

    test('how the servers are reached is told to everybody', async () => {
      const bob = await accountClient(shared.instance, 'bob')
      for (const client of [shared.admin, bob]) {
        const { status, body } = await client.get('/api/databases/remote')
        expect([status, body.data]).toEqual([200, shared.instance.host.databaseRemote.told])
      }
    })

    test.each(badAddresses)('the address %j is refused, and why', async (address) => {
      const answer = await shared.admin.post('/api/database-addresses', office({ address }))
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'address'])
      expect(String(answer.body.error)).toMatch(/^address /)
      expect(allowed('alice')).toEqual([])
    })

    test.each([
      ['account_id', { account_id: undefined }],
      ['address', { address: undefined }],
      ['note', { note: 'two\nlines' }],
      ['note', { note: 'x'.repeat(101) }],
    ])('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/database-addresses', office(change))
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
    })

    test('one is allowed, listed, and not allowed twice, however it is written', async () => {
      const made = await shared.admin.post('/api/database-addresses', office())
      expect(made.body.data).toEqual({
        ...{ id: 1, address: '203.0.113.7', note: 'office' },
        created_at: expect.stringMatching(/^\d{4}-/),
      })
      expect(await list()).toEqual([made.body.data])
      expect(allowed('alice')).toEqual(['203.0.113.7'])
      for (const address of ['203.0.113.7', '203.0.113.7/32'])
        expect(
          (await shared.admin.post('/api/database-addresses', office({ address }))).status,
        ).toBe(409)
      const six = await shared.admin.post(
        '/api/database-addresses',
        office({ address: '2001:0DB8:1:2:0:0:0:0/64', note: undefined }),
      )
      expect(six.body.data).toMatchObject({ address: '2001:db8:1:2::/64', note: '' })
      const missing = office({ account_id: 99, address: '203.0.113.8' })
      expect((await shared.admin.post('/api/database-addresses', missing)).status).toBe(404)
    })

    test('the list pages, sorts and searches', async () => {
      const addresses = async (query: string) => (await list(query)).map(({ address }) => address)
      expect(await addresses('?sort=address&order=desc')).toEqual([
        '203.0.113.7',
        '2001:db8:1:2::/64',
      ])
      expect(await addresses('?q=office')).toEqual(['203.0.113.7'])
      expect(await addresses('?per_page=1&page=2')).toEqual(['2001:db8:1:2::/64'])
      expect((await shared.admin.get('/api/database-addresses/1?sort=id')).status).toBe(400)
    })

    test('what fails at the host leaves everything as it was', async () => {
      const { host } = shared.instance
      const before = await list()
      for (const when of ['before', 'after'] as const) {
        host.inject({ method: 'databaseRemote.setAddresses', when, error: unavailable('Away.') })
        const answer = await shared.admin.post(
          '/api/database-addresses',
          office({ address: '203.0.113.9' }),
        )
        expect(answer.status).toBe(503)
        host.clearFaults()
      }
      expect(await list()).toEqual(before)
      expect(allowed('alice')).toEqual(['2001:db8:1:2::/64', '203.0.113.7'])
    })

    test('an account has its own alone, as many as its plan allows', async () => {
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.get('/api/database-addresses/1')).status).toBe(404)
      expect((await bob.post('/api/database-addresses', office())).status).toBe(404)
      expect((await bob.del('/api/database-addresses/1/1')).status).toBe(404)
      expect((await bob.del('/api/database-addresses/2/1')).status).toBe(404)
      await shared.admin.send('PATCH', '/api/plans/free', { database_addresses_limit: 1 })
      const own = office({ account_id: 2 })
      expect((await bob.post('/api/database-addresses', own)).status).toBe(200)
      const more = { ...own, address: '203.0.113.8' }
      const over = await bob.post('/api/database-addresses', more)
      expect(over.status).toBe(403)
      expect(over.body.error).toContain('has 1 of the 1 addresses')
      expect((await shared.admin.post('/api/database-addresses', more)).status).toBe(200)
      const { body } = await bob.get('/api/accounts/2/limits')
      expect(body.data).toMatchObject({ database_addresses: { used: 2, limit: 1 } })
      expect(allowed('alice')).not.toContain('203.0.113.8')
    })

    test('a suspended account allows none, and may take some away', async () => {
      await shared.admin.post('/api/accounts/1/suspend')
      const more = office({ address: '203.0.113.10' })
      expect((await shared.admin.post('/api/database-addresses', more)).status).toBe(409)
      const [first] = await list()
      expect((await shared.admin.del(`/api/database-addresses/1/${first?.id}`)).status).toBe(200)
      await shared.admin.post('/api/accounts/1/unsuspend')
      expect(allowed('alice')).toEqual(['2001:db8:1:2::/64'])
    })

    test('each goes by itself, and with the account', async () => {
      const [first] = await list()
      const path = `/api/database-addresses/1/${first?.id}`
      expect((await shared.admin.del(path)).body.data).toEqual({ id: first?.id, deleted: true })
      expect((await shared.admin.del(path)).status).toBe(404)
      expect(await list()).toEqual([])
      expect((await shared.admin.del('/api/accounts/2')).status).toBe(200)
      expect(allowed('bob')).toEqual([])
      const { body } = await shared.admin.get('/api/audit?per_page=100')
      expect(JSON.stringify(body.data)).toContain('address=203.0.113.7')
    })
  })
}
