import type { Account, AuditEntry, SystemInfo, WebServerStatus } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
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
  return { own: null, host: { info, webServer, activity } }
}
