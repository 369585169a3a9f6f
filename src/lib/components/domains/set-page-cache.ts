import { callApi } from '$lib/api/call-api'
import type { Domain } from '$lib/api/types'
import { bulkRuns } from '$lib/state/live/bulk-runs.svelte'
import { texts } from '$lib/texts'

/** Switches the page cache of several sites, one after the other. */
export const setPageCache = (domains: readonly Domain[], on: boolean): void => {
  const t = texts.lists.domains
  bulkRuns.start(
    on ? t.cacheOn(domains.length) : t.cacheOff(domains.length),
    domains.map(({ id, domain_name }) => ({
      key: String(id),
      label: domain_name,
      run: () => callApi('PATCH', `/api/domains/${id}`, { cache_enabled: on }),
    })),
    ['berth:domains'],
  )
}
