import { countedAddress } from '../../domain/text/client-address.ts'
import { unixSecs } from '../../domain/text/timestamp.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createLoginRateLimit } from './login-rate-limit.ts'
import { createSecondFactor } from './second-factor.ts'

/** One attempt to prove who somebody is. */
export interface LoginAttempt {
  failed(): Promise<void>
  succeeded(): Promise<void>
  /** As `SecondFactor.spend`; 429 when too many codes of the user were wrong. A wrong one counts as a failure. */
  spendCode(user: UserRef, code: string | null): Promise<'unneeded' | 'missing' | 'wrong' | 'right'>
}

/** Lets attempts through the rate limit; the login, and whatever else asks for a password, shares it. */
export interface LoginAttempts {
  /** Throws 429 when there were too many failures. */
  run<T>(
    who: { username: string; address: string },
    work: (attempt: LoginAttempt) => Promise<T>,
  ): Promise<T>
}

export const createLoginAttempts = (
  deps: Parameters<typeof createSecondFactor>[0] & Pick<ServiceDeps, 'judges'>,
): LoginAttempts => {
  const rateLimit = createLoginRateLimit(deps.store)
  const secondFactor = createSecondFactor(deps)
  const locks = createKeyedLock(deps.judges)
  const nowSecs = () => unixSecs(deps.clock.nowMs())
  return {
    run({ username, address }, work) {
      const attempt = { username: username.toLowerCase(), address: countedAddress(address) }
      // One attempt at a time per address: parallel guesses would all pass the count before any is
      // recorded, and a flood would keep everyone else waiting for their passwords to be checked.
      return locks.run(attempt.address, async () => {
        await rateLimit.assertOpen(attempt, nowSecs())
        const failed = () => rateLimit.failed(attempt, nowSecs())
        return work({
          failed,
          succeeded: () => rateLimit.succeeded(attempt),
          async spendCode(user, code) {
            await rateLimit.assertCodesOpen(user, nowSecs())
            const verdict = await secondFactor.spend(user, code)
            if (verdict === 'wrong') {
              await rateLimit.wrongCode(user, nowSecs())
              await failed()
            }
            return verdict
          },
        })
      })
    },
  }
}
