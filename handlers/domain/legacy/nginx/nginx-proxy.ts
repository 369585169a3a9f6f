import { BACKEND_SCHEME } from '../../config/proxy/backends.ts'
import { parseProxyUpstream } from '../../upstreams/proxy-upstream.ts'
import { backendName } from '../backend-name.ts'
import { fateOfRequestHeader } from '../fate-of-request-header.ts'
import { changedBalancing, upstreamsOfMembers, type Member } from '../proxy-members.ts'
import { NOT_LED_BACK, replacedPrefix } from '../replaced-prefix.ts'
import type { Report } from '../report.ts'
import { escapePattern } from '../rule-lines.ts'
import type { LegacyProxy, LegacyRewrite, LegacySite } from '../types.ts'
import type { Location } from './nginx-locations.ts'
import { convertRedirects, type PassedOn } from './nginx-redirects.ts'
import { upstreamOf, type Upstreams } from './nginx-php.ts'
import { nearest, nearestAll, own, type Scope } from './nginx-scope.ts'
import { nginxTemplate, type NginxNames } from './values/nginx-variables.ts'

/** What the conversion of the applications of one server shares. */
export interface ProxyDeps {
  site: LegacySite
  upstreams: Upstreams
  report: Report
  names: NginxNames
  byRules: boolean
  /** Of the server, in lower case. */
  serverNames: readonly string[]
}

/** Where something is passed on to. */
interface Origin {
  /** As `upstream` of `[virtualhost.proxy]`. */
  origin: string
  path: string
  members: readonly Member[]
  several: Pick<LegacyProxy, 'upstreams'>
}

const originOf = (target: string, upstreams: Upstreams): Origin | null => {
  const unix = /^https?:\/\/unix:([^:]+)(?::(\/.*)?)?$/.exec(target)
  if (unix) return { origin: `unix:${unix[1]}`, path: unix[2] ?? '', members: [], several: {} }
  const url = /^(https?:)\/\/([^/$]+)(\/[^$]*)?$/.exec(target)
  if (!url) return null
  const [, scheme = '', name = '', path = ''] = url
  const { address, members } = upstreamOf(name, upstreams)
  const origin = (of: string): string => (of.startsWith('unix:') ? of : `${scheme}//${of}`)
  return {
    origin: origin(address),
    path,
    members,
    several: upstreamsOfMembers(members, origin),
  }
}

/** Lines for what the application gets besides. */
const requestHeaderLines = (
  scope: Scope,
  proxy: LegacyProxy,
  { report, names }: Pick<ProxyDeps, 'report' | 'names'>,
): string[] => {
  proxy.preserveHost = false
  const lines: string[] = []
  for (const directive of nearestAll(scope, 'proxy_set_header')) {
    const [name = '', value = ''] = directive.args
    const lower = name.toLowerCase()
    if (lower === 'host') proxy.preserveHost = /^\$(?:http_host|host|server_name)\b/.test(value)
    if (lower === 'upgrade') proxy.websocket = true
    if (lower === 'host' && (proxy.preserveHost || value.startsWith('$proxy_host'))) continue
    const fate = fateOfRequestHeader(name, value)
    if (fate !== null) {
      if (fate !== 'told') report[fate.kind](directive, fate.reason)
      continue
    }
    const filled = value.includes('$') ? nginxTemplate(value, names) : value
    if (filled === null || /["\r\n]/.test(value) || value.includes('\\'))
      report.lost(directive, 'Its value cannot be written here.')
    else if (filled !== value) lines.push(`RequestHeader set ${name} "expr=${filled}"`)
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

/**
 * What passes on where rules do it: the application by its name, and the path that it gets. Where the
 * application replaces the location's path itself, rules only have what goes on without a slash.
 */
const passingRules = (
  { text }: Location,
  path: string,
  backend: string,
  { replacePrefix: replaced }: Pick<LegacyProxy, 'replacePrefix'>,
): LegacyRewrite[] => {
  const target = `${BACKEND_SCHEME}${backend}`
  const whole: LegacyRewrite = { pattern: '^', target, flags: 'P', conditions: [] }
  const isReplaced = replaced !== undefined
  const isOne = isReplaced && (replaced.plain === true || text.endsWith('/'))
  if (path === '' || isOne) return [whole]
  const start = `%{REQUEST_URI} "^${escapePattern(text).replaceAll('"', '\\"')}`
  const moved = { ...whole, target: `${target}${path}%1`, conditions: [`${start}(.*)$"`] }
  return isReplaced ? [{ ...whole, conditions: [`${start}(?:/.*)?$"`] }, moved] : [moved]
}

/** How an application has what a location passes on, where it has it elsewhere. */
const replacedBy = ({ kind, text }: Location, path: string) =>
  path === '' || kind === 'pattern' || kind === 'named'
    ? {}
    : replacedPrefix(text, path, { plain: true })

/** Whether the applications of a server are more than paths of one: rules choose them then. */
export const isPassedByRules = (locations: readonly Location[], upstreams: Upstreams): boolean => {
  const passing = locations.filter(({ scope }) => own(scope, 'proxy_pass').length > 0)
  const targets = passing.map(({ scope, kind, text }) => {
    const to = originOf(own(scope, 'proxy_pass').at(-1)?.args[0] ?? '', upstreams)
    return { to, kind, text }
  })
  if (new Set(targets.map(({ to }) => JSON.stringify([to?.origin, to?.several]))).size > 1)
    return true
  if (targets.some(({ kind }) => kind === 'pattern' || kind === 'named')) return true
  const isMoved = ({ to, text }: (typeof targets)[number]): boolean =>
    to !== null && to.path !== '' && to.path !== text
  // One alone says of itself how its path is replaced; what goes on without a slash is no path of its own.
  const [only] = passing
  const alone = passing.length === 1 && only !== undefined && only.text.endsWith('/')
  const saysItself = alone && Object.keys(replacedBy(only, targets[0]?.to?.path ?? '')).length > 0
  if (!saysItself && targets.some(isMoved)) return true
  const isFiles = ({ scope, kind }: Location): boolean =>
    kind === 'pattern' && own(scope, 'proxy_pass', 'return').length === 0
  return passing.length > 0 && locations.some(isFiles)
}

/** What passes on what a location answers: lines of settings, and rules behind its others. */
export interface Passing {
  lines: string[]
  rules: LegacyRewrite[]
}

/**
 * `proxy_pass` of a location; `byRules`: as a rule, and not by paths of `[virtualhost.proxy]`.
 * Null: the location passes nothing on; lost: it did.
 */
export const convertNginxProxy = (
  location: Location,
  scope: Scope,
  deps: ProxyDeps,
): Passing | 'lost' | null => {
  const { site, upstreams, report, byRules } = deps
  const pass = own(scope, 'proxy_pass').at(-1)
  if (!pass) return null
  const to = originOf(pass.args[0] ?? '', upstreams)
  const wrong = to === null ? 'it holds a variable' : parseProxyUpstream(to.origin)
  if (to === null || typeof wrong === 'string') {
    report.lost(pass, `It leads where nothing can be passed on to: ${String(wrong)}.`)
    return 'lost'
  }
  const changed = changedBalancing(to.members, to.several)
  if (changed !== null) report.changed(pass, changed)
  const target = pass.args[0] ?? ''
  const passed: PassedOn = {
    address: /^https?:\/\/[^/]+/.exec(target)?.[0] ?? target,
    here: location.kind === 'pattern' || location.kind === 'named' ? null : location.text,
    there: to.path,
    names: deps.serverNames,
  }
  const application = (): LegacyProxy => ({
    upstream: to.origin,
    ...to.several,
    paths: [],
    except: [],
    preserveHost: false,
    websocket: false,
    verifyTls: nearest(scope, 'proxy_ssl_verify')?.args[0] === 'on',
    timeoutSecs: secsOf(nearest(scope, 'proxy_read_timeout')?.args[0]),
  })
  if (byRules) {
    const path = to.path === location.text ? '' : to.path
    const replaced = replacedBy(location, path)
    if (path !== '' && replaced.replacePrefix === undefined) report.changed(pass, NOT_LED_BACK)
    const proxy: LegacyProxy = { ...application(), ...replaced }
    const lines = [
      ...requestHeaderLines(scope, proxy, deps),
      ...convertRedirects(scope, passed, report),
    ]
    const named = /^https?:\/\/([^/:]+)/.exec(pass.args[0] ?? '')?.[1] ?? ''
    const backend = backendName(proxy, named, site)
    return { lines, rules: passingRules(location, path, backend, replaced) }
  }
  const proxy = (site.proxy ??= { ...application(), ...replacedBy(location, to.path) })
  if (location.text === '/' && location.kind !== 'exact') proxy.paths = null
  else if (location.kind === 'named') proxy.paths = null
  else proxy.paths?.push(location.text)
  const lines = [
    ...requestHeaderLines(scope, proxy, deps),
    ...convertRedirects(scope, passed, report),
  ]
  return { lines, rules: [] }
}
