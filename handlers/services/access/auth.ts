import { timestamp } from '../../domain/text/timestamp.ts'
import { AppError, forbidden, unauthenticated } from '../../errors.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { LoggedIn } from './login-user.ts'
import { loginUserByName } from './login-user.ts'
import type { ServiceDeps } from '../service-deps.ts'

export type { LoggedIn } from './login-user.ts'

export interface Auth {
  /** 403 once an administrator was ever created. */
  assertSetupOpen(): Promise<void>
  /** Creates the first administrator. 403 once that was ever done, or for a wrong setup token. */
  setup(input: { username: string; password: string; setupToken: string | null }): Promise<LoggedIn>
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
  userNamed(username: string): Promise<Pick<LoggedIn, 'username' | 'role'> | null>
  logout(token: { jti: string; expiresAtSecs: number }): Promise<void>
  setupDone(): Promise<boolean>
}

const SETUP_DONE = 'Setup is done already. Log in with the administrator account.'
const WRONG = 'Wrong username or password.'

const codeRefused = (message: string): AppError => new AppError(401, message, { field: 'totp' })

/** Compares in time that depends on the lengths only. */
const sameText = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++)
    difference |= a.charCodeAt(at) ^ b.charCodeAt(at % (b.length || 1))
  return difference === 0
}

export const createAuth = (
  deps: Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'>,
  attempts: LoginAttempts,
  options: { setupToken: string | null },
): Auth => {
  const { store, passwords, clock, log } = deps
  let decoy: Promise<string> | null = null

  return {
    async assertSetupOpen() {
      if (await store.setupDone()) throw forbidden(SETUP_DONE)
    },
    async setup({ username, password, setupToken }) {
      if (await store.setupDone()) throw forbidden(SETUP_DONE)
      if (options.setupToken !== null && !sameText(options.setupToken, setupToken ?? '')) {
        throw forbidden(
          'setup_token is missing or wrong. It stands in the file that [panel] setup_token_file names.',
        )
      }
      const nowMs = clock.nowMs()
      const admin = await store.createFirstAdmin({
        username,
        password_hash: await passwords.hash(password),
        not_before_secs: 0,
        created_at: timestamp(nowMs),
      })
      if (admin === null) throw forbidden(SETUP_DONE)
      log.info('administrator created', { username })
      return { id: admin.id, username, role: 'admin', accountId: null, notBeforeSecs: 0 }
    },
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
        const verdict = await attempt.spendCode(user, totp)
        if (verdict === 'missing') {
          throw codeRefused('A code of the second factor is needed. Send it as totp.')
        }
        if (verdict === 'wrong') {
          log.warn('login failed', { username, address, because: 'second factor' })
          throw codeRefused('The code of the second factor is wrong or was used already.')
        }
        await attempt.succeeded()
        return user
      }),
    userNamed: (username) => loginUserByName(store, username),
    logout: ({ jti, expiresAtSecs }) => store.revokeToken(jti, expiresAtSecs),
    setupDone: () => store.setupDone(),
  }
}
