import { error } from '@sveltejs/kit'
import type { Domain } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  const id = encodeURIComponent(event.params.id)
  const domain = await readApi<Domain>(event, `/api/domains/${id}`)
  if (!domain.ok) error(domain.status === 400 ? 404 : domain.status, domain.error)
  return { domain: domain.data }
}
