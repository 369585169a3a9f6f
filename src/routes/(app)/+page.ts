import { loadParts } from '$lib/texts/load-texts'
import type { PageLoad } from './$types'

/** Fetches the dashboard of whoever looks, and none of the others. */
export const load: PageLoad = async ({ data }) => {
  const [Own, Reseller, Host] = await Promise.all([
    data.own ? import('$lib/components/dashboard/own/own-dashboard.svelte') : null,
    data.reseller ? import('$lib/components/dashboard/reseller-dashboard.svelte') : null,
    data.host ? import('$lib/components/dashboard/host-dashboard.svelte') : null,
    data.host ? undefined : loadParts(['sites']),
  ])
  return {
    ...data,
    Own: Own?.default ?? null,
    Reseller: Reseller?.default ?? null,
    Host: Host?.default ?? null,
  }
}
