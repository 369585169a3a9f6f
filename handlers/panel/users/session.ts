import { z } from 'zod'
import { unixSecs } from '../../domain/text/timestamp.ts'
import type { LoggedIn } from '../../services/access/login-user.ts'
import type { AdminSession, Caller } from '../access/caller.ts'
import { sessionCookie } from '../access/cookie.ts'
import type { Services } from '../../services/services.ts'
import type { PanelDeps } from '../deps.ts'
import type { HeadedResponse, PublicCall } from '../frame/route.ts'
import { withHeaders } from '../frame/route.ts'
import { signToken, TOKEN_LIFETIME_SECS } from '../access/token.ts'
import { named } from '../frame/common-schemas.ts'

/** Who is logged in. */
export const meSchema = named('CurrentUser', {
  username: z.string(),
  role: z.enum(['admin', 'account']),
  account_id: z.int().nullable().describe('The one account of a user of role account.'),
  acting_admin: z
    .string()
    .optional()
    .describe('The administrator who works as this account; absent: the user itself.'),
})

/** What a login answers. */
export const sessionSchema = named('Session', {
  token: z.string().describe('JWT, good for 24 hours.'),
  user: meSchema,
})

export const SESSION_HEADERS = { 'Set-Cookie': 'The token as cookie panel_token.' }

export type Session = z.output<typeof sessionSchema>

/** An administrator who works as an account, and for how long. */
interface Visit {
  admin: Pick<Caller, 'id' | 'username' | 'jti' | 'expiresAtSecs'>
  lifetimeSecs: number
  notBeforeSecs: number
}

/** A session that is taken up again: what ended it would end this token, and so does its time. */
type Resumed = Pick<AdminSession, 'jti' | 'expiresAtSecs'>

/** What a session needs to begin. */
export type SessionDeps = Pick<PanelDeps, 'clock' | 'jwtSecret'> & Pick<Services, 'sessions'>

/** Begins a session: a new token in body and cookie, and a row in the list of those that stand. */
export const startSession = async (
  deps: SessionDeps,
  user: LoggedIn,
  { secure, request, clientAddress }: Pick<PublicCall, 'secure' | 'request' | 'clientAddress'>,
  { visit, resumed }: { visit?: Visit; resumed?: Resumed } = {},
): Promise<HeadedResponse<Session>> => {
  const nowSecs = unixSecs(deps.clock.nowMs())
  const iat = Math.max(nowSecs, user.notBeforeSecs, visit?.notBeforeSecs ?? 0)
  // A visit ends with the session that it comes from, and what is resumed ends as it would have.
  const end = Math.min(
    iat + (visit?.lifetimeSecs ?? TOKEN_LIFETIME_SECS),
    visit?.admin.expiresAtSecs ?? resumed?.expiresAtSecs ?? Infinity,
  )
  const lifetimeSecs = Math.max(0, end - iat)
  const exp = iat + lifetimeSecs
  const jti = resumed?.jti ?? crypto.randomUUID()
  await deps.sessions.begin({
    user,
    jti,
    issuedSecs: iat,
    expiresAtSecs: exp,
    via: visit === undefined ? null : { adminId: visit.admin.id, jti: visit.admin.jti },
    address: clientAddress,
    userAgent: request.headers.get('user-agent') ?? '',
  })
  const token = await signToken(
    {
      sub: `${user.role}:${user.id}`,
      name: user.username,
      role: user.role,
      ...(user.accountId === null ? {} : { account_id: user.accountId }),
      ...(visit === undefined
        ? {}
        : {
            act: `admin:${visit.admin.id}`,
            act_jti: visit.admin.jti,
            act_exp: visit.admin.expiresAtSecs,
            act_iat: Math.max(nowSecs, visit.notBeforeSecs),
          }),
      iat,
      exp,
      jti,
    },
    deps.jwtSecret,
  )
  const data: Session = {
    token,
    user: {
      username: user.username,
      role: user.role,
      account_id: user.accountId,
      ...(visit === undefined ? {} : { acting_admin: visit.admin.username }),
    },
  }
  return withHeaders(data, { 'set-cookie': sessionCookie(token, secure, lifetimeSecs) })
}
