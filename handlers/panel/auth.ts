import { z } from 'zod'
import { hasControlCharacters } from '../domain/control-characters.ts'
import { unixSecs } from '../domain/timestamp.ts'
import { ok } from '../envelope.ts'
import type { LoggedIn } from '../services/auth.ts'
import type { Services } from '../services/services.ts'
import { clearedCookie, sessionCookie } from './cookie.ts'
import type { PanelDeps } from './deps.ts'
import { newPassword, text } from './fields.ts'
import { authenticate } from './guard.ts'
import { readBody } from './input.ts'
import type { PublicCall, Route } from './route.ts'
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

/** Setup, login, logout, me. */
export const authRoutes = (deps: PanelDeps, { auth }: Services): Route[] => {
  /** A new token in body and cookie. */
  const session = async (user: LoggedIn, call: PublicCall): Promise<Response> => {
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
    return ok(data, { 'set-cookie': sessionCookie(token, call.secure) })
  }

  return [
    {
      method: 'POST',
      path: '/api/auth/setup',
      open: true,
      async handle(call) {
        // Before the body is looked at: whoever comes too late needs no advice on passwords.
        await auth.assertSetupOpen()
        const { username, password, setup_token } = await readBody(call.request, setupSchema)
        const user = await auth.setup({ username, password, setupToken: setup_token ?? null })
        return session(user, call)
      },
    },
    {
      method: 'POST',
      path: '/api/auth/login',
      open: true,
      async handle(call) {
        const input = await readBody(call.request, loginSchema)
        return session(await auth.login({ ...input, address: call.clientAddress }), call)
      },
    },
    {
      method: 'POST',
      path: '/api/auth/logout',
      open: true,
      async handle({ request, secure, ownOrigin }) {
        // Without a good token there is nothing to revoke, and the cookie goes all the same.
        const caller = await authenticate(request, deps, ownOrigin).catch((error: unknown) => {
          if (error instanceof Error && 'status' in error && error.status === 401) return null
          throw error
        })
        if (caller !== null) await auth.logout(caller)
        return ok(null, { 'set-cookie': clearedCookie(secure) })
      },
    },
    {
      method: 'GET',
      path: '/api/auth/me',
      action: 'self',
      async handle({ caller }) {
        return { username: caller.username, role: caller.role, account_id: caller.accountId }
      },
    },
  ]
}
