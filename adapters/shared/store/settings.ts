import { sql } from 'kysely'
import type { CompiledQuery, RawBuilder, SqlBool } from 'kysely'
import type { StoreReader, StoreWriter } from './context.ts'

/** A word that the store keeps for itself; null when it was never said. */
export const readSetting = async (db: StoreReader, key: string): Promise<string | null> => {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value ?? null
}

/** The statement that says it anew. */
export const writeSetting = (write: StoreWriter, key: string, value: string): CompiledQuery =>
  write
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .compile()

/** Whether the store keeps another value than this, or none, under a key. */
export const isNotSetting = (key: string, value: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from settings where key = ${key} and value = ${value})`
