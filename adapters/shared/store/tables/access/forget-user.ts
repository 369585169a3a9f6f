import type { CompiledQuery, Expression, Kysely, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { Tables } from '../../schema.ts'

const deleteOwned = (
  db: Kysely<Tables>,
  table: 'api_tokens' | 'recovery_codes' | 'second_factors' | 'sessions' | 'passkeys',
  { role, id }: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery => {
  const rows = db.deleteFrom(table).where('role', '=', role).where('owner_id', '=', id)
  return (condition === undefined ? rows : rows.where(condition)).compile()
}

/** The statement that ends every API token of a user, if `condition` holds. */
export const endTokens = (
  db: Kysely<Tables>,
  user: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery => deleteOwned(db, 'api_tokens', user, condition)

/** Statements that remove API tokens, passkeys, second factor and sessions of a user who goes, if `condition` holds. */
export const forgetUser = (
  db: Kysely<Tables>,
  user: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery[] => [
  endTokens(db, user, condition),
  deleteOwned(db, 'recovery_codes', user, condition),
  deleteOwned(db, 'second_factors', user, condition),
  deleteOwned(db, 'sessions', user, condition),
  deleteOwned(db, 'passkeys', user, condition),
]
