import type { CacheRule } from '../../../../edge-cache/config.ts'
import type { VirtualHostConfig } from '../config-types.ts'
import type { FrontSite } from '../../../ports/host/web/front-sites.ts'
import { list, quote, siteCacheLines } from '../../domains/vhost-config.ts'

/** Longer than the host itself lets a request take, so that its own answer reaches the visitor. */
const ANSWER_SECS = 900

/** Where the host of the sites is asked. */
export interface FrontOrigin {
  /** `address:port` of its `front_listen`. */
  address: string
  /** What it is called at the web channel. */
  channel: string
}

const cacheLines = (rule: CacheRule): string[] => [
  `enable = ${rule.enable}`,
  `mode = ${quote(rule.mode)}`,
  `fills = ${quote(rule.fills)}`,
  ...(rule.ttl === null ? [] : [`ttl = ${rule.ttl}`]),
  `exclude = ${list(rule.exclude)}`,
  ...(rule.bypass_cookies === null ? [] : [`bypass_cookies = ${list(rule.bypass_cookies)}`]),
  `harmless_cookies = ${list(rule.harmless_cookies)}`,
  `session_cookies = ${list(rule.session_cookies)}`,
  // A front has no document root that it could be recognised by.
  `application = ${quote(rule.application ?? 'none')}`,
  ...(rule.ignore_query_params === null
    ? []
    : [`ignore_query_params = ${list(rule.ignore_query_params)}`]),
  ...(rule.mobile_variant === null ? [] : [`mobile_variant = ${rule.mobile_variant}`]),
  `content_types = ${list(rule.content_types)}`,
]

/** What a site is at a front, whoever says so. */
interface FrontLines {
  site: Pick<FrontSite, 'domain' | 'aliases' | 'suspended' | 'overBandwidth' | 'redirectHttps'>
  defaultHost: boolean
  ssl: { certificate: string; key: string } | null
  origin: FrontOrigin
  cache: string[]
}

const frontLines = ({ site, defaultHost, ssl, origin, cache }: FrontLines): string => {
  const lines = [
    '[[virtualhost]]',
    `domain = ${quote(site.domain)}`,
    `aliases = ${list(site.aliases)}`,
    ...(site.suspended ? ['suspended = true'] : []),
    ...(site.overBandwidth ? ['over_bandwidth = true'] : []),
    ...(defaultHost ? ['default_host = true'] : []),
    ...(ssl === null
      ? []
      : [`ssl_certificate = ${quote(ssl.certificate)}`, `ssl_certificate_key = ${quote(ssl.key)}`]),
    ...(site.redirectHttps ? ['redirect_https = true'] : []),
    '',
    '[virtualhost.proxy]',
    `upstream = ${quote(`https://${origin.address}`)}`,
    `channel = ${quote(origin.channel)}`,
    `timeout_secs = ${ANSWER_SECS}`,
    '',
    '[virtualhost.cache]',
    ...cache,
  ]
  return `${lines.join('\n')}\n`
}

/**
 * A site of a host's configuration as a front has it, as TOML: names, certificate, redirects to https,
 * suspension and the rules of its page cache are those at the host; what answers is the host.
 */
export const renderFrontHost = (host: VirtualHostConfig, origin: FrontOrigin): string => {
  const { ssl_certificate: certificate, ssl_certificate_key: key } = host
  return frontLines({
    site: { ...host, overBandwidth: host.over_bandwidth, redirectHttps: host.redirect_https },
    defaultHost: host.default_host === true,
    ssl: certificate === null || key === null ? null : { certificate, key },
    origin,
    cache: cacheLines(host.cache),
  })
}

/** The generated configuration file of a site at a front. */
export const renderFrontSite = (
  site: FrontSite,
  ssl: { certificate: string; key: string } | null,
): string =>
  `# Generated. Changes made here are overwritten; use the panel instead.\n${frontLines({
    site,
    defaultHost: site.defaultHost === true,
    ssl,
    origin: site.origin,
    // A front has no document root that an application could be recognised by.
    cache: siteCacheLines({ ...site.cache, application: site.cache.application ?? 'none' }),
  })}`
