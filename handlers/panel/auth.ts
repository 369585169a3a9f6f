import { z } from 'zod'
import { hasControlCharacters } from '../domain/control-characters.ts'
import { unixSecs } from '../domain/timestamp.ts'
import type { LoggedIn } from '../services/auth.ts'
import type { Services } from '../services/services.ts'
import { clearedCookie, sessionCookie } from './cookie.ts'
import type { PanelDeps } from './deps.ts'
import { newPassword, text } from './fields.ts'
import { authenticate } from './guard.ts'
import type { PublicCall, Route } from './route.ts'
import { openRoute, route, withHeaders } from './route.ts'
import { signToken, TOKEN_LIFETIME_SECS } from './token.ts'

const setupSchema = z.object({
  username: text('username', 64)
    .min(3, 'username must be at least 3 characters.')
    .refine(
      (name) => name === name.trim() && !hasControlCharacters(name) && name.isWellFormed(),
      'username must not begin or end with blanks or contain control characters.',
    ),
  password: newPassword('password'),
  setup_token: text('setup_token', 1024).optional(),
})

const loginSchema = z.object({
  username: text('username', 256).min(1, 'username is required.'),
  password: text('password', 1024).min(1, 'password is required.'),
})

const meSchema = z
  .object({
    username: z.string(),
    role: z.enum(['admin', 'account']),
    account_id: z.int().nullable().describe('The one account of a user of role account.'),
  })
  .meta({ id: 'CurrentUser' })

const sessionSchema = z
  .object({ token: z.string().describe('JWT, good for 24 hours.'), user: meSchema })
  .meta({ id: 'Session' })

const tag = 'Authentication'
const sessionHeaders = { 'Set-Cookie': 'The token as cookie panel_token.' }

/** Setup, login, logout, me. */
export const authRoutes = (deps: PanelDeps, { auth }: Services): Route[] => {
  /** A new token in body and cookie. */
  const session = async (user: LoggedIn, call: PublicCall) => {
    const iat = Math.max(unixSecs(deps.clock.nowMs()), user.notBeforeSecs)
    const token = await signToken(
      {
        sub: `${user.role}:${user.id}`,
        name: user.username,
        role: user.role,
        ...(user.accountId === null ? {} : { account_id: user.accountId }),
        iat,
        exp: iat + TOKEN_LIFETIME_SECS,
        jti: crypto.randomUUID(),
      },
      deps.jwtSecret,
    )
    const data = {
      token,
      user: { username: user.username, role: user.role, account_id: user.accountId },
    }
    return withHeaders(data, { 'set-cookie': sessionCookie(token, call.secure) })
  }

  return [
    openRoute({
      method: 'POST',
      path: '/api/auth/setup',
      open: 'no-token',
      tag,
      summary: 'Creates the first administrator',
      description:
        'Works once. Answers as login does. Where the configuration names a setup_token_file, setup_token must be what stands in it.',
      body: setupSchema,
      data: sessionSchema,
      headers: sessionHeaders,
      errors: { 403: 'Setup is done already, or setup_token is missing or wrong.' },
      // Before the body is looked at: whoever comes too late needs no advice on passwords.
      before: () => auth.assertSetupOpen(),
      async handle(call) {
        const { username, password, setup_token } = call.body
        const user = await auth.setup({ username, password, setupToken: setup_token ?? null })
        return session(user, call)
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/auth/login',
      open: 'no-token',
      tag,
      summary: 'Logs in',
      description:
        'Administrators, and hosting accounts with their own username and password. Five failures of one user from one address in 15 minutes close the login for that pair, fifty from one address for the address.',
      body: loginSchema,
      data: sessionSchema,
      headers: sessionHeaders,
      errors: {
        401: 'Wrong username or password.',
        429: 'Too many failures; Retry-After says for how many seconds.',
      },
      async handle(call) {
        const user = await auth.login({ ...call.body, address: call.clientAddress })
        return session(user, call)
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/auth/logout',
      open: 'token-used',
      tag,
      summary: 'Logs out',
      description: 'Revokes the token, if a good one comes along, and ends the cookie in any case.',
      headers: { 'Set-Cookie': 'The cookie panel_token, ended.' },
      errors: { 403: 'The cookie came from a foreign page.' },
      async handle({ request, secure, ownOrigin }) {
        // Without a good token there is nothing to revoke, and the cookie goes all the same.
        const caller = await authenticate(request, deps, ownOrigin).catch((error: unknown) => {
          if (error instanceof Error && 'status' in error && error.status === 401) return null
          throw error
        })
        if (caller !== null) await auth.logout(caller)
        return withHeaders(null, { 'set-cookie': clearedCookie(secure) })
      },
    }),
    route({
      method: 'GET',
      path: '/api/auth/me',
      action: 'self',
      tag,
      summary: 'Who the caller is',
      data: meSchema,
      async handle({ caller }) {
        return { username: caller.username, role: caller.role, account_id: caller.accountId }
      },
    }),
  ]
}
