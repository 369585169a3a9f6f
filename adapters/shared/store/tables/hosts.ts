import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { HostRow, HostStore } from '#handlers/ports/store/host-store.ts'
import { insertWhere } from '../conditional-insert.ts'
import type { StoreContext } from '../context.ts'

/** Column values of a host, in the order of the table. */
const fromHost = (row: Omit<HostRow, 'id'>) => ({
  name: row.name,
  role: row.role,
  address: row.address,
  link_id: row.link_id,
  certificate: row.certificate,
  join_key: row.join_key,
  join_until_secs: row.join_until_secs,
  state: row.state,
  weight: row.weight,
  created_at: row.created_at,
})

/** Other machines. */
export const hostsPart = ({ db, write, runBatch }: StoreContext): HostStore => {
  const hosts = () => db.selectFrom('hosts').selectAll()
  return {
    listHosts: () => hosts().orderBy('name').execute(),
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
    async deleteHost(id) {
      const [gone] = await runBatch([
        write.deleteFrom('hosts').where('id', '=', id).returning('id').compile(),
      ])
      return gone?.rows[0] !== undefined
    },
  }
}
