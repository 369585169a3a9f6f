import type { CacheOverview } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:cache')
  return { cache: await readApi<CacheOverview>(event, '/api/cache') }
}
