import type { Certificate, Domain } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:certificates')
  const [certificates, domains] = await Promise.all([
    readApi<Certificate[]>(event, '/api/ssl/certificates'),
    readApi<Domain[]>(event, '/api/domains'),
  ])
  return { certificates, domains: domains.ok ? domains.data : [] }
}
