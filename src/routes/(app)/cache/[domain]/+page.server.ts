import { error } from '@sveltejs/kit'
import type { SiteCacheDetails } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:cache')
  const { domain } = event.params
  const details = await readApi<SiteCacheDetails>(event, `/api/cache/${encodeURIComponent(domain)}`)
  if (!details.ok && details.status === 404) error(404, details.error)
  return { domain, details, nowMs: Date.now() }
}
