import { sign, verify } from '@tsndr/cloudflare-worker-jwt'
import type { Role } from '../../ports/store/records.ts'

/** Lifetime of a token and of the cookie that holds it. */
export const TOKEN_LIFETIME_SECS = 24 * 60 * 60

/** Claims of a panel token. */
export interface TokenClaims {
  /** `<role>:<id>`; of a person `person:<id>`, with role `account`. */
  sub: string
  name: string
  role: Role
  /** Only for role `account`: which one. */
  account_id?: number
  iat: number
  exp: number
  jti: string
  /** `admin:<id>` or `reseller:<id>`, RFC 8693: who works as this account. */
  act?: string
  /** Of the administrator's session from which it began: that is what ends by a logout, and what returning takes up again. */
  act_jti?: string
  /** Unix second in which that session ends. */
  act_exp?: number
  /** What `iat` is to the administrator: the account's own may be later, behind what ended the administrator's sessions. */
  act_iat?: number
}

export const signToken = (claims: TokenClaims, secret: string): Promise<string> =>
  sign<TokenClaims>(claims, secret, 'HS256')

/** Three base64url parts: anything else is refused before it reaches the JWT package. */
const SHAPE = /^[\w-]{1,512}\.[\w-]{1,2048}\.[\w-]{1,128}$/

/** The claims of a token with a good signature that has not expired at `nowSecs`; null for every other string. */
export const readToken = async (
  token: string,
  secret: string,
  nowSecs: number,
): Promise<TokenClaims | null> => {
  if (!SHAPE.test(token)) return null
  const result = await verify<Partial<TokenClaims>, { alg?: string }>(token, secret, {
    algorithm: 'HS256',
  }).catch(() => undefined)
  if (result?.header.alg !== 'HS256') return null
  const { sub, name, role, iat, exp, jti, account_id, act, act_jti, act_exp, act_iat } =
    result.payload
  const wellFormed =
    typeof sub === 'string' &&
    typeof name === 'string' &&
    typeof jti === 'string' &&
    jti !== '' &&
    (role === 'admin' || role === 'reseller' || role === 'account') &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp) &&
    (act === undefined || typeof act === 'string')
  if (!wellFormed || iat === undefined || exp === undefined) return null
  if (exp <= nowSecs || exp - iat > TOKEN_LIFETIME_SECS) return null
  return {
    sub,
    name,
    role,
    iat,
    exp,
    jti,
    ...(Number.isSafeInteger(account_id) ? { account_id } : {}),
    ...(act === undefined ? {} : { act }),
    ...(typeof act_jti === 'string' && Number.isSafeInteger(act_exp) ? { act_jti, act_exp } : {}),
    ...(act_iat !== undefined && Number.isSafeInteger(act_iat) ? { act_iat } : {}),
  }
}
