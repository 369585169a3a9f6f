import { isApiToken } from '../../domain/access/api-token.ts'
import { secretHash } from '../../domain/access/secret-hash.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { unauthenticated } from '../../errors.ts'
import { loginUserById, type LoggedIn } from '../../services/access/login-user.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { AdminSession, Caller } from './caller.ts'
import { readCookie } from './cookie.ts'
import { assertOwnPage } from './csrf.ts'
import type { PanelDeps } from '../deps.ts'
import type { TokenClaims } from './token.ts'
import { readToken } from './token.ts'

/** The token of a request. A Bearer header wins; a header of another scheme is no token at all. */
const tokenOf = (request: Request): { token: string; fromCookie: boolean } | null => {
  const header = request.headers.get('authorization')
  if (header !== null) {
    const match = /^Bearer +(\S+)$/i.exec(header)
    return match?.[1] === undefined ? null : { token: match[1], fromCookie: false }
  }
  const cookie = readCookie(request)
  return cookie === null || cookie === '' ? null : { token: cookie, fromCookie: true }
}

type Guarded = Pick<PanelDeps, 'store' | 'jwtSecret' | 'clock' | 'background'>

/** The administrator or reseller whom `act` names, unless that session or every session ended since; null for everything else. */
const actingAdminOf = async (
  store: PanelDeps['store'],
  { act = '', act_jti: jti, act_exp: expiresAtSecs, role, iat, act_iat = iat }: TokenClaims,
  resellerId: number | null,
): Promise<{ username: string; session?: AdminSession } | null> => {
  const named = /^(admin|reseller):([1-9]\d{0,15})$/.exec(act)
  const id = Number(named?.[2])
  if (role !== 'account' || !Number.isSafeInteger(id)) return null
  const actor = named?.[1] === 'reseller' ? 'reseller' : 'admin'
  // An account that was given to somebody else is his no more.
  if (actor === 'reseller' && resellerId !== id) return null
  const [admin, session] = await Promise.all([
    loginUserById(store, { role: actor, id }),
    jti === undefined ? null : store.sessionState(jti),
  ])
  if (admin === null || session?.revoked === true || act_iat < admin.notBeforeSecs) return null
  const { username } = admin
  return jti === undefined || expiresAtSecs === undefined
    ? { username }
    : { username, session: { role: actor, id, jti, expiresAtSecs } }
}

/** How exactly the last use of a session is kept. */
const SEEN_EVERY_MS = 5 * 60_000

/** What a caller is by the user alone. */
const known = async (store: PanelDeps['store'], found: LoggedIn) => {
  const { user, username, role, accountId, member, personName, resellerId } = found
  const facts = { user, username, role, accountId, member, personName, resellerId }
  return role === 'reseller'
    ? { ...facts, accountId: 0, accounts: new Set(await store.accountIdsOf(user.id)) }
    : facts
}

/** Whom a session says it is for; null when its parts do not belong together. */
const userOf = ({ sub, role, account_id: accountId }: TokenClaims): UserRef | null => {
  const [, kind, digits] = /^(admin|reseller|account|person):([1-9]\d{0,15})$/.exec(sub) ?? []
  const id = Number(digits)
  if (!Number.isSafeInteger(id)) return null
  if (kind !== 'person') return kind === role ? { role, id } : null
  return role === 'account' && accountId !== undefined ? { role: kind, id, accountId } : null
}

/** The user behind a session; null when gone, suspended or signed out. */
const sessionCaller = async (token: string, deps: Guarded): Promise<Caller | null> => {
  const { store, jwtSecret, clock, background } = deps
  const nowMs = clock.nowMs()
  const claims = await readToken(token, jwtSecret, unixSecs(nowMs))
  if (claims === null) return null
  const ref = userOf(claims)
  if (ref === null) return null
  const [user, session] = await Promise.all([
    loginUserById(store, ref),
    store.sessionState(claims.jti),
  ])
  if (user === null || session.revoked || claims.iat < user.notBeforeSecs) return null
  const actingAdmin =
    claims.act === undefined ? undefined : await actingAdminOf(store, claims, user.resellerId)
  if (actingAdmin === null) return null
  if (session.seenAt !== null && session.seenAt <= timestamp(nowMs - SEEN_EVERY_MS)) {
    const { jti } = claims
    background.run('note the use of a session', () => store.touchSession(jti, timestamp(nowMs)))
  }
  return {
    ...(await known(store, user)),
    apiToken: null,
    actingAdmin: actingAdmin?.username ?? null,
    ...(actingAdmin?.session === undefined ? {} : { adminSession: actingAdmin.session }),
    jti: claims.jti,
    expiresAtSecs: claims.exp,
  }
}

/** How exactly the last use of an API token is kept. */
const TOUCH_EVERY_MS = 60_000

/** The owner of an API token; null when it is unknown, expired, or its owner is gone or suspended. */
const tokenCaller = async (token: string, deps: Guarded): Promise<Caller | null> => {
  const { store, clock, background } = deps
  const row = await store.tokenByHash(await secretHash(token))
  const nowMs = clock.nowMs()
  const now = timestamp(nowMs)
  if (row === null || (row.expires_at !== null && row.expires_at <= now)) return null
  const accountId = row.account_id ?? undefined
  // A person's token is for one account: without it there would be another tomorrow.
  if (row.role === 'person' && accountId === undefined) return null
  const ref = { role: row.role, id: row.owner_id }
  const user = await loginUserById(store, accountId === undefined ? ref : { ...ref, accountId })
  if (user === null) return null
  if (row.last_used_at === null || row.last_used_at <= timestamp(nowMs - TOUCH_EVERY_MS)) {
    background.run('note the use of an API token', () => store.touchToken(row.id, now))
  }
  return {
    ...(await known(store, user)),
    apiToken: { id: row.id, name: row.name, scopes: row.scopes },
    actingAdmin: null,
    jti: '',
    expiresAtSecs: 0,
  }
}

/**
 * Who makes the request. Throws 401 without a valid token, and 403 when only a
 * cookie vouches for a change that another site could have triggered.
 */
export const authenticate = async (
  request: Request,
  deps: Guarded,
  ownOrigin: string,
  options: { changesState?: boolean } = {},
): Promise<Caller> => {
  const found = tokenOf(request)
  // API tokens are for programs: a cookie never holds one.
  const isToken = found !== null && !found.fromCookie && isApiToken(found.token)
  const caller =
    found === null ? null : await (isToken ? tokenCaller : sessionCaller)(found.token, deps)
  if (found === null || caller === null) throw unauthenticated()
  if (found.fromCookie) assertOwnPage(request, ownOrigin, options)
  return caller
}
