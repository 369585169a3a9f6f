import type { SiteSettings } from '../../ports/store/records.ts'

/** Settings of a site for which nobody has chosen any. */
export const newSiteSettings = (): SiteSettings => ({
  redirect_https: false,
  hsts: false,
  php_version: null,
  cache_enabled: true,
  cache_ttl: null,
  cache_exclude: [],
  cache_bypass_cookies: null,
  cache_ignore_params: null,
  cache_mobile_variant: null,
  cache_harmless_cookies: [],
  cache_session_cookies: [],
  cache_application: null,
  cache_fills: 'auto',
})
