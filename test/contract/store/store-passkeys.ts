import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PasskeyRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { NOW } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const LATER = '2027-01-01 00:00:00'

/** Passkeys in every store. */
export const passkeysStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`passkeys in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let owner = { role: 'admin' as const, id: 0 }
    const insert = (credential: string, change: Partial<PasskeyRow> = {}, limit = 5, since = 0) =>
      store.insertPasskey(
        {
          role: 'admin',
          owner_id: owner.id,
          name: credential,
          credential_id: credential,
          public_key: 'key',
          counter: 0,
          transports: ['internal', 'usb'],
          party: 'panel.example',
          created_at: NOW,
          ...change,
        },
        limit,
        since,
      )
    const idOf = (row: Awaited<ReturnType<typeof insert>>): number => {
      if (typeof row === 'string') throw new Error(row)
      return row.id
    }

    beforeAll(async () => {
      subject = await create()
      store = subject.store
      const first = { username: 'Boss', password_hash: 'x', not_before_secs: 0, created_at: NOW }
      owner = { role: 'admin', id: (await store.createFirstAdmin(first))?.id ?? 0 }
    })
    afterAll(() => subject.dispose())

    test('is found by what the browser calls it, and by its owner', async () => {
      const row = await insert('phone')
      expect(row).toMatchObject({ transports: ['internal', 'usb'], last_used_at: null })
      expect(await store.passkeyByCredential('phone')).toEqual(row)
      expect(await store.passkeyByCredential('Phone')).toBeNull()
      expect(await store.listPasskeys(owner)).toEqual([row])
      expect(await store.listPasskeys({ role: 'account', id: owner.id })).toEqual([])
    })

    test('names and devices are taken once, the number is bounded, also in parallel', async () => {
      expect(await insert('other', { name: 'phone' })).toBe('duplicate')
      expect(await insert('phone', { name: 'other' })).toBe('known')
      expect(await insert('late', {}, 5, 7)).toBe('owner-changed')
      expect(await insert('nobody', { owner_id: 999 })).toBe('owner-changed')
      const made = await Promise.all(['a', 'b', 'c'].map((one) => insert(one, {}, 2)))
      expect(made.filter((one) => typeof one !== 'string')).toHaveLength(1)
      expect(made.filter((one) => one === 'limit')).toHaveLength(2)
    })

    test('a count goes only up, unless the device does not count', async () => {
      const id = idOf(await insert('counting'))
      expect(await store.usePasskey(id, 0, LATER)).toBe(true)
      expect(await store.usePasskey(id, 3, LATER)).toBe(true)
      const twice = [store.usePasskey(id, 4, LATER), store.usePasskey(id, 4, LATER)]
      expect((await Promise.all(twice)).sort()).toEqual([false, true])
      expect(await store.usePasskey(id, 0, LATER)).toBe(false)
      expect(await store.passkeyByCredential('counting')).toMatchObject({
        counter: 4,
        last_used_at: LATER,
      })
      expect(await store.usePasskey(999, 5, LATER)).toBe(false)
    })

    test('goes by its owner alone, and with the owner', async () => {
      const id = idOf(await insert('going'))
      expect(await store.deletePasskey({ role: 'account', id: owner.id }, id)).toBe(false)
      expect(await store.deletePasskey(owner, id)).toBe(true)
      expect(await store.deletePasskey(owner, id)).toBe(false)
      await store.deletePasskeys(owner)
      await store.deletePasskeys(owner)
      expect(await store.listPasskeys(owner)).toEqual([])
      const second = await store.insertAdmin({
        username: 'second',
        password_hash: 'x',
        status: 'active',
        not_before_secs: 0,
        created_at: NOW,
      })
      if (second === 'duplicate') throw new Error(second)
      await insert('of the second', { owner_id: second.id })
      await store.deleteAdmin(second.id)
      expect(await store.passkeyByCredential('of the second')).toBeNull()
    })

    test('what counts once is used up once, also in parallel', async () => {
      const soon = Math.floor(Date.now() / 1000) + 300
      const spent = await Promise.all([1, 2, 3].map(() => store.spendOnce('challenge', soon)))
      expect(spent.filter((one) => one)).toHaveLength(1)
      expect(await store.spendOnce('another', soon)).toBe(true)
    })
  })
}
