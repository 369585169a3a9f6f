import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { SessionRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const START = Math.floor(Date.now() / 1000)
const END = START + 86_400

/** Sessions that stand, and those that were ended, in every store. */
export const sessionsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`sessions in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accountId = 0
    let adminId = 0
    const begin = (jti: string, change: Partial<SessionRow> = {}, most = 100): Promise<void> =>
      store.insertSession(
        {
          jti,
          role: 'account',
          owner_id: accountId,
          account_id: null,
          via_admin_id: null,
          via_role: null,
          via_jti: null,
          issued_secs: START,
          expires_at_secs: END,
          began_at: NOW,
          seen_at: NOW,
          address: '192.0.2.1',
          user_agent: 'curl/8',
          ...change,
        },
        most,
      )
    const standing = async (nowSecs = START): Promise<string[]> =>
      (await store.listSessions(null, nowSecs)).rows.map(({ jti }) => jti)
    const endAll = async (): Promise<void> => {
      for (const jti of await standing(0)) await store.revokeToken(jti, END)
    }

    beforeAll(async () => {
      subject = await create()
      store = subject.store
      const made = await store.insertAccount(
        account('tenant', { status: 'active' }),
        domain('tenant.example'),
        operation('tenant', { state: 'done' }),
        { accounts: -1, domains: -1 },
      )
      if (typeof made === 'string') throw new Error(made)
      accountId = made.account.id
      const admin = await store.createFirstAdmin({
        username: 'Boss',
        password_hash: 'x',
        not_before_secs: 0,
        created_at: NOW,
      })
      adminId = admin?.id ?? 0
    })
    afterAll(() => subject.dispose())

    test('are listed with their names until they expire', async () => {
      await begin('one')
      await begin('two', { role: 'admin', owner_id: adminId, expires_at_secs: END + 5 })
      const { rows, total } = await store.listSessions(null, START, { sort: 'owner' })
      expect([total, rows.map(({ owner }) => owner)]).toEqual([2, ['Boss', 'tenant']])
      expect(await standing(END)).toEqual(['two'])
      const own = await store.listSessions({ role: 'account', id: accountId }, START)
      expect(own.rows.map(({ jti, acting_admin }) => [jti, acting_admin])).toEqual([['one', null]])
      expect((await store.listSessions(null, START, { q: 'BOS' })).total).toBe(1)
      expect((await store.listSessions(null, START, { page: 2, perPage: 1 })).rows).toHaveLength(1)
      const id = rows[1]?.id ?? 0
      expect((await store.sessionById(id, START))?.jti).toBe('one')
      expect(await store.sessionById(id, END)).toBeNull()
      await endAll()
    })

    test('are not found by an account by where an administrator visits it from', async () => {
      await begin('search', { via_admin_id: adminId, via_jti: 'nobody', address: '198.51.100.9' })
      await begin('search own', { address: '198.51.100.8' })
      const search = async (owner: UserRef | null, q: string): Promise<string[]> =>
        (await store.listSessions(owner, START, { q })).rows.map(({ jti }) => jti)
      const own = { role: 'account' as const, id: accountId }
      expect(await search(own, '198.51.100')).toEqual(['search own'])
      expect(await search(own, 'curl')).toEqual(['search own'])
      expect(await search(own, 'tenant')).toEqual(['search', 'search own'])
      expect(await search(null, '198.51.100.9')).toEqual(['search'])
      await endAll()
    })

    test('say when they were used, and the one behind a visit with it', async () => {
      await begin('parent', { role: 'admin', owner_id: adminId })
      await begin('visit', { via_admin_id: adminId, via_jti: 'parent' })
      await begin('other')
      expect(await store.sessionState('visit')).toEqual({ revoked: false, seenAt: NOW })
      expect(await store.sessionState('unknown')).toEqual({ revoked: false, seenAt: null })
      await store.touchSession('visit', '2027-01-01 00:00:00')
      const seen = (await store.listSessions(null, START)).rows.map((row) => row.seen_at)
      expect(seen).toEqual(['2027-01-01 00:00:00', '2027-01-01 00:00:00', NOW])
      await endAll()
    })

    test('an ended one is revoked, also in parallel, and ends the visits from it', async () => {
      await begin('parent', { role: 'admin', owner_id: adminId })
      await begin('visit', { via_admin_id: adminId, via_jti: 'parent' })
      await begin('other')
      await Promise.all([store.revokeToken('parent', END), store.revokeToken('parent', END)])
      expect(await standing()).toEqual(['other'])
      expect((await store.sessionState('parent')).revoked).toBe(true)
      expect((await store.sessionState('visit')).revoked).toBe(true)
      await store.revokeToken('never listed', END)
      expect((await store.sessionState('never listed')).revoked).toBe(true)
      await endAll()
    })

    test('all of a user end but one', async () => {
      await begin('kept')
      await begin('second')
      await begin('visit', { via_admin_id: adminId, via_jti: 'elsewhere' })
      await begin('the administrator', { role: 'admin', owner_id: adminId })
      const owner = { role: 'account' as const, id: accountId }
      expect(await store.revokeOtherSessions(owner, 'kept')).toBe(2)
      expect(await store.revokeOtherSessions(owner, 'kept')).toBe(0)
      expect(await standing()).toEqual(['kept', 'the administrator'])
      expect((await store.sessionState('second')).revoked).toBe(true)
      await endAll()
    })

    test('one more than the most ends the oldest of that user, visits apart', async () => {
      await begin('visit', { via_admin_id: adminId, via_jti: 'elsewhere' }, 2)
      await begin('the administrator', { role: 'admin', owner_id: adminId }, 2)
      for (const jti of ['first', 'second', 'third']) await begin(jti, {}, 2)
      await begin('second', {}, 2)
      expect(await standing()).toEqual(['visit', 'the administrator', 'second', 'third'])
      expect((await store.sessionState('first')).revoked).toBe(true)
      await endAll()
    })

    test('what closes the user or the visiting administrator takes them off the list', async () => {
      await begin('parent', { role: 'admin', owner_id: adminId })
      await begin('visit', { via_admin_id: adminId, via_jti: 'parent', issued_secs: START })
      await begin('own', { issued_secs: START + 10 })
      await store.updateAccount(accountId, { not_before_secs: START + 5 })
      expect(await standing()).toEqual(['parent', 'own'])
      await store.updateAccount(accountId, { not_before_secs: 0 })
      await store.updateAdmin(adminId, { not_before_secs: START + 5 })
      expect(await standing()).toEqual(['own'])
      await store.updateAdmin(adminId, { not_before_secs: 0 })
      await store.updateAccount(accountId, { status: 'suspended' })
      expect(await standing()).toEqual(['parent'])
      await store.deleteAccount(accountId)
      expect(await standing(0)).toEqual(['parent'])
    })
  })
}
