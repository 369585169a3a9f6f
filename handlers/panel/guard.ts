import { unauthenticated } from '../errors.ts'
import { unixSecs } from '../domain/timestamp.ts'
import type { Caller } from './caller.ts'
import { readCookie } from './cookie.ts'
import { assertOwnPage } from './csrf.ts'
import type { PanelDeps } from './deps.ts'
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

/** The user behind good claims as the store knows it now; null when gone, suspended or signed out. */
const callerOf = async (store: PanelDeps['store'], claims: TokenClaims): Promise<Caller | null> => {
  const id = Number(claims.sub.slice(claims.sub.indexOf(':') + 1))
  if (!Number.isSafeInteger(id) || claims.sub !== `${claims.role}:${id}`) return null
  const [user, revoked] = await Promise.all([
    claims.role === 'admin' ? store.adminById(id) : store.accountById(id),
    store.isRevoked(claims.jti),
  ])
  if (user === null || revoked || claims.iat < user.not_before_secs) return null
  if ('status' in user && user.status !== 'active') return null
  return {
    id,
    username: user.username,
    role: claims.role,
    accountId: claims.role === 'account' ? id : null,
    jti: claims.jti,
    expiresAtSecs: claims.exp,
  }
}

/**
 * Who makes the request. Throws 401 without a valid token, and 403 when only a
 * cookie vouches for a change that another site could have triggered.
 */
export const authenticate = async (
  request: Request,
  deps: Pick<PanelDeps, 'store' | 'jwtSecret' | 'clock'>,
  ownOrigin: string,
  options: { changesState?: boolean } = {},
): Promise<Caller> => {
  const found = tokenOf(request)
  const claims =
    found === null
      ? null
      : await readToken(found.token, deps.jwtSecret, unixSecs(deps.clock.nowMs()))
  const caller = claims === null ? null : await callerOf(deps.store, claims)
  if (found === null || caller === null) throw unauthenticated()
  if (found.fromCookie) assertOwnPage(request, ownOrigin, options)
  return caller
}
