import type { RecoveryState, SystemInfo, WebServerStatus } from '$lib/api/types'
import { requireAdmin } from '$lib/server/require-admin'
import { readApi } from '$lib/server/read-api'
import { parseRange, RANGE_COOKIE } from '$lib/state/live/chart-range'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:system')
  await requireAdmin(event)
  const [info, webServer, recovery] = await Promise.all([
    readApi<SystemInfo>(event, '/api/system/info'),
    readApi<WebServerStatus>(event, '/api/veloserve/status'),
    readApi<RecoveryState | null>(event, '/api/system/recovery'),
  ])
  return { info, webServer, recovery, range: parseRange(event.cookies.get(RANGE_COOKIE), '24h') }
}
