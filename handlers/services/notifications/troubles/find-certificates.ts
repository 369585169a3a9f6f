import {
  certificateAge,
  isRenewalLate,
  renewsItself,
} from '../../../domain/certificates/certificate-status.ts'
import { timestamp } from '../../../domain/text/timestamp.ts'
import type { AccountRow, CertificateRow } from '../../../ports/store/records.ts'
import { CERTIFICATE_INSTALL } from '../../certificates/certificates.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

const SCOPE = 'certificate:'
/**
 * Renewals begin thirty days before the end and are tried daily: with so few days left ten failed.
 * What still stands is told again when a few are left.
 */
const TOLD_AT = [
  [3, 'certificate.expiring_3'],
  [10, 'certificate.expiring_10'],
  [20, 'certificate.expiring'],
] as const
/** What nobody minded for so long is in the log. */
const FAILED_DAYS = 14

const messageOf = (row: CertificateRow, nowMs: number): Trouble['message'] | null => {
  const { status, days_remaining } = certificateAge(row, nowMs)
  if (status === 'expired') return 'certificate.expired'
  const due = renewsItself(row) ? isRenewalLate(row, nowMs) : status !== 'valid'
  const told = due ? TOLD_AT.find(([days]) => days_remaining <= days) : undefined
  if (told) return told[1]
  // Nobody renews what was uploaded: its owner has the whole time.
  if (due && row.source !== 'acme') return 'certificate.expiring'
  return row.last_error === null ? null : 'certificate.failed'
}

/** Certificates that ran out, are about to, or could not be had. */
export const findCertificates = async (
  { store, clock }: Pick<ServiceDeps, 'store' | 'clock'>,
  accounts: readonly AccountRow[],
): Promise<Found> => {
  const nowMs = clock.nowMs()
  const active = new Map(
    accounts.filter(({ status }) => status === 'active').map(({ id, username }) => [username, id]),
  )
  const ids = new Set(active.values())
  const { rows } = await store.listCertificates()
  const known = new Set(rows.map(({ domain }) => domain))
  const standing = rows.flatMap((row): Trouble[] => {
    const { domain, account_id: accountId, expires_at, last_error } = row
    const message = messageOf(row, nowMs)
    if (message === null || (accountId !== null && !ids.has(accountId))) return []
    const known = { domain, expires_at }
    const data: Trouble['data'] = {
      ...known,
      ...(last_error === null ? {} : { error: last_error }),
      ...(row.challenge === 'by-hand' ? { by_hand: 1 } : {}),
    }
    return [{ key: `${SCOPE}${domain}`, message, data, accountId, to: 'everybody' }]
  })

  const since = timestamp(nowMs - FAILED_DAYS * 86_400_000)
  const undone = await store.endedOperations('undone', [CERTIFICATE_INSTALL], since)
  const wanted = new Set(
    undone.flatMap(({ data: { domain } }) =>
      typeof domain === 'string' && !known.has(domain) ? [domain] : [],
    ),
  )
  const missing: Trouble[] = []
  for (const domain of wanted) {
    const site = await store.domainByName(domain)
    if (site === null || !ids.has(site.account_id)) continue
    const accountId = site.account_id
    const key = `${SCOPE}${domain}`
    missing.push({
      key,
      message: 'certificate.failed',
      data: { domain },
      accountId,
      to: 'everybody',
    })
  }
  return { scopes: [SCOPE], troubles: [...standing, ...missing] }
}
