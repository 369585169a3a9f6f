import { isDeepStrictEqual } from 'node:util'
import { AppError, conflict, invalid, notFound } from '#handlers/errors.ts'
import { parseDocumentRoot } from '#handlers/domain/domains/document-root.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import { isCertificateVersion } from '#handlers/domain/certificates/certificate-version.ts'
import { siteFileName, wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { siteSettingsSchema } from '#handlers/domain/site-settings/settings-schema.ts'
import { tidySettings } from '#handlers/domain/site-settings/tidy-settings.ts'
import { DEFAULT_INDEX } from '#handlers/domain/site-settings/default-index.ts'
import type { SiteBackend, SiteSettings } from '#handlers/ports/host/site-settings.ts'
import { renderVirtualHost } from '#handlers/domain/domains/vhost-config.ts'
import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type {
  PhpPool,
  SiteApplication,
  SiteCacheRule,
  VirtualHostSpec,
} from '#handlers/ports/host/web-server.ts'
import { checkApplicationName } from '../applications/check-application.ts'
import type { Registry } from '../registry/types.ts'

/** A checked host and its file. */
export interface RenderedHost {
  spec: VirtualHostSpec
  text: string
}

const MAX_ALIASES = 1000
const MAX_EXCLUDES = 1000

const checkName = (name: string, field: string): void => {
  if (parseSiteName(name, field) !== name)
    throw invalid(field, `${field} ${JSON.stringify(name)} is not in its canonical form.`)
}

/** Of this very site: another's, whose key it is not, may be of another account. */
const checkCertificate = (
  file: string,
  { domain }: Pick<VirtualHostSpec, 'domain'>,
  directory: string,
  field: 'certificate' | 'key',
): void => {
  const own = `${directory}/${siteFileName(domain)}/`
  const [version = '', name, ...more] = file.startsWith(own)
    ? file.slice(own.length).split('/')
    : []
  if (!isCertificateVersion(version) || name !== `${field}.pem` || more.length > 0)
    throw invalid(field, `${field} must be one of ${domain} in the certificate directory.`)
}

const proxyOf = ({ upstream, paths, websocket }: NonNullable<VirtualHostSpec['proxy']>) => ({
  upstream,
  paths,
  websocket,
})

/** The account's application, or whatever else listens where it says. */
const backendOf = (rule: NonNullable<VirtualHostConfig['proxy']>) =>
  rule.application === undefined
    ? { proxy: proxyOf(rule) }
    : {
        application: {
          name: rule.application,
          paths: rule.paths,
          ...(rule.upstreams !== undefined && { instances: rule.upstreams.length }),
          ...(rule.health_path !== undefined && { healthPath: rule.health_path }),
        },
      }

/** Throws 400 for a name that no application has: it becomes part of a path. */
const checkedApplication = (given: SiteApplication): SiteApplication => {
  const { name, paths, instances = 1, healthPath } = given
  checkApplicationName(name)
  // One alone is asked whatever it says of its health.
  if (instances === 1) return { name, paths }
  return { name, paths, instances, ...(healthPath !== undefined && { healthPath }) }
}

/** Of the applications that its backends name alone. */
const checkedInstances = ({
  site,
  instances: given = {},
}: VirtualHostSpec): Pick<VirtualHostSpec, 'instances'> => {
  const known = (site?.backends ?? []).flatMap(({ application }) => {
    const of = application !== null && Object.hasOwn(given, application) && given[application]
    if (!of || of.instances < 2) return []
    const { instances, healthPath } = of
    return [[application, { instances, ...(healthPath !== undefined && { healthPath }) }] as const]
  })
  return known.length === 0 ? {} : { instances: Object.fromEntries(known) }
}

const onlyKnown = ({ maxChildren, memoryLimit, ini }: PhpPool): PhpPool => ({
  maxChildren,
  memoryLimit,
  ini: { ...ini },
})

const onlyKnownRule = (rule: SiteCacheRule): SiteCacheRule => {
  const { enable, ttl, exclude, bypassCookies, ignoreQueryParams, mobileVariant } = rule
  const { fills, harmlessCookies, sessionCookies, application } = rule
  return {
    enable,
    ttl,
    exclude,
    ...(bypassCookies && { bypassCookies }),
    ...(ignoreQueryParams && { ignoreQueryParams }),
    ...(mobileVariant !== undefined && { mobileVariant }),
    ...(fills && { fills }),
    ...(harmlessCookies?.length && { harmlessCookies }),
    ...(sessionCookies?.length && { sessionCookies }),
    ...(application !== undefined && { application }),
  }
}

const cacheOf = (rule: VirtualHostConfig['cache']): SiteCacheRule => ({
  enable: rule.enable,
  ttl: rule.ttl,
  exclude: rule.exclude,
  ...(rule.bypass_cookies && { bypassCookies: rule.bypass_cookies }),
  ...(rule.ignore_query_params && { ignoreQueryParams: rule.ignore_query_params }),
  ...(rule.mobile_variant !== null && { mobileVariant: rule.mobile_variant }),
  ...(rule.fills !== 'auto' && { fills: rule.fills }),
  ...(rule.harmless_cookies.length > 0 && { harmlessCookies: rule.harmless_cookies }),
  ...(rule.session_cookies.length > 0 && { sessionCookies: rule.session_cookies }),
  ...(rule.application !== null && { application: rule.application }),
})

const phpOf = ({
  version,
  mode,
  pool,
}: VirtualHostConfig['php']): NonNullable<VirtualHostSpec['php']> => ({
  version: version ?? '',
  mode,
  ...(pool && {
    pool: { maxChildren: pool.max_children, memoryLimit: pool.memory_limit, ini: pool.ini },
  }),
})

/** Throws 400 for settings that no file could hold; what is not known is refused too. */
const checkedSite = (given: SiteSettings): SiteSettings => {
  const result = siteSettingsSchema.safeParse(given)
  if (result.success) return tidySettings(result.data)
  const [issue] = result.error.issues
  throw invalid(issue?.path.join('.') ?? 'site', issue?.message ?? 'site is not usable.')
}

/** Settings of PHP as the owner of the site chose them. */
const sitePhp = ({ pool }: VirtualHostConfig['php']): Record<string, string> => ({
  ...(pool?.memory_limit ? { memory_limit: pool.memory_limit } : {}),
  ...pool?.ini,
})

/** A folder of the home as its owner names it. */
const belowHome = (path: string, home: string | null): string =>
  home !== null && path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path

const siteBackendOf = (rule: ProxyRule): SiteBackend => ({
  path: rule.paths?.[0] ?? '',
  replace_prefix: rule.replace_prefix?.to ?? null,
  application: rule.application ?? null,
  servers:
    rule.application === undefined
      ? (rule.upstreams ?? [{ upstream: rule.upstream, weight: 1 }]).map(
          ({ upstream, weight }) => ({ url: upstream, weight }),
        )
      : [],
  internal: rule.reach === 'anywhere',
  health_path: rule.application === undefined ? (rule.health_path ?? null) : null,
  preserve_host: rule.preserve_host,
  websocket: rule.websocket,
  verify_tls: rule.verify_tls,
})

/** Those of the backends' applications of which several listen. */
const instancesOf = ({ backends = {} }: VirtualHostConfig): Pick<VirtualHostSpec, 'instances'> => {
  const several = Object.values(backends).flatMap(({ application, upstreams, health_path }) =>
    application === undefined || upstreams === undefined
      ? []
      : [
          [
            application,
            {
              instances: upstreams.length,
              ...(health_path !== undefined && { healthPath: health_path }),
            },
          ] as const,
        ],
  )
  return several.length === 0 ? {} : { instances: Object.fromEntries(several) }
}

const siteOf = (host: VirtualHostConfig): { site?: SiteSettings } =>
  host.guard === undefined
    ? {}
    : {
        site: {
          ...host.guard,
          headers: Object.entries(host.headers).map(([name, value]) => ({ name, value })),
          error_pages: host.error_pages,
          index: isDeepStrictEqual(host.index, DEFAULT_INDEX) ? [] : host.index,
          listing: host.listing ?? 'rules',
          php: sitePhp(host.php),
          folders: Object.entries(host.folders ?? {}).map(([path, folder]) => ({
            path,
            folder: belowHome(folder, host.home),
          })),
          backends: Object.values(host.backends ?? {}).map(siteBackendOf),
        },
      }

/** What the file says once it is parsed, in the shape of the request. */
const readBack = (text: string, domain: string): VirtualHostSpec & { uid: number | null } => {
  const { hosts, problems } = parseIncludedFile(`${domain}.toml`, text)
  const [problem] = problems
  if (problem) throw new AppError(400, `${problem.key} ${problem.message}`)
  const [only, ...more] = hosts
  if (!only || more.length > 0) throw new Error('a generated file must hold one virtual host')
  const { host } = only
  return {
    domain: host.domain,
    aliases: host.aliases,
    username: host.username ?? '',
    root: host.root,
    suspended: host.suspended,
    overBandwidth: host.over_bandwidth,
    php: host.php.enable ? phpOf(host.php) : null,
    ssl:
      host.ssl_certificate === null || host.ssl_certificate_key === null
        ? null
        : { certificate: host.ssl_certificate, key: host.ssl_certificate_key },
    redirectHttps: host.redirect_https,
    ...(host.hsts_max_age_secs > 0 && { hstsMaxAgeSecs: host.hsts_max_age_secs }),
    ...(host.default_host === true && { defaultHost: true as const }),
    cache: cacheOf(host.cache),
    ...siteOf(host),
    ...(host.proxy && backendOf(host.proxy)),
    ...instancesOf(host),
    uid: host.uid,
  }
}

/**
 * Checks a host against our own records and renders its file; what the file says
 * is read back and compared, so nothing in a value can become syntax. Throws 400
 * for a bad field, 404 for an unknown account, 409 for a host of another account.
 */
export const checkSpec = (
  given: VirtualHostSpec,
  registry: Registry,
  sslDirectory: string,
): RenderedHost => {
  checkName(given.domain, 'domain_name')
  if (given.aliases.length > MAX_ALIASES) throw invalid('aliases', 'aliases are too many.')
  for (const alias of given.aliases) checkName(alias, 'aliases')
  const account = registry.account(given.username)
  if (!account) throw notFound(`No account named ${given.username}.`)
  const known = registry.vhost(given.domain)
  if (known && known.username !== given.username)
    throw conflict(`${given.domain} belongs to another account.`, 'domain_name')
  if (parseDocumentRoot(given.root, account.home).absolute !== given.root)
    throw invalid('document_root', 'document_root is not in its canonical form.')
  if (given.php !== null && !/^\d\.\d{1,2}$/.test(given.php.version))
    throw invalid('version', 'version is not a PHP version such as 8.2.')
  if (given.ssl !== null) {
    checkCertificate(given.ssl.certificate, given, sslDirectory, 'certificate')
    checkCertificate(given.ssl.key, given, sslDirectory, 'key')
  }
  if (given.cache.exclude.length > MAX_EXCLUDES)
    throw invalid('exclude', 'exclude has too many paths.')
  // Only known fields go on; what else a caller sends is dropped here.
  const spec: VirtualHostSpec = {
    domain: given.domain,
    aliases: [...new Set(given.aliases)].filter((alias) => alias !== given.domain),
    username: account.username,
    root: given.root,
    suspended: given.suspended,
    overBandwidth: given.overBandwidth,
    php: given.php && {
      version: given.php.version,
      mode: given.php.mode,
      ...(given.php.pool && { pool: onlyKnown(given.php.pool) }),
    },
    ssl: given.ssl && { certificate: given.ssl.certificate, key: given.ssl.key },
    redirectHttps: given.redirectHttps,
    ...(given.hstsMaxAgeSecs && { hstsMaxAgeSecs: given.hstsMaxAgeSecs }),
    ...(given.defaultHost === true && { defaultHost: true as const }),
    cache: onlyKnownRule(given.cache),
    ...(given.site && { site: checkedSite(given.site) }),
    ...checkedInstances(given),
    ...(given.application
      ? { application: checkedApplication(given.application) }
      : given.proxy && { proxy: proxyOf(given.proxy) }),
  }
  const text = renderVirtualHost({ ...spec, uid: account.uid, home: account.home })
  if (!isDeepStrictEqual(readBack(text, spec.domain), { ...spec, uid: account.uid }))
    throw invalid(
      'domain_name',
      `The configuration of ${spec.domain} would not say what it should.`,
    )
  return { spec, text }
}

type Named = Pick<VirtualHostSpec, 'domain' | 'aliases' | 'username'>

const namesOf = ({ domain, aliases }: Named): string[] => [domain, ...aliases]

/** 409 when a wildcard stands above a name of another account, or a name below another account's wildcard. */
const checkWildcards = (hosts: readonly Named[]): void => {
  const wildcards = new Map<string, Named>()
  for (const host of hosts)
    for (const name of namesOf(host)) {
      const base = wildcardBase(name)
      if (base !== null) wildcards.set(base, host)
    }
  if (wildcards.size === 0) return
  for (const host of hosts)
    for (const name of namesOf(host)) {
      // The name above is looked at as well: a wildcard belongs to whoever has that.
      for (let at = -1; at !== name.length; at = nextLabel(name, at)) {
        const owner = wildcards.get(name.slice(at + 1))
        if (owner === undefined || owner.username === host.username) continue
        throw conflict(
          `${name} lies at or below *.${name.slice(at + 1)}, which belongs to another account.`,
          'domain_name',
        )
      }
    }
}

/** Where the dot behind the next label is; the length of the name: there is none. */
const nextLabel = (name: string, at: number): number => {
  const dot = name.indexOf('.', at + 1)
  return dot === -1 ? name.length : dot
}

/** 409 when a name of `hosts` is also a name of another host, or another account's by a wildcard. */
export const checkNamesAreFree = (
  hosts: readonly VirtualHostSpec[],
  others: readonly VirtualHostSpec[],
): void => {
  checkWildcards([...others, ...hosts])
  const owners = new Map<string, string>()
  for (const host of [...others, ...hosts])
    for (const name of namesOf(host)) {
      const owner = owners.get(name)
      if (owner !== undefined && owner !== host.domain)
        throw conflict(`${name} is already a name of the virtual host ${owner}.`, 'domain_name')
      owners.set(name, host.domain)
    }
}
