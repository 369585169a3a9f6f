import { applicationSocket } from '../applications/application-place.ts'
import type { SiteBackend, SiteFolder, SiteSettings } from '../../ports/host/site-settings.ts'
import type { ApplicationInstances, SiteApplication } from '../../ports/host/web-server.ts'

/** What a generated file is made of: the web server port's `VirtualHostSpec`, with uid and home from the host's own records. */
export interface RenderedVirtualHost {
  domain: string
  aliases: string[]
  username: string
  root: string
  suspended: boolean
  overBandwidth: boolean
  php: {
    version: string
    mode: 'cgi' | 'fpm' | 'lsapi'
    /** Its own settings; default: the server's. */
    pool?: { maxChildren: number | null; memoryLimit: string | null; ini: Record<string, string> }
  } | null
  ssl: { certificate: string; key: string } | null
  redirectHttps: boolean
  /** Default 0: none. */
  hstsMaxAgeSecs?: number
  /** Answers at names that no virtual host has; default: it does not. */
  defaultHost?: true
  cache: {
    enable: boolean
    ttl: number | null
    exclude: string[]
    /** What is absent follows the server. */
    bypassCookies?: string[]
    ignoreQueryParams?: string[]
    mobileVariant?: boolean
    fills?: 'visitor' | 'neutral'
    harmlessCookies?: string[]
    sessionCookies?: string[]
    application?: string
  }
  /** Application in place of files and PHP; default: none. */
  proxy?: { upstream: string; paths: string[] | null; websocket: boolean }
  /** The account's application in its place; default: none. */
  application?: SiteApplication
  /** What stands before its rules, files and scripts; default: nothing. */
  site?: SiteSettings
  instances?: Record<string, ApplicationInstances>
  uid: number
  home: string
}

/**
 * A TOML basic string. Everything a parser could take for more than text is
 * escaped: quotes, backslashes, control characters, and lone surrogates, which
 * no UTF-8 file can hold, become U+FFFD.
 */
export const quote = (value: string): string => {
  let text = '"'
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0
    if (character === '"' || character === '\\') text += `\\${character}`
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
      text += `\\u${code.toString(16).padStart(4, '0')}`
    else text += code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : character
  }
  return `${text}"`
}
/** A TOML array of basic strings. */
export const list = (values: readonly string[]): string => `[${values.map(quote).join(', ')}]`

/** A value on one line, tables in braces. */
const inline = (value: unknown): string => {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${quote(key)} = ${inline(one)}`)
      .join(', ')} }`
  if (Number.isSafeInteger(value)) return String(value)
  throw new TypeError('a generated file holds texts, whole numbers, yes or no, lists and tables')
}

/** Sections of what stands before the site's own rules. */
const siteLines = ({
  headers,
  error_pages,
  index: _index,
  listing: _listing,
  php: _php,
  folders: _folders,
  backends: _backends,
  ...guard
}: SiteSettings): string[] => [
  '',
  '[virtualhost.headers]',
  ...headers.map(({ name, value }) => `${quote(name)} = ${quote(value)}`),
  '',
  '[virtualhost.error_pages]',
  ...Object.entries(error_pages).map(([status, path]) => `${quote(status)} = ${quote(path)}`),
  '',
  '[virtualhost.guard]',
  ...Object.entries(guard).map(([key, value]) => `${key} = ${inline(value)}`),
]

const number = (key: string, value: number): string => {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError(`${key} must be a whole number of at least 0, but is ${value}`)
  return `${key} = ${value}`
}

type Pool = NonNullable<NonNullable<RenderedVirtualHost['php']>['pool']>

/** Lines below `[virtualhost.php]`; its sub-table comes last. */
const poolLines = ({ maxChildren, memoryLimit, ini }: Pool): string[] => [
  ...(maxChildren === null ? [] : [number('max_children', maxChildren)]),
  ...(memoryLimit === null ? [] : [`memory_limit = ${quote(memoryLimit)}`]),
  '',
  '[virtualhost.php.ini]',
  ...Object.entries(ini).map(([name, value]) => `${quote(name)} = ${quote(value)}`),
]

/** One that ended is tried again so soon: its socket says at once whether it is back. */
const INSTANCE_BACK_OFF_SECS = 2

/** Where the instances of an application are asked. */
const instanceLines = (
  { name, instances = 1, healthPath }: SiteApplication,
  home: string,
): string[] => {
  const upstreamOf = (instance: number): string => `unix:${applicationSocket(home, name, instance)}`
  if (instances === 1) return [`upstream = ${quote(upstreamOf(1))}`]
  const all = Array.from({ length: instances }, (_, index) => ({ upstream: upstreamOf(index + 1) }))
  return [
    `upstreams = ${inline(all)}`,
    number('back_off_secs', INSTANCE_BACK_OFF_SECS),
    ...(healthPath === undefined ? [] : [`health_path = ${quote(healthPath)}`]),
  ]
}

/** Paths below `path` whose files are reached nevertheless: of folders and backends the longest path wins. */
const exceptLines = (path: string, folders: readonly SiteFolder[]): string[] => {
  const below = folders
    .map((one) => one.path)
    .filter((one) => path === '/' || one.startsWith(`${path}/`))
  return below.length === 0 ? [] : [`except = ${list(below)}`]
}

/** Seconds between two questions after the health of a server that an owner named. */
const HEALTH_INTERVAL_SECS = 10

/** Section of one backend of the site. */
const siteBackendLines = (
  backend: SiteBackend,
  index: number,
  { home, instances = {}, site }: RenderedVirtualHost,
): string[] => {
  const { path, replace_prefix: to, application, servers, health_path } = backend
  const of =
    application !== null && Object.hasOwn(instances, application) ? instances[application] : {}
  const passed = [
    `upstreams = ${inline(servers.map(({ url, weight }) => ({ upstream: url, weight })))}`,
    `reach = ${quote(backend.internal ? 'anywhere' : 'internet')}`,
    `preserve_host = ${backend.preserve_host}`,
    `verify_tls = ${backend.verify_tls}`,
    ...(health_path === null
      ? []
      : [
          `health_path = ${quote(health_path)}`,
          number('health_interval_secs', HEALTH_INTERVAL_SECS),
        ]),
  ]
  return [
    '',
    `[virtualhost.backends.site-${index + 1}]`,
    `paths = ${list([path])}`,
    ...exceptLines(path, site?.folders ?? []),
    ...(to === null ? [] : [`replace_prefix = ${inline({ from: path, to })}`]),
    `websocket = ${backend.websocket}`,
    ...(application === null
      ? passed
      : [
          ...instanceLines({ name: application, paths: [path], ...of }, home),
          `application = ${quote(application)}`,
        ]),
  ]
}

/** Section of the application that requests are passed on to. */
const backendLines = ({ application, proxy, home, site }: RenderedVirtualHost): string[] => {
  const of = application ?? proxy
  if (of === undefined) return []
  return [
    '',
    '[virtualhost.proxy]',
    ...(application === undefined
      ? [`upstream = ${quote(proxy?.upstream ?? '')}`]
      : instanceLines(application, home)),
    ...(of.paths === null ? [] : [`paths = ${list(of.paths)}`]),
    ...exceptLines('/', site?.folders ?? []),
    `websocket = ${proxy?.websocket ?? true}`,
    ...(application === undefined ? [] : [`application = ${quote(application.name)}`]),
  ]
}

/** Lines below `[virtualhost.cache]`. */
export const siteCacheLines = (cache: RenderedVirtualHost['cache']): string[] => {
  const { bypassCookies, ignoreQueryParams, mobileVariant } = cache
  const { fills, harmlessCookies, sessionCookies, application } = cache
  const named = (key: string, values: readonly string[] | undefined): string[] =>
    values === undefined ? [] : [`${key} = ${list(values)}`]
  return [
    `enable = ${cache.enable}`,
    ...(cache.ttl === null ? [] : [number('ttl', cache.ttl)]),
    `exclude = ${list(cache.exclude)}`,
    ...(fills === undefined ? [] : [`fills = ${quote(fills)}`]),
    ...named('bypass_cookies', bypassCookies),
    ...named('harmless_cookies', harmlessCookies),
    ...named('session_cookies', sessionCookies),
    ...(application === undefined ? [] : [`application = ${quote(application)}`]),
    ...named('ignore_query_params', ignoreQueryParams),
    ...(mobileVariant === undefined ? [] : [`mobile_variant = ${mobileVariant}`]),
  ]
}

/**
 * The generated configuration file of one virtual host. Parsing it back gives
 * the same values, whatever they hold. `home` and `uid` come from the host's own
 * records: the web server serves only files that lie in that home and belong to
 * that user.
 */
export const renderVirtualHost = (spec: RenderedVirtualHost): string => {
  const lines = [
    '# Generated. Changes made here are overwritten; use the panel instead.',
    '[[virtualhost]]',
    `domain = ${quote(spec.domain)}`,
    `aliases = ${list(spec.aliases)}`,
    `root = ${quote(spec.root)}`,
    `username = ${quote(spec.username)}`,
    number('uid', spec.uid),
    `home = ${quote(spec.home)}`,
    `suspended = ${spec.suspended}`,
    `over_bandwidth = ${spec.overBandwidth}`,
    `redirect_https = ${spec.redirectHttps}`,
  ]
  if (spec.hstsMaxAgeSecs !== undefined)
    lines.push(number('hsts_max_age_secs', spec.hstsMaxAgeSecs))
  if (spec.defaultHost === true) lines.push('default_host = true')
  if (spec.ssl !== null)
    lines.push(
      `ssl_certificate = ${quote(spec.ssl.certificate)}`,
      `ssl_certificate_key = ${quote(spec.ssl.key)}`,
    )
  if (spec.site !== undefined && spec.site.index.length > 0)
    lines.push(`index = ${list(spec.site.index)}`)
  if (spec.site !== undefined && spec.site.listing !== 'rules')
    lines.push(`listing = ${quote(spec.site.listing)}`)
  if (spec.site !== undefined && spec.site.folders.length > 0)
    lines.push(
      `folders = ${inline(
        Object.fromEntries(
          spec.site.folders.map((one) => [one.path, `${spec.home}/${one.folder}`]),
        ),
      )}`,
    )
  lines.push('', '[virtualhost.php]')
  if (spec.php === null) lines.push('enable = false')
  else lines.push(`version = ${quote(spec.php.version)}`, `mode = ${quote(spec.php.mode)}`)
  if (spec.php?.pool !== undefined) lines.push(...poolLines(spec.php.pool))
  lines.push(...backendLines(spec))
  for (const [at, backend] of (spec.site?.backends ?? []).entries())
    lines.push(...siteBackendLines(backend, at, spec))
  lines.push('', '[virtualhost.cache]', ...siteCacheLines(spec.cache))
  if (spec.site !== undefined) lines.push(...siteLines(spec.site))
  return `${lines.join('\n')}\n`
}
