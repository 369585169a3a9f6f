import { certificateAge } from '../../../domain/certificates/certificate-status.ts'
import type { CertificateRow } from '../../../ports/store/records.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** Renewals begin thirty days before the end and are tried daily: with so few left, several failed. */
const LATE_DAYS = 26
/** Whoever has to act, and perhaps to buy one, needs some days. */
const URGENT_DAYS = 7

type Dated = Pick<CertificateRow, 'domain' | 'expires_at' | 'source' | 'last_error'>

const reasonOf = ({ last_error }: Dated): string =>
  last_error === null ? '' : `; the last try: ${last_error.replace(/\.$/, '')}`

/** Certificates that have run out, or will before somebody notices. */
export const judgeCertificates = (
  certificates: readonly Dated[],
  nowMs: number,
): MachineDiagnosis[] =>
  certificates.flatMap((certificate): MachineDiagnosis[] => {
    const { domain, expires_at, source } = certificate
    const { days_remaining, status, renewal_due } = certificateAge(certificate, nowMs)
    const isAcme = source === 'acme'
    const fix = isAcme
      ? `See that the name leads to this machine and port 80 is reachable, then: berth ssl renew ${domain}`
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
    const isLate = isAcme ? renewal_due && days_remaining <= LATE_DAYS : status !== 'valid'
    if (!isLate) return []
    return [
      {
        kind: 'certificate',
        level: days_remaining < URGENT_DAYS ? 'fault' : 'warning',
        subject: domain,
        what: `has a certificate that runs out in ${days_remaining} days and ${isAcme ? 'is overdue for renewal' : 'was uploaded, so that it is not renewed by itself'}${reasonOf(certificate)}`,
        why: `From ${expires_at} on browsers keep visitors out.`,
        fix,
      },
    ]
  })
