import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** Addresses from which databases may be reached, in every store. */
export const databaseAddressesStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`addresses that reach databases in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accountId = 0
    const insert = (address: string, limit: number | null = null) =>
      store.insertDatabaseAddress(
        { account_id: accountId, address, note: 'office', created_at: NOW },
        operation('dbaddresses', { state: 'done' }),
        limit,
      )

    beforeAll(async () => {
      subject = await create()
      store = subject.store
      const made = await store.insertAccount(
        account('dbaddresses', { status: 'active' }),
        domain('dbaddresses.example'),
        operation('dbaddresses', { state: 'done' }),
        { accounts: -1, domains: -1 },
      )
      if (typeof made === 'string') throw new Error(made)
      accountId = made.account.id
    })
    afterAll(() => subject.dispose())

    test('are kept once each, within the limit, and go', async () => {
      const made = await insert('203.0.113.7', 1)
      expect(made).toEqual({
        ...{ id: expect.any(Number), account_id: accountId },
        ...{ address: '203.0.113.7', note: 'office', created_at: NOW },
      })
      expect(await insert('203.0.113.7', 5)).toBe('duplicate')
      expect(await insert('203.0.113.8', 1)).toBe('limit')
      expect(await insert('203.0.113.8', 2)).toMatchObject({ address: '203.0.113.8' })
      expect((await store.accountUsage(accountId)).database_addresses).toBe(2)
      const rows = await store.listDatabaseAddresses(accountId)
      expect(rows.map(({ address }) => address)).toEqual(['203.0.113.7', '203.0.113.8'])
      for (const { id } of [...rows, ...rows]) await store.deleteDatabaseAddress(id)
      expect(await store.listDatabaseAddresses(accountId)).toEqual([])
    })

    test('go with their account', async () => {
      await insert('203.0.113.9')
      await store.deleteAccount(accountId)
      expect(await store.listDatabaseAddresses(accountId)).toEqual([])
    })
  })
}
