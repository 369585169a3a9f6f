import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** A word that the store keeps for itself; null when it was never said. */
export const readSetting = async (db: Kysely<Tables>, key: string): Promise<string | null> => {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value ?? null
}

/** The statement that says it anew. */
export const writeSetting = (db: Kysely<Tables>, key: string, value: string): CompiledQuery =>
  db
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .compile()
