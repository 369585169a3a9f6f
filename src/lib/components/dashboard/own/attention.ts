import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { lackingBackups } from '../../backups/backup-state.ts'
import { percent } from '../../../format/size.ts'
import { timestampMs } from '../../../format/timestamp.ts'
import { usageTone } from '../../../format/usage-tone.ts'
import type { AppPath } from '../../../state/app-path.ts'
import { texts } from '../../../texts/index.ts'
import type { OwnFacts } from './own-facts.ts'

/** Something the owner should do, with the way to it. */
export interface Attention {
  key: string
  /** bad: something does not work, or data is at risk. */
  tone: 'warn' | 'bad'
  text: string
  /** Where it is mended; null: nothing of the account's can. */
  link: { label: string; href: AppPath } | null
}

const SOON_DAYS = 14
const DAY_MS = 86_400_000

/** Whether a certificate ended or ends soon, in whole days; null while there is time. */
const daysLeft = (expiresAt: string | null, nowMs: number): number | null => {
  if (expiresAt === null) return null
  const days = Math.floor((timestampMs(expiresAt) - nowMs) / DAY_MS)
  return days <= SOON_DAYS ? days : null
}

/** What needs the owner's attention, what does not work first. */
export const attentionOf = (facts: OwnFacts, nowMs: number): Attention[] => {
  const t = texts.own.attention
  const { account } = facts
  const found: Attention[] = []

  const quota = (key: 'disk' | 'traffic', used: number, total: number): void => {
    const share = percent(used, total)
    const tone = usageTone(share)
    if (tone === 'accent') return
    const link = key === 'disk' ? { label: t.files, href: '/files' as const } : null
    found.push({ key, tone, text: t[key](share), link })
  }
  quota('disk', account.disk_used_mb, account.disk_quota_mb)
  quota('traffic', account.bandwidth_used_mb, account.bandwidth_quota_mb)

  if (facts.cache.ok && !facts.cache.data.running)
    found.push({ key: 'server', tone: 'bad', text: t.stopped, link: null })

  const ssl = { label: t.certificates, href: '/ssl' as const }
  const sites = facts.domains.result.ok
    ? facts.domains.result.data.filter(({ domain_type }) => domain_type !== 'alias')
    : []
  for (const { domain_name: name, ssl_expires_at: expiresAt } of sites) {
    const days = daysLeft(expiresAt, nowMs)
    if (days === null) continue
    const text = days < 0 ? t.expired(name) : t.expires(name, days)
    found.push({ key: `certificate ${name}`, tone: days < 3 ? 'bad' : 'warn', text, link: ssl })
  }
  // No button makes one for a wildcard.
  const bare = sites.filter(
    ({ domain_name, ssl_status }) => ssl_status === 'none' && wildcardBase(domain_name) === null,
  )
  const [first] = bare
  if (first !== undefined)
    found.push({
      key: 'bare',
      tone: 'warn',
      text: bare.length === 1 ? t.bare(first.domain_name) : t.bareSites(bare.length),
      link: ssl,
    })

  for (const one of facts.backups.ok ? lackingBackups(facts.backups.data) : [])
    found.push({
      key: `backup ${one.account_id}`,
      tone: one.failed ? 'bad' : 'warn',
      text: one.text,
      link: { label: t.backups, href: '/backups' },
    })
  for (const { id, name, failures, enabled } of facts.jobs.ok ? facts.jobs.data : [])
    if (enabled && failures > 0)
      found.push({
        key: `cron ${id}`,
        tone: 'warn',
        text: t.cron(name, failures),
        link: { label: t.runs, href: '/cron' },
      })
  return found.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}
