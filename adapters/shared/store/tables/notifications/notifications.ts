import { sql } from 'kysely'
import type { CompiledQuery, RawBuilder, Selectable, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type {
  NewNotification,
  NotificationBounds,
  NotificationRow,
  NotificationStore,
} from '#handlers/ports/store/notifications/notification-store.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { equals, filtered, listTail, matches, totalOf } from '../../list.ts'
import type { Tables } from '../../schema.ts'

type Part = Pick<
  NotificationStore,
  | 'tellNotifications'
  | 'resolveTroubles'
  | 'standingTroubles'
  | 'listNotifications'
  | 'unreadNotifications'
  | 'readNotifications'
>

const SORTABLE = { id: 'id', created_at: 'created_at', kind: 'kind', severity: 'severity' }
/** Texts are made when they are shown: what is named in them is looked for. */
const SEARCHED = ['data', 'message']
const STANDING = sql<SqlBool>`(trouble is not null and resolved_at is null)`
const yes = (condition: RawBuilder<SqlBool>) => (value: string) =>
  value === 'true' ? condition : sql<SqlBool>`not (${condition})`
const FILTERS = {
  kind: equals('kind'),
  unread: yes(sql<SqlBool>`read_at is null`),
  standing: yes(STANDING),
}

/** A row as the ports have it. */
export const toNotification = (row: Selectable<Tables['notifications']>): NotificationRow => ({
  ...row,
  data: JSON.parse(row.data) as NotificationRow['data'],
  shown: row.shown !== 0,
})

const ownedBy = ({ role, id }: UserRef): RawBuilder<SqlBool> =>
  sql<SqlBool>`(role = ${role} and owner_id = ${id})`

/** What people are told. */
export const notificationsPart = ({ db, write, runBatch }: StoreContext): Part => {
  const tell = (row: NewNotification): CompiledQuery[] => {
    const { role, owner_id, trouble, data, shown, ...plain } = row
    const values = { ...plain, data: JSON.stringify(data), shown: Number(shown) }
    const { message, severity, rank } = row
    const stands = sql<SqlBool>`(trouble = ${trouble} and role = ${role}
      and owner_id = ${owner_id} and resolved_at is null)`
    const changing = [
      // The lower one first: afterwards the rank is the same.
      write
        .updateTable('notifications')
        .set({ message, severity, rank, data: values.data })
        .where(stands)
        .where('rank', '>', rank)
        .compile(),
      write
        .updateTable('notifications')
        .set({ ...values, read_at: null, mail_tries: 0 })
        .where(stands)
        .where('rank', '<', rank)
        .compile(),
    ]
    return [
      ...(trouble === null ? [] : changing),
      insertWhere(
        write,
        'notifications',
        { role, owner_id, trouble, ...values },
        trouble === null
          ? sql<SqlBool>`true`
          : sql<SqlBool>`(not exists (select 1 from notifications where ${stands}))`,
      ),
    ]
  }
  const trim = (owner: UserRef, { most, since }: NotificationBounds): CompiledQuery =>
    sql`delete from notifications where ${ownedBy(owner)} and (created_at < ${since}
      or id not in (select id from notifications where ${ownedBy(owner)}
        order by ${STANDING} desc, created_at desc, id desc limit ${most}))`.compile(write)

  return {
    async tellNotifications(rows, bounds) {
      const owners = new Map(
        rows.map(({ role, owner_id: id }) => [`${role}:${id}`, { role, id }] as const),
      )
      await runBatch([
        ...rows.flatMap(tell),
        ...[...owners.values()].map((owner) => trim(owner, bounds)),
      ])
    },
    async resolveTroubles(troubles, at) {
      await runBatch(
        troubles.map((trouble) =>
          write
            .updateTable('notifications')
            .set({
              resolved_at: at,
              read_at: sql`coalesce(read_at, ${at})`,
              mail_at_secs: null,
              hook: sql`case hook when 'told' then 'due' else hook end`,
            })
            .where('trouble', '=', trouble)
            .where('resolved_at', 'is', null)
            .compile(),
        ),
      )
    },
    async standingTroubles() {
      const rows = await db
        .selectFrom('notifications')
        .select(['role', 'owner_id', 'about_id', 'rank', 'trouble'])
        .where(STANDING)
        .execute()
      return rows.flatMap(({ trouble, ...row }) => (trouble === null ? [] : [{ ...row, trouble }]))
    },
    async listNotifications(owner, query = {}) {
      let base = db.selectFrom('notifications').where(ownedBy(owner)).where('shown', '=', 1)
      if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
      const wanted = filtered(query, FILTERS)
      if (wanted !== null) base = base.where(wanted)
      const { column, direction, limit, offset } = listTail(query, 'created_at', SORTABLE)
      const way = query.sort === undefined && query.order === undefined ? 'desc' : direction
      let rows = base.selectAll().orderBy(sql.ref(column), way).orderBy('id', way)
      if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
      const page = await rows.execute()
      const total = await totalOf(page.length, { limit, offset }, () =>
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      )
      return { rows: page.map(toNotification), total }
    },
    async unreadNotifications(owner) {
      const { rows } = await db.query(sql<{ unread: number; latest: number }>`select
        count(*) filter (where read_at is null) as unread, coalesce(max(id), 0) as latest
        from notifications where ${ownedBy(owner)} and shown = 1`)
      return { unread: Number(rows[0]?.unread ?? 0), latest: Number(rows[0]?.latest ?? 0) }
    },
    async readNotifications(owner, id, at, but = []) {
      const one = id === null ? sql<SqlBool>`true` : sql<SqlBool>`id = ${id}`
      const meant =
        but.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`kind not in (${sql.join(but)})`
      const [there] = await runBatch([
        sql`select 1 as there from notifications where ${ownedBy(owner)} and ${one} limit 1`.compile(
          write,
        ),
        write
          .updateTable('notifications')
          .set({ read_at: at })
          .where(ownedBy(owner))
          .where(one)
          .where(meant)
          .where('read_at', 'is', null)
          .compile(),
      ])
      return id === null || (there?.rows.length ?? 0) > 0
    },
  }
}
