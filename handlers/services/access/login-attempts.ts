import { throttleAddress } from '../../domain/text/client-address.ts'
import { unixSecs } from '../../domain/text/timestamp.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { createSecondFactor } from './second-factor.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** One attempt to prove who somebody is. */
interface LoginAttempt {
  failed(): Promise<void>
  succeeded(): Promise<void>
  /** As `SecondFactor.spend`; 429 when too many codes of the user were wrong. A wrong one counts as a failure. */
  spendCode(user: UserRef, code: string | null): Promise<'unneeded' | 'missing' | 'wrong' | 'right'>
}

/** Lets attempts through the throttle; the login, and whatever else asks for a password, shares it. */
export interface LoginAttempts {
  /** Throws 429 when there were too many failures. */
  run<T>(
    who: { username: string; address: string },
    work: (attempt: LoginAttempt) => Promise<T>,
  ): Promise<T>
}

export const createLoginAttempts = (deps: Pick<ServiceDeps, 'store' | 'clock'>): LoginAttempts => {
  const throttle = createLoginThrottle(deps.store)
  const secondFactor = createSecondFactor(deps)
  const locks = createKeyedLock()
  const nowSecs = () => unixSecs(deps.clock.nowMs())
  return {
    run({ username, address }, work) {
      const attempt = { username: username.toLowerCase(), address: throttleAddress(address) }
      // One attempt at a time per address: parallel guesses would all pass the count before any is
      // recorded, and a flood would keep everyone else waiting for their passwords to be checked.
      return locks.run(attempt.address, async () => {
        await throttle.assertOpen(attempt, nowSecs())
        const failed = () => throttle.failed(attempt, nowSecs())
        return work({
          failed,
          succeeded: () => throttle.succeeded(attempt),
          async spendCode(user, code) {
            await throttle.assertCodesOpen(user, nowSecs())
            const verdict = await secondFactor.spend(user, code)
            if (verdict === 'wrong') {
              await throttle.wrongCode(user, nowSecs())
              await failed()
            }
            return verdict
          },
        })
      })
    },
  }
}
