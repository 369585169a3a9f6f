import { throttleAddress } from '../domain/client-address.ts'
import { timestamp, unixSecs } from '../domain/timestamp.ts'
import { forbidden, unauthenticated } from '../errors.ts'
import type { Role } from '../ports/records.ts'
import { createKeyedLock } from './keyed-lock.ts'
import { createLoginThrottle } from './login-throttle.ts'
import type { ServiceDeps } from './service-deps.ts'

/** Somebody who has just proved who they are. */
export interface LoggedIn {
  id: number
  username: string
  role: Role
  accountId: number | null
  /** Tokens must not be issued with an earlier `iat`. */
  notBeforeSecs: number
}

export interface Auth {
  /** 403 once an administrator was ever created. */
  assertSetupOpen(): Promise<void>
  /** Creates the first administrator. 403 once that was ever done, or for a wrong setup token. */
  setup(input: { username: string; password: string; setupToken: string | null }): Promise<LoggedIn>
  /** 401 with one text for every wrong combination, 429 after five of them in 15 minutes, or 50 from one address. */
  login(input: { username: string; password: string; address: string }): Promise<LoggedIn>
  logout(token: { jti: string; expiresAtSecs: number }): Promise<void>
  setupDone(): Promise<boolean>
}

const SETUP_DONE = 'Setup is done already. Log in with the administrator account.'
const WRONG = 'Wrong username or password.'

interface Candidate extends LoggedIn {
  passwordHash: string
}

/** Compares in time that depends on the lengths only. */
const sameText = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++)
    difference |= a.charCodeAt(at) ^ b.charCodeAt(at % (b.length || 1))
  return difference === 0
}

export const createAuth = (
  deps: Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'>,
  options: { setupToken: string | null },
): Auth => {
  const { store, passwords, clock, log } = deps
  const throttle = createLoginThrottle(store)
  const locks = createKeyedLock()
  let decoy: Promise<string> | null = null

  const candidate = async (username: string): Promise<Candidate | null> => {
    const admin = await store.adminByName(username)
    if (admin !== null) {
      return {
        id: admin.id,
        username: admin.username,
        role: 'admin',
        accountId: null,
        notBeforeSecs: admin.not_before_secs,
        passwordHash: admin.password_hash,
      }
    }
    const account = await store.accountByName(username.toLowerCase())
    if (account === null || account.status !== 'active') return null
    return {
      id: account.id,
      username: account.username,
      role: 'account',
      accountId: account.id,
      notBeforeSecs: account.not_before_secs,
      passwordHash: account.password_hash,
    }
  }

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
    login({ username, password, address }) {
      const attempt = { username: username.toLowerCase(), address: throttleAddress(address) }
      // One attempt at a time per address: parallel guesses would all pass the count before any is
      // recorded, and a flood would keep everyone else waiting for their passwords to be checked.
      return locks.run(attempt.address, async () => {
        await throttle.assertOpen(attempt, unixSecs(clock.nowMs()))
        decoy ??= passwords.hash(crypto.randomUUID())
        const decoyHash = await decoy
        const found = await candidate(username)
        const right = await passwords.verify(found?.passwordHash ?? decoyHash, password)
        if (found === null || !right) {
          await throttle.failed(attempt, unixSecs(clock.nowMs()))
          log.warn('login failed', { username, address })
          throw unauthenticated(WRONG)
        }
        await throttle.succeeded(attempt)
        const { passwordHash: _, ...user } = found
        return user
      })
    },
    logout: ({ jti, expiresAtSecs }) => store.revokeToken(jti, expiresAtSecs),
    setupDone: () => store.setupDone(),
  }
}
