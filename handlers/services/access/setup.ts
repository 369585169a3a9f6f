import { timestamp } from '../../domain/text/timestamp.ts'
import { forbidden } from '../../errors.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { LoggedIn } from './login-user.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How an installation gets its first administrator; done once and never again. */
export interface Setup {
  /** 403 once an administrator was ever created. */
  assertSetupOpen(): Promise<void>
  /** Creates the first administrator. 403 once that was ever done, or for a wrong setup token; 429 after failures, as at a login. */
  setup(input: {
    username: string
    password: string
    setupToken: string | null
    address: string
  }): Promise<LoggedIn>
  /** Also true when the administrator is gone since. */
  setupDone(): Promise<boolean>
}

/** Wrong tokens are counted for the address alone. No user has this name. */
const NOBODY = '\nsetup'

const SETUP_DONE = 'Setup is done already. Log in with the administrator account.'

/** Compares in time that depends on the lengths only. */
const sameText = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++)
    difference |= a.charCodeAt(at) ^ b.charCodeAt(at % (b.length || 1))
  return difference === 0
}

/** `setupToken`: what who sets up must know; null: whoever comes first may. */
export const createSetup = (
  deps: Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'>,
  attempts: LoginAttempts,
  options: { setupToken: string | null },
): Setup => {
  const { store, passwords, clock, log } = deps

  const checkToken = async (wanted: string, given: string, address: string): Promise<void> =>
    attempts.run({ username: NOBODY, address }, async (attempt) => {
      if (sameText(wanted, given)) return attempt.succeeded()
      await attempt.failed()
      throw forbidden(
        'setup_token is missing or wrong. It stands in the file that [panel] setup_token_file names.',
      )
    })

  return {
    async assertSetupOpen() {
      if (await store.setupDone()) throw forbidden(SETUP_DONE)
    },
    async setup({ username, password, setupToken, address }) {
      if (await store.setupDone()) throw forbidden(SETUP_DONE)
      if (options.setupToken !== null)
        await checkToken(options.setupToken, setupToken ?? '', address)
      const nowMs = clock.nowMs()
      const admin = await store.createFirstAdmin({
        username,
        password_hash: await passwords.hash(password),
        not_before_secs: 0,
        created_at: timestamp(nowMs),
      })
      if (admin === null) throw forbidden(SETUP_DONE)
      log.info('administrator created', { username })
      return {
        user: { role: 'admin', id: admin.id },
        username,
        role: 'admin',
        accountId: null,
        resellerId: null,
        member: null,
        personName: null,
        notBeforeSecs: 0,
        ownNotBeforeSecs: 0,
      }
    },
    setupDone: () => store.setupDone(),
  }
}
