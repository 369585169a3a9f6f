import { z } from 'zod'
import { isAppError } from '../../errors.ts'
import { entered, type LoggedIn } from '../../services/access/login-user.ts'
import type { Services } from '../../services/services.ts'
import { clearedCookie } from '../access/cookie.ts'
import type { PanelDeps } from '../deps.ts'
import { adminName, flag, newPassword, text } from '../frame/fields.ts'
import { authenticate } from '../access/guard.ts'
import type { PublicCall } from '../frame/route.ts'
import { withHeaders } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { meOf, meSchema, SESSION_HEADERS, sessionSchema, startSession } from './session.ts'

const setupSchema = z.object({
  username: adminName('username'),
  password: newPassword('password'),
  setup_token: text('setup_token', 1024).optional(),
})

const loginSchema = z.object({
  username: text('username', 256).min(1, 'username is required.'),
  password: text('password', 1024).min(1, 'password is required.'),
  totp: text('totp', 64)
    .optional()
    .describe('Code of the second factor, or a recovery code, for users who have one.'),
})

const passwordSchema = z.object({
  current_password: text('current_password', 1024).min(1, 'current_password is required.'),
  new_password: newPassword('new_password'),
  keep_tokens: flag('keep_tokens')
    .optional()
    .describe('Whether the API tokens of the user stay. Default: false, they end.'),
})

const on = routesOf('Authentication')

/** Setup, login, logout, password, me. */
export const authRoutes = (deps: PanelDeps, { auth, credentials, audit, sessions }: Services) => {
  const session = { ...deps, sessions }
  const tooMany = 'Too many failures; Retry-After says for how many seconds.'

  /** Notes what nobody was known for when the request came. */
  const note =
    (call: PublicCall, path: string, summary: string, status: number) =>
    (who: LoggedIn | null): void =>
      audit.record({
        actor: who?.username ?? null,
        role: who?.role ?? null,
        via: null,
        action: `POST ${path}`,
        summary,
        target: who === null ? '' : entered(who),
        address: call.clientAddress,
        status,
        reseller_id: who?.resellerId ?? null,
      })

  return [
    on.open('/api/auth/setup', {
      open: 'no-token',
      summary: 'Creates the first administrator',
      description:
        'Works once. Answers as login does. Where the configuration names a setup_token_file, setup_token must be what stands in it.',
      body: setupSchema,
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: { 403: 'Setup is done already, or setup_token is missing or wrong.', 429: tooMany },
      // Before the body is looked at: whoever comes too late needs no advice on passwords.
      before: () => auth.assertSetupOpen(),
      async handle(call) {
        const { username, password, setup_token } = call.body
        const user = await auth.setup({
          username,
          password,
          setupToken: setup_token ?? null,
          address: call.clientAddress,
        })
        note(call, '/api/auth/setup', 'Creates the first administrator', 200)(user)
        return startSession(session, user, call)
      },
    }),
    on.open('/api/auth/login', {
      open: 'no-token',
      summary: 'Logs in',
      description:
        'Administrators, hosting accounts with their own username and password, and persons with their e-mail address: these enter the account in which they worked last, see POST /api/auth/accounts/:account_id. Five failures of one user from one address in 15 minutes close the login for that pair, fifty from one address for the address. A user with a second factor gets 401 with X-Error-Field totp until totp is right; a code counts once.',
      body: loginSchema,
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: {
        401: 'Wrong username or password; or a code of the second factor is missing or wrong, then X-Error-Field is totp.',
        429: tooMany,
      },
      async handle(call) {
        const { username, password, totp = null } = call.body
        const login = { username, password, totp, address: call.clientAddress }
        try {
          const user = await auth.login(login)
          note(call, '/api/auth/login', 'Logs in', 200)(user)
          return await startSession(session, user, call)
        } catch (error) {
          // What the throttle refuses is not noted: a flood must not push other entries out.
          if (isAppError(error) && error.status === 401) {
            const known = await auth.userNamed(username)
            note(call, '/api/auth/login', 'Logs in', 401)(known)
          }
          throw error
        }
      },
    }),
    on.open('/api/auth/logout', {
      open: 'token-used',
      summary: 'Logs out',
      description:
        'Revokes the token, if a good one comes along, and ends the cookie. With a cookie that is still good the request must show that it comes from the panel itself.',
      headers: { 'Set-Cookie': 'The cookie panel_token, ended.' },
      errors: { 403: 'The cookie came from a foreign page.' },
      async handle({ request, secure, ownOrigin }) {
        // Without a good token there is nothing to revoke, and the cookie goes all the same.
        const caller = await authenticate(request, deps, ownOrigin).catch((error: unknown) => {
          if (error instanceof Error && 'status' in error && error.status === 401) return null
          throw error
        })
        if (caller !== null && caller.apiToken === null) {
          await auth.logout(caller)
          // Who logs out of an account visited has left the panel, not the account alone.
          if (caller.adminSession !== undefined) await auth.logout(caller.adminSession)
        }
        return withHeaders(null, { 'set-cookie': clearedCookie(secure) })
      },
    }),
    on.self.get('/api/auth/me', {
      summary: 'Who the caller is',
      data: meSchema,
      handle: async ({ caller }) => meOf(caller),
    }),
    on.self.post('/api/auth/password', {
      ownSession: true,
      summary: 'Changes the own password',
      description:
        "Ends every session of the user, logins as the account by administrators among them, and the API tokens too unless keep_tokens is true; answers as login does, with a new session. The password of an account is its system user's too.",
      body: passwordSchema,
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: {
        403: 'current_password is wrong.',
        409: 'The account is being changed.',
        429: tooMany,
        503: 'The host cannot do it at present; the password is as it was.',
      },
      async handle(call) {
        const { caller, body, clientAddress: address } = call
        const { current_password: password, new_password, keep_tokens: keepTokens = false } = body
        await credentials.confirmPassword(caller.user, {
          password,
          field: 'current_password',
          address,
        })
        const user = await credentials.changePassword(caller.user, new_password, { keepTokens })
        return startSession(session, user, call)
      },
    }),
  ]
}
