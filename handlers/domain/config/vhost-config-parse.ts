import { DEFAULT_CACHE_RULE } from '../../../edge-cache/config.ts'
import {
  completeGuard,
  completePool,
  completeProxy,
  completeTexts,
  socketOf,
} from './site/complete-parts.ts'
import type { ConfigProblem, VirtualHostConfig } from './config-types.ts'
import { phpHomeFileProblem } from '../php/ini-rules.ts'
import { DEFAULT_INDEX } from '../site-settings/default-index.ts'
import { applicationsOf, unknownBackends } from './proxy/backends.ts'
import { accountTargetProblem } from './proxy/proxy-target-rules.ts'
import { upstreamsOf } from './proxy/upstreams.ts'
import type { ConfigPath } from './locate.ts'
import { directoryOf, resolvePath } from './paths.ts'
import { isTcpSocket } from './site/php-socket.ts'
import { unknownTexts } from './site/site-texts.ts'
import { problemAt, problemsOf, type ConfigPlace } from './problems.ts'
import { VIRTUAL_HOST_SCHEMA, type RawVirtualHost } from './schema.ts'

/** Root of a virtual host whose every path is passed on, where none was given. */
export const NO_ROOT = '/nonexistent'

/** Null: it is recognised by its files. */
const chosenApplication = (name = 'auto'): string | null => (name === 'auto' ? null : name)

const complete = (raw: RawVirtualHost, directory: string): VirtualHostConfig => {
  const path = (value: string | undefined): string | null =>
    value === undefined ? null : resolvePath(directory, value)
  return {
    domain: raw.domain,
    aliases: [...new Set(raw.aliases ?? [])],
    root: path(raw.root) ?? NO_ROOT,
    index: raw.index ?? DEFAULT_INDEX,
    ...(raw.listing === undefined ? {} : { listing: raw.listing }),
    ...(raw.folders === undefined
      ? {}
      : {
          folders: Object.fromEntries(
            Object.entries(raw.folders).map(([from, to]) => [from, resolvePath(directory, to)]),
          ),
        }),
    username: raw.username ?? null,
    uid: raw.uid ?? null,
    home: path(raw.home),
    suspended: raw.suspended ?? false,
    over_bandwidth: raw.over_bandwidth ?? false,
    redirect_https: raw.redirect_https ?? false,
    hsts_max_age_secs: raw.hsts_max_age_secs ?? 0,
    ...(raw.default_host === true ? { default_host: true as const } : {}),
    ssl_certificate: path(raw.ssl_certificate),
    ssl_certificate_key: path(raw.ssl_certificate_key),
    error_pages: raw.error_pages ?? {},
    headers: raw.headers ?? {},
    rewrites: (raw.rewrites ?? []).map(({ pattern, target, flags, conditions }) => ({
      pattern,
      target,
      flags: flags ?? '',
      ...(conditions === undefined ? {} : { conditions }),
    })),
    ...(raw.rules === undefined ? {} : { rules: raw.rules }),
    ...(raw.guard === undefined ? {} : { guard: completeGuard(raw.guard) }),
    htaccess: raw.htaccess ?? raw.username !== undefined,
    htaccess_unknown: raw.htaccess_unknown ?? 'ignore',
    php: {
      enable: raw.php?.enable ?? true,
      version: raw.php?.version ?? null,
      mode: raw.php?.mode ?? 'fpm',
      socket: socketOf(raw.php?.socket, directory),
      ...completePool(raw.php),
    },
    proxy: raw.proxy === undefined ? null : completeProxy(raw.proxy),
    ...(raw.backends === undefined
      ? {}
      : {
          backends: Object.fromEntries(
            Object.entries(raw.backends).map(([name, backend]) => [
              name,
              { ...completeProxy(backend), paths: backend.paths ?? [] },
            ]),
          ),
        }),
    ...(raw.texts === undefined ? {} : { texts: completeTexts(raw.texts) }),
    cache: {
      enable: raw.cache?.enable ?? DEFAULT_CACHE_RULE.enable,
      mode: raw.cache?.mode ?? DEFAULT_CACHE_RULE.mode,
      fills: raw.cache?.fills ?? DEFAULT_CACHE_RULE.fills,
      ttl: raw.cache?.ttl ?? DEFAULT_CACHE_RULE.ttl,
      exclude: raw.cache?.exclude ?? DEFAULT_CACHE_RULE.exclude,
      bypass_cookies: raw.cache?.bypass_cookies ?? DEFAULT_CACHE_RULE.bypass_cookies,
      harmless_cookies: raw.cache?.harmless_cookies ?? DEFAULT_CACHE_RULE.harmless_cookies,
      session_cookies: raw.cache?.session_cookies ?? DEFAULT_CACHE_RULE.session_cookies,
      application: chosenApplication(raw.cache?.application),
      ignore_query_params: raw.cache?.ignore_query_params ?? DEFAULT_CACHE_RULE.ignore_query_params,
      mobile_variant: raw.cache?.mobile_variant ?? DEFAULT_CACHE_RULE.mobile_variant,
      content_types: raw.cache?.content_types ?? DEFAULT_CACHE_RULE.content_types,
      purge_path: raw.cache?.purge_path ?? DEFAULT_CACHE_RULE.purge_path,
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
  for (const [name, value] of Object.entries(host.php.pool?.ini ?? {})) {
    const astray = phpHomeFileProblem(name, value, host.home)
    if (astray !== null) problems.push(problemAt(place, [...at, 'php', 'ini', name], astray))
  }
  for (const { key, rule } of applicationsOf(host))
    for (const one of upstreamsOf(rule)) {
      const misled = accountTargetProblem(one.upstream, host, rule.reach)
      if (misled !== null) problems.push(problemAt(place, [...at, ...key, ...one.key], misled))
    }
  if (host.username !== null && isTcpSocket(host.php.socket ?? ''))
    problems.push(
      problemAt(
        place,
        [...at, 'php', 'socket'],
        'must be a path: whose PHP answers at a port is not known of an account.',
      ),
    )
  for (const [from, to] of Object.entries(host.folders ?? {}))
    if (host.home !== null && !isBelow(to, host.home))
      problems.push(
        problemAt(place, [...at, 'folders', from], `must lie inside home (${host.home}).`),
      )
  for (const name of unknownTexts(host))
    add(
      'texts',
      `has no "${name}", with which a rule answers. Add [virtualhost.texts.${name}], or mend the rule.`,
    )
  for (const name of unknownBackends(host))
    add(
      'backends',
      `has no "${name}", to which a rule passes on. Add [virtualhost.backends.${name}], or mend the rule.`,
    )
  if (host.home !== null && host.root !== NO_ROOT && !isBelow(host.root, host.home))
    add('root', `must lie inside home (${host.home}).`)
  return problems
}

/** Only a virtual host that passes every path on can do without files. */
const lacksRoot = (table: unknown): boolean => {
  if (typeof table !== 'object' || table === null || Object.hasOwn(table, 'root')) return false
  const proxy: unknown = Reflect.get(table, 'proxy')
  if (typeof proxy !== 'object' || proxy === null) return true
  return Object.hasOwn(proxy, 'paths') || Object.hasOwn(proxy, 'except')
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
    if (lacksRoot(table)) problems.push(problemAt(place, [...at, 'root'], 'is missing. Add it.'))
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
