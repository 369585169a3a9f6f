import type { CompiledQuery, Expression, Kysely, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/access-store.ts'
import type { Tables } from './schema.ts'

/** The statement that ends every API token of a user, if `condition` holds. */
export const endTokens = (
  db: Kysely<Tables>,
  { role, id }: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery => {
  const rows = db.deleteFrom('api_tokens').where('role', '=', role).where('owner_id', '=', id)
  return (condition === undefined ? rows : rows.where(condition)).compile()
}

/** Statements that remove API tokens and second factor of a user who goes, if `condition` holds. */
export const forgetUser = (
  db: Kysely<Tables>,
  { role, id }: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery[] =>
  (['api_tokens', 'recovery_codes', 'second_factors'] as const).map((table) => {
    const rows = db.deleteFrom(table).where('role', '=', role).where('owner_id', '=', id)
    return (condition === undefined ? rows : rows.where(condition)).compile()
  })
