import type { Account, AuditEntry, SystemInfo, WebServerStatus } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { parseRange, RANGE_COOKIE } from '$lib/state/live/chart-range'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:system')
  const { me } = await event.parent()
  if (me.role !== 'admin') {
    return { own: await readApi<Account>(event, `/api/accounts/${me.account_id ?? 0}`), host: null }
  }
  const [info, webServer, activity] = await Promise.all([
    readApi<SystemInfo>(event, '/api/system/info'),
    readApi<WebServerStatus>(event, '/api/veloserve/status'),
    readApi<AuditEntry[]>(event, '/api/audit?page=1&per_page=5'),
  ])
  const range = parseRange(event.cookies.get(RANGE_COOKIE), '1h')
  return { own: null, host: { info, webServer, activity, range } }
}
