import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NewNotification } from '#handlers/ports/store/notifications/notification-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** What people are told, in every store. */
export const notificationsStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`notifications in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    const alice = { role: 'account', id: 1 } as const
    const bounds = { most: 5, since: '2026-01-01 00:00:00' }
    beforeAll(async () => {
      subject = await create()
      store = subject.store
      for (const username of ['alice', 'bobby'])
        await store.insertAccount(
          account(username, { status: 'active' }),
          domain(`${username}.example`),
          operation(username, { state: 'done' }),
          UNLIMITED,
        )
    })
    afterAll(() => subject.dispose())

    const row = (change: Partial<NewNotification> = {}): NewNotification => ({
      role: 'account',
      owner_id: 1,
      about_id: 1,
      kind: 'quota',
      message: 'quota.disk_80',
      severity: 'info',
      rank: 1,
      trouble: 'quota:1:disk',
      data: { used_mb: 80 },
      shown: true,
      created_at: NOW,
      mail_at_secs: 10,
      hook: 'due',
      ...change,
    })
    const list = async () => (await store.listNotifications(alice)).rows

    test('a trouble is told once, again when it gets worse, and in silence when less bad', async () => {
      await store.tellNotifications([row(), row()], bounds)
      expect(await list()).toMatchObject([{ rank: 1, data: { used_mb: 80 }, read_at: null }])
      await store.readNotifications(alice, null, NOW)
      await store.tellNotifications([row({ data: { used_mb: 81 } })], bounds)
      expect(await list()).toMatchObject([{ data: { used_mb: 80 }, read_at: NOW }])
      const worse = { rank: 3, message: 'quota.disk_full', created_at: '2026-11-02 00:00:00' }
      await store.tellNotifications([row(worse)], bounds)
      expect(await list()).toMatchObject([{ ...worse, read_at: null }])
      await store.readNotifications(alice, null, NOW)
      await store.tellNotifications([row()], bounds)
      expect(await list()).toMatchObject([
        { rank: 1, read_at: NOW, created_at: worse.created_at, message: 'quota.disk_80' },
      ])
      expect(await store.standingTroubles()).toEqual([
        { role: 'account', owner_id: 1, about_id: 1, rank: 1, trouble: 'quota:1:disk' },
      ])
    })

    test('one that is over is read, mailed no more, and may come again', async () => {
      const [before] = await list()
      const attempt = { role: 'account', owner_id: 1, at: NOW, status: 204 } as const
      await store.noteDelivery(
        { ...attempt, notification_id: before?.id ?? 0, error: null, duration_ms: 3 },
        { told: [before?.id ?? 0], keep: 2 },
      )
      await store.resolveTroubles(['quota:1:disk', 'another'], '2026-11-03 00:00:00')
      expect(await list()).toMatchObject([
        { resolved_at: '2026-11-03 00:00:00', mail_at_secs: null, hook: 'due' },
      ])
      expect(await store.standingTroubles()).toEqual([])
      await store.tellNotifications([row({ created_at: '2026-11-04 00:00:00' })], bounds)
      expect((await list()).map(({ resolved_at }) => resolved_at === null)).toEqual([true, false])
    })

    test('beyond the bounds what is over goes first, and what is too old', async () => {
      const moments = Array.from({ length: 9 }, (_, index) =>
        row({ trouble: null, created_at: `2026-11-05 00:00:0${index}` }),
      )
      await store.tellNotifications(moments, bounds)
      const kept = await list()
      expect(kept).toHaveLength(5)
      expect(kept.filter(({ trouble }) => trouble !== null)).toMatchObject([{ resolved_at: null }])
      expect(kept[0]?.created_at).toBe('2026-11-05 00:00:08')
      await store.tellNotifications([row({ owner_id: 2, trouble: 'x', about_id: null })], bounds)
      expect(await list()).toHaveLength(5)
      const later = { ...bounds, since: '2026-11-05 00:00:07' }
      await store.tellNotifications(
        [row({ trouble: 'y', created_at: '2026-12-01 00:00:00' })],
        later,
      )
      expect(await list()).toHaveLength(3)
    })

    test('mails and webhooks wait for persons who may log in, one change after the other', async () => {
      const due = await store.dueMails(10, 100)
      expect(new Set(due.map(({ owner_id }) => owner_id))).toEqual(new Set([1, 2]))
      await store.updateAccount(2, { status: 'suspended' })
      expect((await store.dueMails(10, 100)).every(({ owner_id }) => owner_id === 1)).toBe(true)
      const ids = due.map(({ id }) => id)
      await store.settleMails(ids, 500)
      expect(await store.dueMails(499, 100)).toEqual([])
      expect((await store.dueMails(500, 100))[0]).toMatchObject({ mail_tries: 1 })
      await store.postponeMails(ids, 600)
      expect((await store.dueMails(600, 100))[0]).toMatchObject({ mail_tries: 1 })
      await store.settleMails(ids, null)
      expect(await store.dueMails(9999, 100)).toEqual([])

      const hook = { url: 'https://a.example', secret: 's', created_at: NOW, tries: 0 }
      const set = (owner_id: number) =>
        store.setNotificationWebhook(
          { role: 'account', id: owner_id },
          { role: 'account', owner_id, ...hook, next_at_secs: 0 },
        )
      await set(1)
      await set(2)
      // What came before it was set is not told.
      expect(await store.dueWebhooks(10, 10)).toEqual([])
      await store.tellNotifications(
        [row({ trouble: 'a' }), row({ trouble: 'b', owner_id: 2 })],
        bounds,
      )
      expect(await store.dueWebhooks(10, 10)).toMatchObject([{ owner_id: 1 }])
      const [untold] = await store.untoldNotifications(alice, 10)
      const next = { tries: 1, next_at_secs: 100 }
      const attempt = { role: 'account', owner_id: 1, at: NOW, duration_ms: 1 } as const
      for (let count = 0; count < 3; count++)
        await store.noteDelivery(
          { ...attempt, notification_id: untold?.id ?? null, status: null, error: 'no' },
          { next, keep: 2 },
        )
      expect(await store.listDeliveries(alice)).toHaveLength(2)
      expect(await store.dueWebhooks(99, 10)).toEqual([])
      expect(await store.dueWebhooks(100, 10)).toMatchObject([{ tries: 1 }])
      await store.setNotificationWebhook(alice, null)
      expect(await store.dueWebhooks(100, 10)).toEqual([])
    })

    test('choices and counts of mails do not undo each other', async () => {
      await store.notePersonMails(alice, { mail_hour_secs: 7, mails_sent: 2 })
      await store.putNotificationPerson({
        ...{ role: 'account', owner_id: 1, chosen: { quota: { mail: false } } },
        ...{ email: null, language: 'de' },
      })
      await store.notePersonMails(alice, { mail_hour_secs: 8, mails_sent: 3 })
      expect(await store.notificationPerson(alice)).toEqual({
        ...{ role: 'account', owner_id: 1, chosen: { quota: { mail: false } } },
        ...{ email: null, language: 'de', mail_hour_secs: 8, mails_sent: 3 },
      })
      expect(await store.listNotificationPersons()).toHaveLength(1)
    })

    test('places of logins are known for a while, and bounded', async () => {
      const limits = { most: 2, since: '2026-01-01 00:00:00' }
      const login = (place: string, at: string, since = limits.since) =>
        store.noteLoginPlace(alice, { place, language: 'de', at }, { ...limits, since })
      expect(await login('home', '2026-01-02 00:00:00')).toBe('first')
      expect(await login('home', '2026-01-03 00:00:00')).toBe('known')
      expect(await login('office', '2026-01-04 00:00:00')).toBe('new')
      expect(await login('train', '2026-01-05 00:00:00')).toBe('new')
      expect(await login('home', '2026-01-06 00:00:00')).toBe('new')
      expect(await login('train', '2026-09-01 00:00:00', '2026-08-01 00:00:00')).toBe('new')
      expect(await store.lastLanguage(alice)).toBe('de')
    })

    test('all of it goes with its person', async () => {
      await store.deleteAccount(1)
      expect(await list()).toEqual([])
      expect(await store.notificationPerson(alice)).toBeNull()
      expect(await store.listDeliveries(alice)).toEqual([])
      expect(await store.lastLanguage(alice)).toBeNull()
    })

    test('also with one who belongs to no account any more', async () => {
      const email = 'person@mail.example'
      await store.updateAccount(2, { status: 'active' })
      const sent = { account_id: 2, email, role: 'reader', token_hash: 'hash' } as const
      const at = { created_at: NOW, expires_at: '2999-01-01 00:00:00' }
      await store.insertInvitation({ ...sent, ...at, invited_by: 'bobby' }, null, NOW)
      const named = { name: 'P', password_hash: 'x', created_at: NOW }
      const joined = await store.acceptAsNew('hash', named, 1)
      if (typeof joined === 'string') throw new Error(joined)
      const id = joined.personId
      const person = { role: 'person', id } as const
      await store.tellNotifications([row({ role: 'person', owner_id: id, trouble: null })], bounds)
      const chosen = { role: 'person', owner_id: id, chosen: {}, email, language: null } as const
      await store.putNotificationPerson(chosen)
      expect((await store.listNotifications(person)).total).toBe(1)
      await store.removeMember(2, id)
      expect((await store.listNotifications(person)).total).toBe(0)
      expect(await store.notificationPerson(person)).toBeNull()
    })
  })
}
