import { z } from 'zod'
import { MEMBER_ROLES } from '../../domain/access/member-role.ts'
import { unixSecs } from '../../domain/text/timestamp.ts'
import type { LoggedIn } from '../../services/access/login-user.ts'
import type { AdminSession, Caller } from '../access/caller.ts'
import { sessionCookie } from '../access/cookie.ts'
import { loginLanguage } from '../../services/notifications/people.ts'
import type { Services } from '../../services/services.ts'
import type { PanelDeps } from '../deps.ts'
import type { HeadedResponse, PublicCall } from '../frame/route.ts'
import { withHeaders } from '../frame/route.ts'
import { signToken, TOKEN_LIFETIME_SECS } from '../access/token.ts'
import { named, recordId, role } from '../frame/common-schemas.ts'

/** Who is logged in. */
export const meSchema = named('CurrentUser', {
  username: z.string(),
  role: role(),
  account_id: z.int().nullable().describe('The one account that a user of role account works in.'),
  member: z
    .enum(MEMBER_ROLES)
    .optional()
    .describe(
      "What a user of role account may do there; the account's own login is an owner. Absent: who manages accounts.",
    ),
  person: z
    .object({ id: recordId(), name: z.string() })
    .optional()
    .describe("The person who works in the account; absent: the account's own login."),
  acting_admin: z
    .string()
    .optional()
    .describe('The administrator or reseller who works as this account; absent: the user itself.'),
})

type Me = z.output<typeof meSchema>

/** What is told of a user. */
export const meOf = (
  user: Pick<
    Caller,
    'user' | 'username' | 'role' | 'accountId' | 'member' | 'personName' | 'actingAdmin'
  >,
): Me => ({
  username: user.username,
  role: user.role,
  account_id: user.role === 'account' ? user.accountId : null,
  ...(user.member === null ? {} : { member: user.member }),
  ...(user.personName === null ? {} : { person: { id: user.user.id, name: user.personName } }),
  ...(user.actingAdmin === null ? {} : { acting_admin: user.actingAdmin }),
})

/** What a login answers. */
export const sessionSchema = named('Session', {
  token: z.string().describe('JWT, good for 24 hours.'),
  user: meSchema,
})

export const SESSION_HEADERS = { 'Set-Cookie': 'The token as cookie panel_token.' }

export type Session = z.output<typeof sessionSchema>

/** An administrator or reseller who works as an account, and for how long. */
interface Visit {
  admin: Pick<Caller, 'user' | 'username' | 'jti' | 'expiresAtSecs'>
  lifetimeSecs: number
  notBeforeSecs: number
}

/**
 * A session that is taken up again: what ended it would end this token, and so does its
 * time. Without `jti` only its time goes on, in a session of another account.
 */
type Resumed = Partial<Pick<AdminSession, 'jti'>> & Pick<AdminSession, 'expiresAtSecs'>

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
    user: user.user,
    jti,
    issuedSecs: iat,
    expiresAtSecs: exp,
    via:
      visit === undefined
        ? null
        : { role: visit.admin.user.role, adminId: visit.admin.user.id, jti: visit.admin.jti },
    address: clientAddress,
    userAgent: request.headers.get('user-agent') ?? '',
    language: loginLanguage(request.headers),
  })
  const token = await signToken(
    {
      sub: `${user.user.role}:${user.user.id}`,
      name: user.username,
      role: user.role,
      ...(user.accountId === null ? {} : { account_id: user.accountId }),
      ...(visit === undefined
        ? {}
        : {
            act: `${visit.admin.user.role}:${visit.admin.user.id}`,
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
    user: meOf({ ...user, actingAdmin: visit?.admin.username ?? null }),
  }
  return withHeaders(data, { 'set-cookie': sessionCookie(token, secure, lifetimeSecs) })
}
