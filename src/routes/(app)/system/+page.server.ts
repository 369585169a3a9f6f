import type { RecoveryState, SystemInfo, WebServerStatus } from '$lib/api/types'
import { requireAdmin } from '$lib/server/require-admin'
import { hostOf } from '$lib/server/host-of'
import { readApi } from '$lib/server/read-api'
import { parseRange, RANGE_COOKIE } from '$lib/state/live/chart-range'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:system')
  await requireAdmin(event)
  const { host, query } = hostOf(event)
  const [info, webServer, recovery] = await Promise.all([
    readApi<SystemInfo>(event, `/api/system/info${query}`),
    readApi<WebServerStatus>(event, `/api/veloserve/status${query}`),
    readApi<RecoveryState | null>(event, '/api/system/recovery'),
  ])
  const range = parseRange(event.cookies.get(RANGE_COOKIE), '24h')
  return { info, webServer, recovery, host, range }
}
