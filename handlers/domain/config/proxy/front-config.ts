import type { CacheRule } from '../../../../edge-cache/config.ts'
import type { VirtualHostConfig } from '../config-types.ts'
import { list, quote } from '../../domains/vhost-config.ts'

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

/**
 * A site as a front has it, as TOML: names, certificate, redirects to https, suspension and the rules of
 * its page cache are those at the host; what answers is the host.
 */
export const renderFrontHost = (
  host: VirtualHostConfig,
  { address, channel }: FrontOrigin,
): string => {
  const { ssl_certificate: certificate, ssl_certificate_key: key } = host
  const lines = [
    '[[virtualhost]]',
    `domain = ${quote(host.domain)}`,
    `aliases = ${list(host.aliases)}`,
    ...(host.suspended ? ['suspended = true'] : []),
    ...(host.over_bandwidth ? ['over_bandwidth = true'] : []),
    ...(host.default_host ? ['default_host = true'] : []),
    ...(certificate === null || key === null
      ? []
      : [`ssl_certificate = ${quote(certificate)}`, `ssl_certificate_key = ${quote(key)}`]),
    ...(host.redirect_https ? ['redirect_https = true'] : []),
    '',
    '[virtualhost.proxy]',
    `upstream = ${quote(`https://${address}`)}`,
    `channel = ${quote(channel)}`,
    `timeout_secs = ${ANSWER_SECS}`,
    '',
    '[virtualhost.cache]',
    ...cacheLines(host.cache),
  ]
  return `${lines.join('\n')}\n`
}
