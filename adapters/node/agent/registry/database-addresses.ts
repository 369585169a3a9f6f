import type Database from 'better-sqlite3'
import type { Registry } from './types.ts'

/** Addresses from which databases may be reached, over an opened and migrated registry database. */
export const createDatabaseAddressRecords = (
  db: Database.Database,
): Pick<Registry, 'databaseAddressesOf' | 'putDatabaseAddresses'> => {
  const of = db.prepare<[string], { address: string }>(
    'select address from database_addresses where username = ? order by address',
  )
  const clear = db.prepare<[string]>('delete from database_addresses where username = ?')
  const add = db.prepare<[string, string]>(
    'insert into database_addresses (username, address) values (?, ?) on conflict do nothing',
  )
  return {
    databaseAddressesOf: (username) => of.all(username).map(({ address }) => address),
    putDatabaseAddresses: db.transaction<Registry['putDatabaseAddresses']>(
      (username, addresses) => {
        clear.run(username)
        for (const address of addresses) add.run(username, address)
      },
    ).immediate,
  }
}
