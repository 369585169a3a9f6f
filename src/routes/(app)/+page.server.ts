import type {
  Account,
  AccountActivity,
  AccountFigures,
  AuditEntry,
  BackupState,
  CacheOverview,
  Domain,
  ListedCronJob,
  Reseller,
  Stats,
  SystemInfo,
  WebServerStatus,
} from '$lib/api/types'
import { hostOf } from '$lib/server/host-of'
import { readApi } from '$lib/server/read-api'
import { readGlance } from '$lib/server/read-glance'
import { parseRange, RANGE_COOKIE } from '$lib/state/live/chart-range'
import type { PageServerLoad } from './$types'

/** Of an account's domains all are looked at: what needs attention may be at any. */
const SITES = 500
/** Changes that the dashboard of an account shows. */
const ENTRIES = 6

export const load: PageServerLoad = async (event) => {
  event.depends('berth:system')
  const { me } = await event.parent()
  if (me.role === 'reseller') {
    const [known, backups, activity] = await Promise.all([
      readApi<Reseller>(event, '/api/resellers/me'),
      readApi<BackupState>(event, '/api/backups/state'),
      readApi<AuditEntry[]>(event, `/api/audit?page=1&per_page=${ENTRIES}`),
    ])
    return { own: null, facts: null, host: null, reseller: { known, backups, activity } }
  }
  if (me.role !== 'admin') {
    const id = me.account_id ?? 0
    const [own, domains, cache, figures, backups, jobs, activity] = await Promise.all([
      readApi<Account>(event, `/api/accounts/${id}`),
      readGlance<Domain>(event, `/api/domains/account/${id}?sort=domain_name&per_page=${SITES}`),
      readApi<CacheOverview>(event, '/api/cache'),
      readApi<AccountFigures>(event, `/api/accounts/${id}/figures`),
      readApi<BackupState>(event, '/api/backups/state'),
      readApi<ListedCronJob[]>(event, `/api/cron/${id}`),
      readApi<AccountActivity[]>(event, `/api/accounts/${id}/activity?per_page=${ENTRIES}`),
    ])
    const facts = { domains, cache, figures, backups, jobs, activity }
    return { own, facts, host: null, reseller: null }
  }
  const { host, query } = hostOf(event)
  const [info, webServer, own, activity] = await Promise.all([
    readApi<SystemInfo>(event, `/api/system/info${query}`),
    readApi<WebServerStatus>(event, `/api/veloserve/status${query}`),
    host === null ? null : readApi<Stats>(event, `/api/system/stats${query}`),
    readApi<AuditEntry[]>(event, '/api/audit?page=1&per_page=5'),
  ])
  const range = parseRange(event.cookies.get(RANGE_COOKIE), '1h')
  return {
    own: null,
    facts: null,
    host: { info, webServer, activity, range, machine: host, own },
    reseller: null,
  }
}
