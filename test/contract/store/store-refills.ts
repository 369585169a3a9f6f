import { expect, test, describe, beforeAll, afterAll } from 'vitest'
import type { RefillRow } from '#handlers/ports/store/refill-store.ts'
import { NOW } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** What followed imports of the panel, in every store. */
export const refillsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`refills in ${name}`, () => {
    let subject: StoreSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    test('are kept by import, the last one of each account', async () => {
      const { store } = subject
      const row: RefillRow = {
        import_id: 'a',
        account_id: 7,
        state: 'failed',
        backup: null,
        location: null,
        backed_up_at: null,
        files: 0,
        bytes: 0,
        databases: 0,
        notes: ['no luck'],
        ended_at: NOW,
      }
      const done: RefillRow = { ...row, state: 'done', backup: 'x', files: 3, notes: [] }
      for (const one of [row, { ...row, account_id: 3 }, { ...row, import_id: 'b' }, done])
        await store.putRefill(one)
      expect(await store.refillsOf('a')).toEqual([{ ...row, account_id: 3 }, done])
      expect(await store.refillsOf('b')).toEqual([{ ...row, import_id: 'b' }])
      expect(await store.refillsOf('c')).toEqual([])
    })
  })
}
