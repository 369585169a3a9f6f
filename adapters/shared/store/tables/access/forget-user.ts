import type { CompiledQuery, Expression, Kysely, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { Tables } from '../../schema.ts'

/** What goes with a user, beside API tokens, in tables that name the user by role and id. */
export const GOING = [
  'recovery_codes',
  'second_factors',
  'sessions',
  'passkeys',
  'notifications',
  'notification_persons',
  'notification_webhooks',
  'notification_deliveries',
  'login_places',
] as const

type OwnedTable = (typeof GOING)[number] | 'api_tokens'

const deleteOwned = (
  db: Kysely<Tables>,
  table: OwnedTable,
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

/** Statements that remove all that belongs to a user who goes, if `condition` holds. */
export const forgetUser = (
  db: Kysely<Tables>,
  user: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery[] => [
  endTokens(db, user, condition),
  ...GOING.map((table) => deleteOwned(db, table, user, condition)),
]
