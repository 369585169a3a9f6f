import type { ArchivedDomain } from '../../../ports/host/backups/archived-records.ts'

/** What an archived domain says of the page cache, as a change of a domain takes it. */
export const cacheOf = (settings: ArchivedDomain) => ({
  cache_enabled: settings.cache_enabled,
  cache_ttl: settings.cache_ttl,
  cache_exclude: settings.cache_exclude,
  cache_bypass_cookies: settings.cache_bypass_cookies,
  cache_ignore_params: settings.cache_ignore_params,
  cache_mobile_variant: settings.cache_mobile_variant,
  cache_harmless_cookies: settings.cache_harmless_cookies,
  cache_session_cookies: settings.cache_session_cookies,
  cache_application: settings.cache_application,
  cache_fills: settings.cache_fills,
})
