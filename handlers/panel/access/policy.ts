import { forbidden, notFound } from '../../errors.ts'
import type { TokenScope } from '../../ports/store/records.ts'
import { ACCOUNT_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Caller } from './caller.ts'

/** What a route does, as far as permission is concerned. */
export type Action =
  /** About the caller itself, or facts that every user may see (PHP versions, engines). */
  | 'self'
  /** What belongs to one account: domains, files, databases, PHP. */
  | 'account'
  /** The whole installation: accounts as such, the system, the web server. */
  | 'system'

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

/** What a route asks of a caller before anything else is looked at. */
export interface Demand {
  action: Action
  method: string
  /** A GET that changes something. */
  changesState?: boolean
  /** About the page cache. */
  cache?: boolean
  /** About the user's own ways in. */
  ownSession?: boolean
}

/** Whether a route changes something, i.e. is recorded and needs more than the scope `read`. */
export const changesSomething = ({ method, changesState }: Omit<Demand, 'action'>): boolean =>
  method !== 'GET' || changesState === true

/** The scopes of which an API token needs one. */
const scopesFor = (demand: Demand): readonly TokenScope[] => {
  if (!changesSomething(demand)) return demand.cache === true ? ['read', 'cache'] : ['read']
  return demand.cache === true ? ['cache', 'write'] : ['write']
}

/**
 * Whether a caller may use a route at all; whose things it names is `authorize`'s
 * to judge. Throws 403.
 */
export const authorizeRoute = (caller: Caller, demand: Demand): void => {
  authorize(caller, demand.action)
  const { apiToken, actingAdmin } = caller
  // Else a token could make itself a stronger one, and a visiting administrator a way back in.
  if (demand.ownSession === true && (apiToken !== null || actingAdmin !== null)) {
    throw forbidden(
      apiToken === null
        ? `This is for ${caller.username} alone, not for administrators who work as ${caller.username}.`
        : 'This needs a login with a password; API tokens cannot do it.',
    )
  }
  if (apiToken === null) return
  const scopes = scopesFor(demand)
  if (scopes.some((scope) => apiToken.scopes.includes(scope))) return
  throw forbidden(`This API token lacks the scope ${scopes.join(' or ')}.`)
}
