import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { AppError, unauthenticated } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { LoggedIn, LoginUser } from './login-user.ts'
import { loginUserById } from './login-user.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What a user who is logged in shows once more, before something that could lock the owner out. */
export interface Credentials {
  /** 403 naming `field` for a wrong password, 429 as for logins. */
  confirmPassword(
    user: UserRef,
    proof: { password: string; field: string; address: string },
  ): Promise<void>
  /** 403 naming `code` for a wrong code of the second factor, if one is in force; 429 as for logins. */
  confirmCode(user: UserRef, proof: { code: string; address: string }): Promise<void>
  /** Sets a new password and ends every session, and the API tokens unless `keepTokens`. An account's system user gets it too. */
  changePassword(
    user: UserRef,
    password: string,
    options: { keepTokens: boolean },
  ): Promise<LoggedIn>
  /** Ends every session that began before now; the response is whom to begin a new one for. API tokens stay. */
  endSessions(user: UserRef): Promise<LoggedIn>
  /** Somebody who may log in. 401 for everybody else. */
  known(user: UserRef): Promise<LoggedIn>
  /** What a session needs in which an administrator or reseller works as an account. 404, 409 not active. */
  visit(
    accountId: number,
    admin: UserRef,
  ): Promise<{ account: LoggedIn; adminNotBeforeSecs: number }>
}

export const createCredentials = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'passwords' | 'clock'> & {
    notify: Pick<Notify, 'tell'>
  },
  attempts: LoginAttempts,
): Credentials => {
  const { store, host, passwords, clock, notify } = deps

  const require = async (ref: UserRef): Promise<LoginUser> => {
    const user = await loginUserById(store, ref)
    if (user === null) throw unauthenticated()
    return user
  }

  return {
    async confirmPassword(ref, { password, field, address }) {
      const { username } = await require(ref)
      await attempts.run({ username, address }, async (attempt) => {
        const { passwordHash } = await require(ref)
        if (await passwords.verify(passwordHash, password)) return attempt.succeeded()
        await attempt.failed()
        throw new AppError(403, `${field} is wrong.`, { field })
      })
    },
    async confirmCode(ref, { code, address }) {
      const { username } = await require(ref)
      await attempts.run({ username, address }, async (attempt) => {
        const verdict = await attempt.spendCode(ref, code)
        if (verdict === 'right' || verdict === 'unneeded') return
        throw new AppError(403, 'code is wrong or was used already.', { field: 'code' })
      })
    },
    async changePassword(ref, password, { keepTokens }) {
      const password_hash = await passwords.hash(password)
      const user = await require(ref)
      const nowMs = clock.nowMs()
      const not_before_secs = nextNotBefore(
        { not_before_secs: user.notBeforeSecs },
        unixSecs(nowMs),
      )
      const change = { password_hash, not_before_secs }
      if (ref.role === 'admin') await store.updateAdmin(ref.id, change, { endTokens: !keepTokens })
      else if (ref.role === 'person')
        await store.updatePerson(ref.id, change, { endTokens: !keepTokens })
      else if (ref.role === 'reseller')
        await store.updateReseller(ref.id, change, { endTokens: !keepTokens })
      else {
        const { username } = await requireActiveAccount(store, ref.id)
        await host.users.setPassword({ operationId: crypto.randomUUID(), username, password })
        await store.updateAccount(
          ref.id,
          { ...change, updated_at: timestamp(nowMs) },
          { endTokens: !keepTokens },
        )
      }
      await notify.tell(ref, 'security.password_changed', { at: timestamp(nowMs) })
      return { ...user, notBeforeSecs: not_before_secs }
    },
    async endSessions(ref) {
      const { passwordHash: _, ...user } = await require(ref)
      const before = { not_before_secs: user.notBeforeSecs }
      const not_before_secs = nextNotBefore(before, unixSecs(clock.nowMs()))
      if (ref.role === 'admin') await store.updateAdmin(ref.id, { not_before_secs })
      else if (ref.role === 'person') await store.updatePerson(ref.id, { not_before_secs })
      else if (ref.role === 'reseller') await store.updateReseller(ref.id, { not_before_secs })
      else await store.updateAccount(ref.id, { not_before_secs })
      return { ...user, notBeforeSecs: not_before_secs }
    },
    async known(ref) {
      const { passwordHash: _, ...user } = await require(ref)
      return user
    },
    async visit(accountId, admin) {
      await requireActiveAccount(store, accountId)
      const account = await require({ role: 'account', id: accountId })
      return { account, adminNotBeforeSecs: (await require(admin)).notBeforeSecs }
    },
  }
}
