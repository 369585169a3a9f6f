import type { Domain, LogLines, LogSource } from '$lib/api/types'
import { hostOf } from '$lib/server/host-of'
import { readApi } from '$lib/server/read-api'
import { logApiQuery, readLogAddress } from '$lib/state/log-address'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:logs')
  const address = readLogAddress(event.url.searchParams)
  const query = logApiQuery(address)
  const [sources, domains, lines] = await Promise.all([
    readApi<LogSource[]>(event, `/api/logs${hostOf(event).query}`),
    readApi<Domain[]>(event, '/api/domains'),
    readApi<LogLines>(event, `/api/logs/${encodeURIComponent(address.source)}?${query}`),
  ])
  return { address, sources, domains, lines }
}
