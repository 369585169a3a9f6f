import { error } from '@sveltejs/kit'
import type { Domain, SiteFigures } from '$lib/api/types'
import { daysOf, spanOf } from '$lib/components/figures/spans'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:figures')
  const id = encodeURIComponent(event.params.id)
  const span = spanOf(event.url.searchParams.get('days'))
  const { from, to } = daysOf(span, Date.now())
  const [domain, figures] = await Promise.all([
    readApi<Domain>(event, `/api/domains/${id}`),
    readApi<SiteFigures>(event, `/api/domains/${id}/figures?from=${from}&to=${to}`),
  ])
  if (!domain.ok) error(domain.status === 400 ? 404 : domain.status, domain.error)
  return { domain: domain.data, figures, span, from, to }
}
