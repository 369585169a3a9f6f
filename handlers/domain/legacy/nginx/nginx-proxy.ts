import { parseProxyUpstream } from '../../config/proxy/proxy-upstream.ts'
import type { Report } from '../report.ts'
import type { LegacyProxy, LegacySite } from '../types.ts'
import type { Location } from './nginx-locations.ts'
import { FORWARDED_NAMES } from './nginx-names.ts'
import { upstreamOf, type Upstreams } from './nginx-php.ts'
import { nearest, nearestAll, own, type Scope } from './nginx-scope.ts'

const originOf = (
  target: string,
  upstreams: Upstreams,
): { origin: string; path: string; count: number } | null => {
  const unix = /^https?:\/\/unix:([^:]+)(?::(\/.*)?)?$/.exec(target)
  if (unix) return { origin: `unix:${unix[1]}`, path: unix[2] ?? '', count: 1 }
  const url = /^(https?:)\/\/([^/$]+)(\/[^$]*)?$/.exec(target)
  if (!url) return null
  const [, scheme = '', name = '', path = ''] = url
  const { address, count } = upstreamOf(name, upstreams)
  const origin = address.startsWith('unix:') ? address : `${scheme}//${address}`
  return { origin, path, count }
}

/** Lines for what the application gets besides. */
const requestHeaderLines = (scope: Scope, proxy: LegacyProxy, report: Report): string[] => {
  proxy.preserveHost = false
  const lines: string[] = []
  for (const directive of nearestAll(scope, 'proxy_set_header')) {
    const [name = '', value = ''] = directive.args
    const lower = name.toLowerCase()
    if (lower === 'host') proxy.preserveHost = /^\$(?:http_host|host|server_name)\b/.test(value)
    if (lower === 'upgrade') proxy.websocket = true
    if (lower === 'host' || FORWARDED_NAMES.has(lower)) continue
    if (/\$|["\\\r\n]/.test(value)) report.lost(directive, 'Its value cannot be written here.')
    else
      lines.push(
        value === '' ? `RequestHeader unset ${name}` : `RequestHeader set ${name} "${value}"`,
      )
  }
  return lines
}

const secsOf = (text: string | undefined): number | null => {
  const found = /^(\d+)(ms|s|m|h|d)?$/.exec(text ?? '')
  if (!found) return null
  const factor = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }[found[2] ?? 's'] ?? 1
  return Math.min(86_400, Math.max(1, Math.ceil(Number(found[1]) * factor)))
}

/** `proxy_pass` of a location. Answers lines for what is passed on; null: the location passes nothing on; lost: it did. */
export const convertNginxProxy = (
  location: Location,
  scope: Scope,
  site: LegacySite,
  upstreams: Upstreams,
  report: Report,
): string[] | 'lost' | null => {
  const pass = own(scope, 'proxy_pass').at(-1)
  if (!pass) return null
  const to = originOf(pass.args[0] ?? '', upstreams)
  const wrong = to === null ? 'it holds a variable' : parseProxyUpstream(to.origin)
  if (to === null || typeof wrong === 'string') {
    report.lost(pass, `It leads where nothing can be passed on to: ${String(wrong)}.`)
    return 'lost'
  }
  if (location.kind === 'pattern') {
    report.lost(pass, 'Paths are passed on by their beginning, not by a pattern.')
    return 'lost'
  }
  if (to.path !== '' && to.path !== location.text) {
    report.lost(
      pass,
      'Berth passes a path on as it is. Let the application answer it under the same path.',
    )
    return 'lost'
  }
  if (to.count > 1) report.changed(pass, `Berth asks the first of its ${to.count} servers alone.`)
  const proxy: LegacyProxy = (site.proxy ??= {
    upstream: to.origin,
    paths: [],
    except: [],
    preserveHost: false,
    websocket: false,
    verifyTls: nearest(scope, 'proxy_ssl_verify')?.args[0] === 'on',
    timeoutSecs: secsOf(nearest(scope, 'proxy_read_timeout')?.args[0]),
  })
  if (proxy.upstream !== to.origin) {
    report.lost(pass, `A site has one application, and it is ${proxy.upstream}.`)
    return 'lost'
  }
  if (location.text === '/' && location.kind !== 'exact') proxy.paths = null
  else if (location.kind === 'named') proxy.paths = null
  else proxy.paths?.push(location.text)
  return requestHeaderLines(scope, proxy, report)
}
