import type { CompiledQuery, Expression, SqlBool } from 'kysely'
import type { UserRef } from '#handlers/ports/store/access-store.ts'
import type { StoreWriter } from '../../context.ts'

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
  write: StoreWriter,
  table: OwnedTable,
  { role, id }: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery => {
  const rows = write.deleteFrom(table).where('role', '=', role).where('owner_id', '=', id)
  return (condition === undefined ? rows : rows.where(condition)).compile()
}

/** The statement that ends every API token of a user, if `condition` holds. */
export const endTokens = (
  write: StoreWriter,
  user: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery => deleteOwned(write, 'api_tokens', user, condition)

/** Statements that remove all that belongs to a user who goes, if `condition` holds. */
export const forgetUser = (
  write: StoreWriter,
  user: UserRef,
  condition?: Expression<SqlBool>,
): CompiledQuery[] => [
  endTokens(write, user, condition),
  ...GOING.map((table) => deleteOwned(write, table, user, condition)),
]
