import { forbidden, notFound } from '../errors.ts'
import type { Caller } from './caller.ts'

/** What a route does, as far as permission is concerned. */
export type Action =
  /** About the caller itself, or facts that every user may see (PHP versions, engines). */
  | 'self'
  /** What belongs to one account: domains, files, databases, PHP. */
  | 'account'
  /** The whole installation: accounts as such, the system, the web server. */
  | 'system'

import { ACCOUNT_NOT_FOUND } from '../services/lookup.ts'

/**
 * The one place that decides what a caller may do. Administrators may do
 * everything; role `account` only what belongs to `accountId`, its own. Throws
 * 403 for actions outside the role, 404 for somebody else's things, with the text
 * of a thing that is not there.
 */
export const authorize = (
  caller: Caller,
  action: Action,
  accountId?: number,
  notFoundText = ACCOUNT_NOT_FOUND,
): void => {
  if (caller.role === 'admin' || action === 'self') return
  if (action === 'system') throw forbidden('Only an administrator may do this.')
  if (accountId !== undefined && accountId !== caller.accountId) throw notFound(notFoundText)
}
