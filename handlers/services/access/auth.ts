import { AppError, unauthenticated } from '../../errors.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { LoggedIn } from './login-user.ts'
import { loginUserByName } from './login-user.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createSetup, type Setup } from './setup.ts'

export type { LoggedIn } from './login-user.ts'

/** Logging in and out, and the one way in before anybody can. */
export interface Auth extends Setup {
  /**
   * 401 with one text for every wrong combination, 429 after five of them in 15
   * minutes, or 50 from one address. Where a second factor is in force `totp` is
   * needed too: 401 naming that field, which only who knows the password sees.
   */
  login(input: {
    username: string
    password: string
    totp: string | null
    address: string
  }): Promise<LoggedIn>
  /** Who may log in under a name; null: nobody. What was typed as a name may be a password, so only known ones are noted. */
  userNamed(username: string): Promise<LoggedIn | null>
  /** The token counts no more, wherever it is still kept. */
  logout(token: { jti: string; expiresAtSecs: number }): Promise<void>
}

const WRONG = 'Wrong username or password.'

const codeRefused = (message: string): AppError => new AppError(401, message, { field: 'totp' })

export const createAuth = (
  deps: Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'>,
  attempts: LoginAttempts,
  options: { setupToken: string | null },
): Auth => {
  const { store, passwords, log } = deps
  let decoy: Promise<string> | null = null

  return {
    ...createSetup(deps, attempts, options),
    login: ({ username, password, totp, address }) =>
      attempts.run({ username, address }, async (attempt) => {
        decoy ??= passwords.hash(crypto.randomUUID())
        const decoyHash = await decoy
        const found = await loginUserByName(store, username)
        const right = await passwords.verify(found?.passwordHash ?? decoyHash, password)
        if (found === null || !right) {
          await attempt.failed()
          log.warn('login failed', { username: found?.username ?? 'unknown', address })
          throw unauthenticated(WRONG)
        }
        const { passwordHash: _, ...user } = found
        const verdict = await attempt.spendCode(user.user, totp)
        if (verdict === 'missing') {
          throw codeRefused('A code of the second factor is needed. Send it as totp.')
        }
        if (verdict === 'wrong') {
          log.warn('login failed', { username, address, because: 'second factor' })
          throw codeRefused('The code of the second factor is wrong or was used already.')
        }
        await attempt.succeeded()
        const { role, id, accountId } = user.user
        if (role === 'person' && accountId !== undefined) await store.setLastAccount(id, accountId)
        return user
      }),
    userNamed: (username) => loginUserByName(store, username),
    logout: ({ jti, expiresAtSecs }) => store.revokeToken(jti, expiresAtSecs),
  }
}
