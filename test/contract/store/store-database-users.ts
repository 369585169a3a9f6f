import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** Further users of databases and sizes over time, in every store. */
export const databaseUsersStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`further users of databases in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accountId = 0
    const ids: number[] = []
    const row = (user: string, databases: number[]) => ({
      account_id: accountId,
      engine: 'mariadb' as const,
      name: user,
      created_at: NOW,
      grants: databases.map((database_id) => ({ database_id, rights: 'read' as const })),
    })
    const names = async () => (await store.listDatabaseUsers(accountId)).map((one) => one.name)

    beforeAll(async () => {
      subject = await create()
      store = subject.store
      const made = await store.insertAccount(
        account('dbusers', { status: 'active' }),
        domain('dbusers.example'),
        operation('dbusers', { state: 'done' }),
        { accounts: -1, domains: -1 },
      )
      if (typeof made === 'string') throw new Error(made)
      accountId = made.account.id
      for (const database of ['dbusers_a', 'dbusers_b']) {
        const one = await store.insertDatabase(
          {
            ...{ account_id: accountId, engine: 'mariadb', host: 'localhost', created_at: NOW },
            ...{ database_name: database, database_user: database },
          },
          operation('dbusers', { state: 'done' }),
          null,
        )
        if (typeof one === 'string') throw new Error(one)
        ids.push(one.id)
      }
    })
    afterAll(() => subject.dispose())

    test('are made within their limit, under a name that no user has', async () => {
      const insert = (user: string, databases: number[], limit: number | null = null) =>
        store.insertDatabaseUser(
          row(user, databases),
          operation('dbusers', { state: 'done' }),
          limit,
        )
      expect(await insert('dbusers_one', [ids[0]!])).toBe('made')
      expect(await insert('dbusers_one', [ids[0]!])).toBe('duplicate')
      expect(await insert('dbusers_a', [ids[0]!])).toBe('duplicate')
      expect(await insert('dbusers_both', ids, 1)).toBe('limit')
      expect(await insert('dbusers_both', [...ids, 9999], 2)).toBe('made')
      expect(await store.listDatabaseUsers(accountId)).toMatchObject([
        { name: 'dbusers_one', grants: [{ database_id: ids[0], rights: 'read' }] },
        { name: 'dbusers_both', grants: ids.map((database_id) => ({ database_id })) },
      ])
      expect((await store.accountUsage(accountId)).database_users).toBe(2)
    })

    test('get other rights and names, and go with their last database', async () => {
      const [one, both] = await store.listDatabaseUsers(accountId)
      await store.setDatabaseGrants(both!.id, [
        { database_id: ids[0]!, rights: 'all' },
        { database_id: ids[1]!, rights: 'write' },
      ])
      await store.renameDatabaseUser(one!.id, 'dbusers_renamed')
      await store.renameDatabaseOwner(ids[1]!, 'dbusers_owner')
      expect((await store.listDatabases(accountId))[1]?.database_user).toBe('dbusers_owner')
      await store.putDatabaseSizes('2026-01-01', [{ database_id: ids[0]!, size_bytes: 1 }], '')
      await store.deleteDatabase(ids[0]!)
      expect(await store.listDatabaseUsers(accountId)).toMatchObject([
        { name: 'dbusers_both', grants: [{ database_id: ids[1], rights: 'write' }] },
      ])
      expect(await store.databaseSizes(ids[0]!)).toEqual([])
    })

    test('sizes are kept once a day, until they are too old', async () => {
      const id = ids[1]!
      const lacking = async (day: string) =>
        (await store.databasesWithoutSize(day)).filter((one) => one.id === id)
      expect(await lacking('2026-01-01')).toEqual([
        {
          ...{ id, engine: 'mariadb', database_name: 'dbusers_b', username: 'dbusers' },
        },
      ])
      const put = (day: string, size_bytes: number, before: string) =>
        store.putDatabaseSizes(
          day,
          [id, 9999].map((database_id) => ({ database_id, size_bytes })),
          before,
        )
      await put('2026-01-01', 5_000_000_000, '')
      await put('2026-01-01', 6, '')
      await put('2026-01-02', 7, '')
      expect(await store.databaseSizes(id)).toEqual([
        { day: '2026-01-01', size_bytes: 5_000_000_000 },
        { day: '2026-01-02', size_bytes: 7 },
      ])
      expect(await lacking('2026-01-02')).toEqual([])
      await put('2026-01-03', 8, '2026-01-02')
      expect((await store.databaseSizes(id)).map(({ day }) => day)).toEqual([
        '2026-01-02',
        '2026-01-03',
      ])
    })

    test('go by themselves and with the account', async () => {
      const [one] = await store.listDatabaseUsers(accountId)
      await store.deleteDatabaseUser(one!.id)
      expect(await names()).toEqual([])
      await store.insertDatabaseUser(
        row('dbusers_last', [ids[1]!]),
        operation('dbusers', { state: 'done' }),
        null,
      )
      await store.deleteAccount(accountId)
      expect(await names()).toEqual([])
    })
  })
}
