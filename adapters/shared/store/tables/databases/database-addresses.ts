import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type {
  DatabaseAddressesStore,
  DatabaseAddressRow,
} from '#handlers/ports/store/databases/database-addresses-store.ts'
import { hasOwnRoom, insertWhere, operationExists } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { fromOperation } from '../../rows.ts'

/** Addresses from which databases may be reached. */
export const databaseAddressesPart = ({
  db,
  write,
  runBatch,
}: StoreContext): DatabaseAddressesStore => ({
  listDatabaseAddresses: (accountId) =>
    db
      .selectFrom('database_addresses')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute(),
  async insertDatabaseAddress(row, operation, limit) {
    const { account_id, address, note, created_at } = row
    const taken = sql<SqlBool>`exists (select 1 from database_addresses
      where account_id = ${account_id} and address = ${address})`
    const room = hasOwnRoom('database_addresses', account_id, limit)
    const values = { account_id, address, note, created_at }
    const [why, , inserted] = await runBatch([
      sql`select ${taken} as taken`.compile(write),
      insertWhere(write, 'operations', fromOperation(operation), sql`not ${taken} and ${room}`),
      insertWhere(write, 'database_addresses', values, operationExists(operation.id)),
    ])
    const made = inserted?.rows[0]
    if (made !== undefined) return made as unknown as DatabaseAddressRow
    return why?.rows[0]?.['taken'] === 1 ? 'duplicate' : 'limit'
  },
  async deleteDatabaseAddress(id) {
    await runBatch([write.deleteFrom('database_addresses').where('id', '=', id).compile()])
  },
})
