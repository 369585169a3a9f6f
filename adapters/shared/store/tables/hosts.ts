import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { HostRow, HostStore } from '#handlers/ports/store/host-store.ts'
import { insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'
import { mayPlace } from '../host-room.ts'

/** Column values of a host, in the order of the table. */
const fromHost = (row: Omit<HostRow, 'id'>) => ({
  name: row.name,
  role: row.role,
  address: row.address,
  link_id: row.link_id,
  certificate: row.certificate,
  next_certificate: row.next_certificate,
  join_key: row.join_key,
  join_until_secs: row.join_until_secs,
  state: row.state,
  weight: row.weight,
  seen_secs: row.seen_secs,
  misses: row.misses,
  disk_free_percent: row.disk_free_percent,
  php_versions: row.php_versions,
  trust_version: row.trust_version,
  created_at: row.created_at,
})

/** Other machines. */
export const hostsPart = ({ db, write, runBatch }: StoreContext): HostStore => {
  const hosts = () => db.selectFrom('hosts').selectAll()
  return {
    async listHosts() {
      const { rows } = await db.query(sql<HostRow & { accounts: number }>`select hosts.*,
        (select count(*) from accounts where host_id = hosts.id) as accounts
        from hosts order by case when id = ${LOCAL_HOST} then 0 else 1 end, name`)
      return rows
    },
    hostsThatMissed: (probes) =>
      hosts()
        .where('id', '<>', LOCAL_HOST)
        .where('misses', '>=', probes)
        .where('state', 'in', ['open', 'closed'])
        .orderBy('name')
        .execute(),
    hostById: async (id) => (await hosts().where('id', '=', id).executeTakeFirst()) ?? null,
    async hostOfAccount(username) {
      const row = await db
        .selectFrom('accounts')
        .select('host_id')
        .where('username', '=', username)
        .executeTakeFirst()
      return row?.host_id ?? null
    },
    async hostOfDomain(domain) {
      const row = await db
        .selectFrom('domains')
        .innerJoin('accounts', 'accounts.id', 'domains.account_id')
        .select('accounts.host_id')
        .where('domains.domain_name', '=', domain)
        .executeTakeFirst()
      return row?.host_id ?? null
    },
    async hostsWithRoom(demand) {
      const { rows } = await db.query(sql<HostRow>`select hosts.* from hosts
        where ${mayPlace(demand)} order by
        1.0 * (select count(*) from accounts where host_id = hosts.id) / weight, id`)
      return rows
    },
    hostByName: async (name) => (await hosts().where('name', '=', name).executeTakeFirst()) ?? null,
    async insertHost(row) {
      const free = sql<SqlBool>`not exists (select 1 from hosts where name = ${row.name}
        or link_id = ${row.link_id})`
      const [made] = await runBatch([insertWhere(write, 'hosts', fromHost(row), free)])
      const id = made?.rows[0]?.['id']
      return id === undefined ? 'duplicate' : { ...row, id: Number(id) }
    },
    async openHost(id, joinKey, certificate) {
      const change = { certificate, join_key: null, join_until_secs: null, state: 'open' as const }
      const [changed] = await runBatch([
        write
          .updateTable('hosts')
          .set(change)
          .where('id', '=', id)
          .where('state', '=', 'joining')
          .where('join_key', '=', joinKey)
          .returning('id')
          .compile(),
      ])
      if (changed?.rows[0] === undefined) return null
      return (await hosts().where('id', '=', id).executeTakeFirst()) ?? null
    },
    async changeHost(id, change) {
      const [changed] = await runBatch([
        write
          .updateTable('hosts')
          .set(change)
          .where('id', '=', id)
          .where('state', 'in', ['open', 'closed'])
          .returning('id')
          .compile(),
      ])
      if (changed?.rows[0] === undefined) return null
      return (await hosts().where('id', '=', id).executeTakeFirst()) ?? null
    },
    async nextCertificate(id, certificate, next) {
      const [changed] = await runBatch([
        write
          .updateTable('hosts')
          .set({ next_certificate: next })
          .where('id', '=', id)
          .where('certificate', '=', certificate)
          .where('next_certificate', 'is', null)
          .returning('id')
          .compile(),
      ])
      return changed?.rows[0] !== undefined
    },
    async settleCertificate(id, next, became) {
      await runBatch([
        write
          .updateTable('hosts')
          .set({ next_certificate: null, ...(became === 'used' && { certificate: next }) })
          .where('id', '=', id)
          .where('next_certificate', '=', next)
          .compile(),
      ])
    },
    async hostAnswered(id, seen_secs, facts = undefined) {
      await runBatch([
        write
          .updateTable('hosts')
          .set({ seen_secs, misses: 0, ...facts })
          .where('id', '=', id)
          .compile(),
      ])
    },
    async hostMissed(id, before) {
      await runBatch([
        sql`update hosts set misses = misses + 1 where id = ${id}
          and coalesce(seen_secs, 0) = ${before ?? 0}`.compile(write),
      ])
    },
    async deleteHost(id) {
      if (id === LOCAL_HOST) return 'in-use'
      const [there, gone] = await runBatch([
        write.selectFrom('hosts').select('id').where('id', '=', id).compile(),
        sql`delete from hosts where id = ${id}
          and not exists (select 1 from accounts where host_id = ${id}) returning id`.compile(
          write,
        ),
        sql`delete from metrics where host_id not in (select id from hosts)`.compile(write),
        sql`delete from channel_machines where host_id not in (select id from hosts)`.compile(
          write,
        ),
      ])
      if (gone?.rows[0] !== undefined) return 'gone'
      return there?.rows[0] === undefined ? 'absent' : 'in-use'
    },
  }
}
