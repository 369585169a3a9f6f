import { DEFAULT_CACHE_RULE } from '../../edge-cache/config.ts'
import type { ConfigProblem, VirtualHostConfig } from './config-types.ts'
import type { ConfigPath } from './server-config-locate.ts'
import { directoryOf, resolvePath } from './server-config-paths.ts'
import { problemAt, problemsOf, type ConfigPlace } from './server-config-problems.ts'
import { VIRTUAL_HOST_SCHEMA, type RawVirtualHost } from './server-config-schema.ts'

/** Files looked for in a directory, in this order. */
export const DEFAULT_INDEX = ['index.php', 'index.html', 'index.htm']

const complete = (raw: RawVirtualHost, directory: string): VirtualHostConfig => {
  const path = (value: string | undefined): string | null =>
    value === undefined ? null : resolvePath(directory, value)
  return {
    domain: raw.domain,
    aliases: [...new Set(raw.aliases ?? [])],
    root: resolvePath(directory, raw.root),
    index: raw.index ?? DEFAULT_INDEX,
    username: raw.username ?? null,
    uid: raw.uid ?? null,
    home: path(raw.home),
    suspended: raw.suspended ?? false,
    redirect_https: raw.redirect_https ?? false,
    ssl_certificate: path(raw.ssl_certificate),
    ssl_certificate_key: path(raw.ssl_certificate_key),
    error_pages: raw.error_pages ?? {},
    headers: raw.headers ?? {},
    php: {
      enable: raw.php?.enable ?? true,
      version: raw.php?.version ?? null,
      mode: raw.php?.mode ?? 'fpm',
      socket: path(raw.php?.socket),
    },
    cache: {
      enable: raw.cache?.enable ?? DEFAULT_CACHE_RULE.enable,
      mode: raw.cache?.mode ?? DEFAULT_CACHE_RULE.mode,
      ttl: raw.cache?.ttl ?? DEFAULT_CACHE_RULE.ttl,
      exclude: raw.cache?.exclude ?? DEFAULT_CACHE_RULE.exclude,
      bypass_cookies: raw.cache?.bypass_cookies ?? DEFAULT_CACHE_RULE.bypass_cookies,
      ignore_query_params: raw.cache?.ignore_query_params ?? DEFAULT_CACHE_RULE.ignore_query_params,
      mobile_variant: raw.cache?.mobile_variant ?? DEFAULT_CACHE_RULE.mobile_variant,
      content_types: raw.cache?.content_types ?? DEFAULT_CACHE_RULE.content_types,
    },
  }
}

/** Whether `path` is `parent` or lies below it; both normalised. */
const isBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(parent === '/' ? '/' : `${parent}/`)

/** Rules between the keys of one virtual host. */
const crossCheck = (
  host: VirtualHostConfig,
  at: ConfigPath,
  place: ConfigPlace,
): ConfigProblem[] => {
  const problems: ConfigProblem[] = []
  const add = (key: string, message: string): void => {
    problems.push(problemAt(place, [...at, key], message))
  }
  if (host.ssl_certificate !== null && host.ssl_certificate_key === null)
    add(
      'ssl_certificate_key',
      'is missing. A certificate needs its key: name the file, or remove ssl_certificate.',
    )
  if (host.ssl_certificate_key !== null && host.ssl_certificate === null)
    add(
      'ssl_certificate',
      'is missing. A key needs its certificate: name the file, or remove ssl_certificate_key.',
    )
  // Generated hosts wait for their certificate; what a person wrote is a mistake.
  if (host.username === null && host.redirect_https && host.ssl_certificate === null)
    add(
      'redirect_https',
      'needs a certificate. Set ssl_certificate and ssl_certificate_key, or remove it.',
    )
  if (host.home !== null && !isBelow(host.root, host.home))
    add('root', `must lie inside home (${host.home}).`)
  return problems
}

/** Checks the `[[virtualhost]]` tables of one file. Relative paths are taken from the file's directory. */
export const parseVirtualHosts = (
  tables: unknown,
  place: ConfigPlace,
): { hosts: { host: VirtualHostConfig; at: ConfigPath }[]; problems: ConfigProblem[] } => {
  if (!Array.isArray(tables))
    return {
      hosts: [],
      problems: [problemAt(place, ['virtualhost'], 'must be written as [[virtualhost]].')],
    }
  const hosts: { host: VirtualHostConfig; at: ConfigPath }[] = []
  const problems: ConfigProblem[] = []
  const directory = directoryOf(place.file)
  tables.forEach((table: unknown, index) => {
    const at = ['virtualhost', index]
    const result = VIRTUAL_HOST_SCHEMA.safeParse(table)
    if (!result.success) {
      problems.push(...problemsOf(result.error, VIRTUAL_HOST_SCHEMA, table, at, place))
      return
    }
    const host = complete(result.data, directory)
    problems.push(...crossCheck(host, at, place))
    hosts.push({ host, at })
  })
  return { hosts, problems }
}
