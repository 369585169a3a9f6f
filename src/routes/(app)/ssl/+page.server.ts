import type { Certificate, DnsAccess, Domain, PanelName, WaitingOrder } from '$lib/api/types'
import { CERTIFICATE_LIST } from '$lib/components/certificates/certificate-list'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

/** Sites that the form offers; those without a certificate come first, others are typed. */
const OFFERED = 500

export const load: PageServerLoad = async (event) => {
  event.depends('berth:certificates')
  const { me } = await event.parent()
  const isAdmin = me.role === 'admin'
  const [certificates, domains, orders, panel, zones] = await Promise.all([
    readList<Certificate>(event, CERTIFICATE_LIST, '/api/ssl/certificates'),
    readApi<Domain[]>(event, `/api/domains?sort=ssl_status&order=desc&per_page=${OFFERED}`),
    readApi<WaitingOrder[]>(event, '/api/ssl/orders'),
    isAdmin ? readApi<PanelName>(event, '/api/ssl/panel') : null,
    isAdmin ? readApi<DnsAccess[]>(event, '/api/dns-access/panel') : null,
  ])
  return {
    certificates,
    domains: domains.ok ? domains.data : [],
    orders: orders.ok ? orders.data : [],
    panel: panel?.ok === true ? panel.data : null,
    zones,
  }
}
