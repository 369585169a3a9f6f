import { countedAddress } from '../../domain/text/client-address.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createLoginRateLimit } from './login-rate-limit.ts'
import { createSecondFactor } from './second-factor.ts'

/**
 * One attempt to prove who somebody is, counted already. Where the work ends without a word on
 * it, or with an error, nothing was guessed, and the attempt counts no more.
 */
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
  const rateLimit = createLoginRateLimit(deps.store, deps.clock)
  const secondFactor = createSecondFactor(deps)
  const locks = createKeyedLock(deps.judges)
  return {
    run({ username, address }, work) {
      const attempt = { username: username.toLowerCase(), address: countedAddress(address) }
      // One attempt at a time per address: a flood would keep everyone else waiting for their
      // passwords to be checked. That no guess is one too many is the rate limit's doing.
      return locks.run(attempt.address, async () => {
        const counted = await rateLimit.begin(attempt)
        try {
          return await work({
            failed: counted.failed,
            succeeded: counted.succeeded,
            async spendCode(user, code) {
              const unspent = await secondFactor.spend(user, null)
              if (unspent === 'unneeded' || code === null || code.trim() === '') return unspent
              const guess = await rateLimit.beginCode(user)
              try {
                const verdict = await secondFactor.spend(user, code)
                if (verdict === 'wrong') {
                  await guess.failed()
                  await counted.failed()
                }
                return verdict
              } finally {
                await guess.release()
              }
            },
          })
        } finally {
          await counted.release()
        }
      })
    },
  }
}
