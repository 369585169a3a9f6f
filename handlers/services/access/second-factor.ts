import { newRecoveryCode, normalRecoveryCode } from '../../domain/access/recovery-code.ts'
import { secretHash } from '../../domain/access/secret-hash.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { newTotpSecret, totpStep, totpUrl } from '../../domain/access/totp.ts'
import { conflict, invalid } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

const RECOVERY_CODES = 10

interface SecondFactorState {
  enabled: boolean
  /** Codes not used yet. */
  recovery_codes: number
}

/** The second factor of a user of the panel (RFC 6238), and the recovery codes beside it. */
export interface SecondFactor {
  /** Also while an enrolment is not confirmed. */
  state(user: UserRef): Promise<SecondFactorState>
  /** A new secret, in force once confirmed. 409 when one is in force. */
  enrol(user: UserRef, username: string): Promise<{ secret: string; url: string }>
  /** Puts the enrolled secret in force and answers the recovery codes. 400 wrong code, 409 nothing enrolled. */
  confirm(user: UserRef, code: string): Promise<string[]>
  /** `unneeded` without a factor in force; `right` uses the code up, be it the app's or a recovery code. */
  spend(user: UserRef, code: string | null): Promise<'unneeded' | 'missing' | 'wrong' | 'right'>
  /** The next login needs the password alone; the user is told. None there: no error. */
  remove(user: UserRef, by: 'self' | 'administrator'): Promise<void>
}

export const createSecondFactor = ({
  store,
  clock,
  notify,
}: Pick<ServiceDeps, 'store' | 'clock'> & { notify: Pick<Notify, 'tell'> }): SecondFactor => ({
  async state(user) {
    const factor = await store.secondFactor(user)
    const enabled = factor?.confirmed === true
    return { enabled, recovery_codes: enabled ? await store.countRecoveryCodes(user) : 0 }
  },
  async enrol(user, username) {
    const secret = newTotpSecret()
    if (!(await store.enrolSecondFactor(user, secret, timestamp(clock.nowMs())))) {
      throw conflict('A second factor is in force already. Take it off first.')
    }
    return { secret, url: totpUrl(secret, username) }
  },
  async confirm(user, code) {
    const factor = await store.secondFactor(user)
    if (factor === null || factor.confirmed) {
      throw conflict('There is no second factor to be confirmed. Enrol one first.')
    }
    const step = totpStep(factor.secret, code, clock.nowMs())
    if (step === null) {
      throw invalid('code', 'code is wrong. Check the clocks of this server and of your device.')
    }
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const hashes = await Promise.all(codes.map((one) => secretHash(normalRecoveryCode(one) ?? one)))
    if (!(await store.confirmSecondFactor(user, factor.secret, step, hashes))) {
      throw conflict('The enrolment was begun anew elsewhere. Enrol again.')
    }
    return codes
  },
  async spend(user, code) {
    const factor = await store.secondFactor(user)
    if (factor === null || !factor.confirmed) return 'unneeded'
    if (code === null || code.trim() === '') return 'missing'
    const step = totpStep(factor.secret, code, clock.nowMs())
    if (step !== null) return (await store.spendTotpStep(user, step)) ? 'right' : 'wrong'
    const recovery = normalRecoveryCode(code)
    if (recovery === null) return 'wrong'
    return (await store.spendRecoveryCode(user, await secretHash(recovery))) ? 'right' : 'wrong'
  },
  async remove(user, by) {
    const stood = (await store.secondFactor(user))?.confirmed === true
    await store.deleteSecondFactor(user)
    if (!stood) return
    const message = by === 'self' ? 'security.second_factor_off' : 'security.second_factor_taken'
    await notify.tell(user, message, { at: timestamp(clock.nowMs()) })
  },
})
