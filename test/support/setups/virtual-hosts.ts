import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

/** A site as the panel has the agent write it: static, with nothing but its name, but for `change`. */
export const siteSpec = (
  domain: string,
  username: string,
  change: Partial<VirtualHostSpec> = {},
): VirtualHostSpec => ({
  domain,
  aliases: [],
  username,
  root: `/home/${username}/public_html`,
  suspended: false,
  overBandwidth: false,
  php: null,
  ssl: null,
  redirectHttps: false,
  cache: { enable: true, ttl: null, exclude: [] },
  ...change,
})

/** What a virtual host is when its section names a domain and a root and no more, but for `change`. */
export const virtualHost = (
  domain: string,
  change: Partial<VirtualHostConfig> = {},
): VirtualHostConfig => ({
  domain,
  aliases: [],
  root: '/nonexistent',
  index: ['index.php', 'index.html', 'index.htm'],
  username: null,
  uid: null,
  home: null,
  suspended: false,
  over_bandwidth: false,
  redirect_https: false,
  hsts_max_age_secs: 0,
  ssl_certificate: null,
  ssl_certificate_key: null,
  error_pages: {},
  headers: {},
  rewrites: [],
  htaccess: false,
  htaccess_unknown: 'ignore',
  php: { enable: true, version: null, mode: 'fpm', socket: null },
  proxy: null,
  cache: DEFAULT_CACHE_RULE,
  ...change,
})
