import { forbidden, notFound } from '../../errors.ts'
import { reaches, rolesFor, type Level } from '../../domain/access/member-role.ts'
import type { TokenScope } from '../../ports/store/records.ts'
import { ACCOUNT_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Caller } from './caller.ts'

/** What a route does, as far as permission is concerned. */
export type Action =
  /** About the caller itself, or facts that every user may see (PHP versions, engines). */
  | 'self'
  /** What belongs to one account: domains, files, databases, PHP. */
  | 'account'
  /** What an owner may not do with an account, but whose it is to manage: make, change, suspend, enter, delete. */
  | 'manage'
  /** The whole installation: the system, the web server, plans, users. */
  | 'system'

/** What a caller was let do, of what not everybody of his role may: to be asked of him again. */
const granted = new WeakMap<Caller, Map<string, (now: Caller) => void>>()

const grant = (
  caller: Caller,
  action: Action,
  accountId: number | undefined,
  notFoundText: string,
): void => {
  if (accountId === undefined) return
  const known = granted.get(caller) ?? new Map<string, (now: Caller) => void>()
  granted.set(caller, known)
  known.set(`${action} ${accountId}`, (now: Caller) =>
    authorize(now, action, accountId, notFoundText),
  )
}

/** Asks of a caller as he is now all that he was let do before. Throws as `authorize`. */
export const authorizeAgain = (before: Caller, now: Caller): void => {
  for (const ask of granted.get(before)?.values() ?? []) ask(now)
}

/**
 * The one place that decides what a caller may do. Administrators may do
 * everything; resellers what belongs to their accounts, and manage these; role
 * `account` only what belongs to `accountId`, its own. Throws
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
  if (caller.role === 'reseller') {
    if (accountId !== undefined && caller.accounts?.has(accountId) !== true)
      throw notFound(notFoundText)
    grant(caller, action, accountId, notFoundText)
    return
  }
  if (action === 'manage')
    throw forbidden('Only an administrator, or the reseller of the account, may do this.')
  if (accountId !== undefined && accountId !== caller.accountId) throw notFound(notFoundText)
  grant(caller, action, accountId, notFoundText)
}

/** Whose things lists show a caller: everybody's, those of a reseller's accounts, or of one account. */
export const reachOf = ({
  role,
  user,
  accountId,
}: Pick<Caller, 'role' | 'user' | 'accountId'>): { accountId?: number; resellerId?: number } => ({
  ...(accountId === null ? {} : { accountId }),
  ...(role === 'reseller' ? { resellerId: user.id } : {}),
})

/** What a route asks of a caller before anything else is looked at. */
export interface Demand {
  action: Action
  method: string
  /** A GET that changes something, or (false) another method that does not. */
  changesState?: boolean
  /** About the page cache. */
  cache?: boolean
  /** About the user's own ways in. */
  ownSession?: boolean
  /** Changes another way into the account than the user's own. */
  waysIn?: boolean
  /** What it asks of whoever works in an account. Default: `read`, and `own` where it changes something. */
  level?: Level
}

/** Whether a route changes something, i.e. is recorded and needs more than the scope `read`. */
export const changesSomething = ({ method, changesState }: Omit<Demand, 'action'>): boolean =>
  changesState ?? method !== 'GET'

/** The scopes of which an API token needs one. */
const scopesFor = (demand: Demand): readonly TokenScope[] => {
  if (!changesSomething(demand)) return demand.cache === true ? ['read', 'cache'] : ['read']
  return demand.cache === true ? ['cache', 'write'] : ['write']
}

/** What a route asks of whoever works in an account; what says nothing and changes something is the owner's. */
export const levelOf = (demand: Demand): Level =>
  demand.level ?? (changesSomething(demand) ? 'own' : 'read')

const assertLevel = ({ member }: Caller, demand: Demand): void => {
  if (member === null || demand.action !== 'account') return
  const level = levelOf(demand)
  if (reaches(member, level)) return
  throw forbidden(
    `This needs the role ${rolesFor(level).join(' or ')} in the account; yours is ${member}. Ask an owner of the account.`,
  )
}

/** Throws 403 where an administrator or reseller who works as the account would change a way into it. */
export const assertNoVisit = ({ actingAdmin, username }: Caller): void => {
  if (actingAdmin === null) return
  throw forbidden(
    `Passwords, keys and addresses of ${username} are not changed while working as ${username}. Return to the administration and do it there, under your own name.`,
  )
}

/**
 * Whether a caller may use a route at all; whose things it names is `authorize`'s
 * to judge. Throws 403.
 */
export const authorizeRoute = (caller: Caller, demand: Demand): void => {
  authorize(caller, demand.action)
  assertLevel(caller, demand)
  const { apiToken, actingAdmin } = caller
  // Else a token could make itself a stronger one, and a visiting administrator a way back in.
  if (demand.ownSession === true && (apiToken !== null || actingAdmin !== null)) {
    throw forbidden(
      apiToken === null
        ? `This is for ${caller.username} alone, not for others who work as ${caller.username}.`
        : 'This needs a login with a password; API tokens cannot do it.',
    )
  }
  if (demand.waysIn === true) assertNoVisit(caller)
  if (apiToken === null) return
  const scopes = scopesFor(demand)
  if (scopes.some((scope) => apiToken.scopes.includes(scope))) return
  throw forbidden(`This API token lacks the scope ${scopes.join(' or ')}.`)
}
