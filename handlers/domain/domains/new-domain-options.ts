/** Options of a domain for which nobody has chosen any; new arrays each time. */
export const newDomainOptions = () => ({
  redirect_https: false,
  hsts: false,
  default_host: false,
  php_version: null,
  cache_enabled: true,
  cache_ttl: null,
  cache_exclude: [] as string[],
  cache_bypass_cookies: null,
  cache_ignore_params: null,
  cache_mobile_variant: null,
  cache_harmless_cookies: [] as string[],
  cache_session_cookies: [] as string[],
  cache_application: null,
  cache_fills: 'auto' as const,
})
