import {
  certificateAge,
  isRenewalLate,
  renewsItself,
} from '../../../domain/certificates/certificate-status.ts'
import type { CertificateRow } from '../../../ports/store/records.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** Whoever has to act, and perhaps to buy one, needs some days. */
const URGENT_DAYS = 7

type Dated = Pick<CertificateRow, 'domain' | 'expires_at' | 'source' | 'last_error'> &
  Partial<Pick<CertificateRow, 'renewal' | 'challenge'>>

const reasonOf = ({ last_error }: Dated): string =>
  last_error === null ? '' : `; the last try: ${last_error.replace(/\.$/, '')}`

/** Certificates that have run out, or will before somebody notices. */
export const judgeCertificates = (
  certificates: readonly Dated[],
  nowMs: number,
): MachineDiagnosis[] =>
  certificates.flatMap((certificate): MachineDiagnosis[] => {
    const { domain, expires_at, source } = certificate
    const { days_remaining, status } = certificateAge(certificate, nowMs)
    const isAcme = renewsItself(certificate)
    const isByHand = source === 'acme' && !isAcme
    const fix = isAcme
      ? `See that the name leads to this machine and port 80 is reachable, then: berth ssl renew ${domain}`
      : isByHand
        ? `Order a new one and set the records that are told: berth ssl-orders begin ${domain}`
        : `Get a new one and upload it: berth ssl upload ${domain}`
    if (status === 'expired')
      return [
        {
          kind: 'certificate',
          subject: domain,
          what: `has a certificate that ran out at ${expires_at}${reasonOf(certificate)}`,
          why: 'Browsers keep visitors out.',
          fix,
        },
      ]
    const isLate = isAcme ? isRenewalLate(certificate, nowMs) : status !== 'valid'
    if (!isLate) return []
    return [
      {
        kind: 'certificate',
        level: days_remaining < URGENT_DAYS ? 'fault' : 'warning',
        subject: domain,
        what: `has a certificate that runs out in ${days_remaining} days and ${isAcme ? 'is overdue for renewal' : `${isByHand ? 'is proved by hand' : 'was uploaded'}, so that it is not renewed by itself`}${reasonOf(certificate)}`,
        why: `From ${expires_at} on browsers keep visitors out.`,
        fix,
      },
    ]
  })
