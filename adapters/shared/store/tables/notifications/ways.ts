import { sql } from 'kysely'
import type { RawBuilder, Selectable, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type {
  NotificationPersonRow,
  NotificationStore,
} from '#handlers/ports/store/notifications/notification-store.ts'
import type { StoreContext } from '../../context.ts'
import type { Tables } from '../../schema.ts'
import { toNotification } from './notifications.ts'

type Part = Omit<
  NotificationStore,
  | 'tellNotifications'
  | 'resolveTroubles'
  | 'standingTroubles'
  | 'listNotifications'
  | 'unreadNotifications'
  | 'readNotifications'
>

const ownedBy = ({ role, id }: UserRef): RawBuilder<SqlBool> =>
  sql<SqlBool>`(role = ${role} and owner_id = ${id})`

/** Whether the owner of a row of `table` may log in: nobody else is told anything. */
const isActive = (table: 'notifications' | 'notification_webhooks'): RawBuilder<SqlBool> => {
  const [role, id] = [sql.ref(`${table}.role`), sql.ref(`${table}.owner_id`)]
  return sql<SqlBool>`(case ${role}
    when 'admin' then exists (select 1 from admins where id = ${id} and status = 'active')
    when 'reseller' then exists (select 1 from resellers where id = ${id} and status = 'active')
    when 'person' then exists (select 1 from members
      join accounts on accounts.id = members.account_id and accounts.status = 'active'
      where members.person_id = ${id})
    else exists (select 1 from accounts where id = ${id} and status = 'active') end)`
}

const toPerson = (row: Selectable<Tables['notification_persons']>): NotificationPersonRow => ({
  ...row,
  chosen: JSON.parse(row.chosen) as unknown,
})

/** How people are told: mails and webhooks that are due, what they chose, where they logged in. */
export const notificationWaysPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async dueMails(nowSecs, limit) {
    const due = sql<SqlBool>`mail_at_secs <= ${nowSecs}`
    const [, found] = await runBatch([
      sql`update notifications set mail_at_secs = null where ${due}
        and not ${isActive('notifications')}`.compile(write),
      sql`select * from notifications where ${due} order by role, owner_id, id
        limit ${limit}`.compile(write),
    ])
    return (found?.rows ?? []).map((row) =>
      toNotification(row as unknown as Selectable<Tables['notifications']>),
    )
  },
  async settleMails(ids, nextAtSecs) {
    await runBatch(
      ids.map((id) =>
        write
          .updateTable('notifications')
          .set({ mail_at_secs: nextAtSecs, mail_tries: sql`mail_tries + 1` })
          .where('id', '=', id)
          .compile(),
      ),
    )
  },
  async postponeMails(ids, untilSecs) {
    await runBatch(
      ids.map((id) =>
        write
          .updateTable('notifications')
          .set({ mail_at_secs: untilSecs })
          .where('id', '=', id)
          .compile(),
      ),
    )
  },
  async notificationPerson(owner) {
    const row = await db
      .selectFrom('notification_persons')
      .selectAll()
      .where(ownedBy(owner))
      .executeTakeFirst()
    return row === undefined ? null : toPerson(row)
  },
  async listNotificationPersons() {
    return (await db.selectFrom('notification_persons').selectAll().execute()).map(toPerson)
  },
  async putNotificationPerson({ role, owner_id, chosen, ...change }) {
    const values = { ...change, chosen: JSON.stringify(chosen) }
    await runBatch([
      write
        .insertInto('notification_persons')
        .values({ role, owner_id, ...values, mail_hour_secs: 0, mails_sent: 0 })
        .onConflict((conflict) => conflict.columns(['role', 'owner_id']).doUpdateSet(values))
        .compile(),
    ])
  },
  async notePersonMails({ role, id: owner_id }, count) {
    await runBatch([
      write
        .insertInto('notification_persons')
        .values({ role, owner_id, chosen: '{}', email: null, language: null, ...count })
        .onConflict((conflict) => conflict.columns(['role', 'owner_id']).doUpdateSet(count))
        .compile(),
    ])
  },
  async notificationWebhook(owner) {
    const row = await db
      .selectFrom('notification_webhooks')
      .selectAll()
      .where(ownedBy(owner))
      .executeTakeFirst()
    return row ?? null
  },
  async setNotificationWebhook(owner, row) {
    await runBatch([
      write.deleteFrom('notification_webhooks').where(ownedBy(owner)).compile(),
      write.updateTable('notifications').set({ hook: 'never' }).where(ownedBy(owner)).compile(),
      ...(row === null ? [] : [write.insertInto('notification_webhooks').values(row).compile()]),
    ])
  },
  async dueWebhooks(nowSecs, limit) {
    return db
      .selectFrom('notification_webhooks')
      .selectAll()
      .where('next_at_secs', '<=', nowSecs)
      .where(isActive('notification_webhooks'))
      .where(
        sql<SqlBool>`exists (select 1 from notifications as told where told.hook = 'due'
          and told.role = notification_webhooks.role
          and told.owner_id = notification_webhooks.owner_id)`,
      )
      .orderBy('next_at_secs')
      .limit(limit)
      .execute()
  },
  async untoldNotifications(owner, limit) {
    const rows = await db
      .selectFrom('notifications')
      .selectAll()
      .where(ownedBy(owner))
      .where('hook', '=', 'due')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toNotification)
  },
  async noteDelivery(row, { told = [], given = [], next, keep }) {
    const owner = { role: row.role, id: row.owner_id }
    const settle = (ids: readonly number[], hook: 'told' | 'never') =>
      ids.map((id) =>
        write.updateTable('notifications').set({ hook }).where('id', '=', id).compile(),
      )
    await runBatch([
      write.insertInto('notification_deliveries').values(row).compile(),
      sql`delete from notification_deliveries where ${ownedBy(owner)} and id not in
        (select id from notification_deliveries where ${ownedBy(owner)}
          order by id desc limit ${keep})`.compile(write),
      ...settle(told, 'told'),
      ...settle(given, 'never'),
      ...(next === undefined
        ? []
        : [write.updateTable('notification_webhooks').set(next).where(ownedBy(owner)).compile()]),
    ])
  },
  async listDeliveries(owner) {
    return db
      .selectFrom('notification_deliveries')
      .selectAll()
      .where(ownedBy(owner))
      .orderBy('id', 'desc')
      .execute()
  },
  async noteLoginPlace(owner, { place, language, at }, { most, since }) {
    const own = ownedBy(owner)
    const [old, before] = await runBatch([
      sql`delete from login_places where ${own} and last_at < ${since}`.compile(write),
      sql`select count(*) as known, count(*) filter (where place = ${place}) as same
        from login_places where ${own}`.compile(write),
      write
        .insertInto('login_places')
        .values({ role: owner.role, owner_id: owner.id, place, language, last_at: at })
        .onConflict((conflict) =>
          conflict.columns(['role', 'owner_id', 'place']).doUpdateSet({ language, last_at: at }),
        )
        .compile(),
      sql`delete from login_places where ${own} and place not in
        (select place from login_places where ${own} order by last_at desc limit ${most})`.compile(
        write,
      ),
    ])
    const { known, same } = (before?.rows[0] ?? {}) as { known?: number; same?: number }
    if (Number(same ?? 0) > 0) return 'known'
    // Who was not here for long is compared with nothing any more, yet this is no first login.
    return Number(known ?? 0) > 0 || (old?.changes ?? 0) > 0 ? 'new' : 'first'
  },
  async lastLanguage(owner) {
    const row = await db
      .selectFrom('login_places')
      .select('language')
      .where(ownedBy(owner))
      .where('language', 'is not', null)
      .orderBy('last_at', 'desc')
      .executeTakeFirst()
    return row?.language ?? null
  },
})
