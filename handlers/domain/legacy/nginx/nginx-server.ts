import { resolvePath } from '../../config/paths.ts'
import { emptySite } from '../empty-site.ts'
import { redirectOf } from '../https-redirect.ts'
import { keepLocal } from '../keep-local.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyHost, LegacySite, RuleCheck, SourceFiles } from '../types.ts'
import { convertBranches } from './nginx-branches.ts'
import { isForAuthorities } from './nginx-challenges.ts'
import { convertMaps, neededMapRules, type NginxMaps } from './values/nginx-maps.ts'
import { locationsOf, type Location } from './nginx-locations.ts'
import { isPassedByRules } from './nginx-proxy.ts'
import { judged } from './nginx-judged.ts'
import { NGINX_LOST, NGINX_UNNEEDED } from './nginx-names.ts'
import type { Upstreams } from './nginx-php.ts'
import { convertNginxRewrites } from './nginx-rewrites.ts'
import { askedVariables } from './values/nginx-variables.ts'
import { textTypeOf } from './nginx-texts.ts'
import { withConstants } from './values/nginx-constants.ts'
import { convertFolders } from './nginx-folders.ts'
import { convertLimits, type RequestZones } from './nginx-limits.ts'
import { nearest, nearestAll, own, type Scope } from './nginx-scope.ts'

/** What the conversion of every `server` of a configuration shares. */
export interface NginxServerDeps {
  files: SourceFiles
  check: RuleCheck
  report: Report
  prefix: string
  upstreams: Upstreams
  maps: NginxMaps
  zones: RequestZones
  /** Variables that what stands outside of servers asks for. */
  asked: ReadonlySet<string>
  /** Variables of maps that some server needed. */
  mapsUsed: Set<string>
}

/** Directives that have a place elsewhere. */
const HANDLED = new Set(
  (
    'server_name listen root index return rewrite if break location try_files fastcgi_pass proxy_pass ' +
    'fastcgi_param proxy_set_header add_header expires allow deny satisfy auth_basic error_page ' +
    'auth_basic_user_file ssl_certificate ssl_certificate_key internal client_max_body_size server ' +
    'proxy_read_timeout proxy_ssl_verify upstream http include limit_except auth_request set map geo ' +
    'proxy_hide_header fastcgi_hide_header alias autoindex limit_req limit_req_zone'
  ).split(' '),
)

/** Names everything in a block that no part of the conversion takes. */
export const reportOthers = (directives: readonly Directive[], report: Report): void => {
  for (const directive of directives) {
    const { name, args, inside } = directive
    if (name === 'charset' && /^(?:utf-?8|off)$/i.test(args[0] ?? '')) {
      report.unneeded(directive, 'Texts are sent as UTF-8 anyway.')
      continue
    }
    const isJudged = name === 'ssl_verify_client' && args[0] === 'on'
    if (!HANDLED.has(name) && !isJudged && !report.knows(directive)) {
      const reason = NGINX_UNNEEDED.get(name)
      const missed = judged(name, args)
      if (missed !== null) report[missed.kind](directive, missed.reason)
      else if (reason !== undefined) report.unneeded(directive, reason)
      else report.lost(directive, NGINX_LOST.get(name) ?? 'Berth has no counterpart of it.')
    }
    if (inside !== null && (name === 'location' || name === 'server')) reportOthers(inside, report)
  }
}

const REWRITING = ['return', 'rewrite', 'if', 'break', 'set']

const isSecureListen = ({ args }: Directive): boolean =>
  args.includes('ssl') || args.includes('quic')

const errorPages = (scope: Scope, site: LegacySite, report: Report): void => {
  for (const directive of nearestAll(scope, 'error_page')) {
    const target = directive.args.at(-1) ?? ''
    const changes = directive.args.some((arg) => arg.startsWith('='))
    const isPath = /^\/[^\s$]*$/.test(target)
    if (changes) report.lost(directive, 'A page of an error keeps the status of the error here.')
    else if (!isPath && !/^https?:\/\/[^\s$]*$/.test(target))
      report.lost(directive, 'Pages of errors are files or scripts below root.')
    for (const code of directive.args.filter((arg) => /^[45]\d\d$/.test(arg)))
      if (isPath && !changes && /\.php(?:[/?]|$)/.test(target))
        site.rules.push(`ErrorDocument ${code} ${target}`)
      else if (isPath && !changes) site.errorPages[code] = target
      else if (!changes && /^https?:/.test(target))
        site.rules.push(`ErrorDocument ${code} ${target}`)
  }
}

const checkPlaces = (locations: readonly Location[], report: Report): void => {
  for (const { scope } of locations) {
    const page = own(scope, 'error_page').find(({ args }) =>
      args.some((arg) => arg.startsWith('=')),
    )
    if (page) report.lost(page, 'A page of an error keeps the status of the error here.')
  }
}

/** One `server` block, as a host for http, for https, or both. */
export const convertNginxServer = (
  at: Directive,
  http: Scope | null,
  deps: NginxServerDeps,
): LegacyHost[] => {
  const { report, check, prefix, upstreams, files } = deps
  const scope: Scope = { at, directives: withConstants(at.inside ?? []), parent: http }
  const names = [...new Set(own(scope, 'server_name').flatMap(({ args }) => args))].map((name) =>
    name.startsWith('~') ? name : name.toLowerCase(),
  )
  const path = (name: string): string | null => {
    const given = nearest(scope, name)?.args[0]
    return given === undefined ? null : resolvePath(prefix, given)
  }
  const site = emptySite()
  site.root = path('root')
  site.index = nearestAll(scope, 'index').flatMap(({ args }) => args)
  if (site.index.length === 0) site.index = ['index.html']
  site.index = site.index.filter((name) => !name.includes('/') && !name.includes('$'))

  const serverName = names.find((name) => /^[a-z0-9.-]+$/.test(name)) ?? '%{SERVER_NAME}'
  const asked = askedVariables(scope.directives, new Set(deps.asked))
  const mapped = convertMaps(deps.maps, serverName, asked)
  const rewriteDeps = { check, report, names: mapped.names, asked, site }
  const type = textTypeOf(scope, null)
  site.rewrites = convertNginxRewrites(own(scope, ...REWRITING), rewriteDeps, { type })
  site.rules = ['FallbackResource disabled']
  errorPages(scope, site, report)
  const locations = locationsOf(scope).filter((one) => !isForAuthorities(one, site.root, report))
  convertFolders(locations, { site, files, report })
  checkPlaces(locations, report)
  site.rateLimits = convertLimits(scope, locations, deps.zones, report)
  site.rules.push(
    ...convertBranches(scope, locations, {
      ...{ ...rewriteDeps, prefix, upstreams, files, maps: deps.maps, mapsUsed: deps.mapsUsed },
      byRules: isPassedByRules(locations, upstreams),
      serverNames: names,
    }),
  )
  const listens = own(scope, 'listen')
  keepLocal(
    listens.map(({ args }) => args[0] ?? ''),
    at,
    site,
    report,
  )
  reportOthers(scope.directives, report)
  const alias = locations.some((one) => own(one.scope, 'alias').length > 0)
  const [whole] = locations
  // A host of nothing but `location / { return … }` leads away as one with the `return` itself.
  if (site.rewrites.length === 0 && !alias && locations.length === 1 && whole?.text === '/')
    site.rewrites = convertNginxRewrites(own(whole.scope, 'return'), rewriteDeps, {
      type: textTypeOf(whole.scope, whole),
    })

  const [first] = site.rewrites
  const needed = neededMapRules(mapped.rules, JSON.stringify([site.rewrites, site.rules]))
  needed.variables.forEach((variable) => deps.mapsUsed.add(variable))
  site.rewrites = [...needed.rules, ...site.rewrites]

  const isSsl = own(scope, 'ssl').at(-1)?.args[0] === 'on'
  const kinds = new Set(
    listens.length === 0 ? [isSsl] : listens.map((one) => isSsl || isSecureListen(one)),
  )
  return [...kinds].map((secure) => ({
    at,
    names,
    secure,
    isDefault: listens.some(
      (one) =>
        (isSsl || isSecureListen(one)) === secure &&
        one.args.some((arg) => arg === 'default_server' || arg === 'default'),
    ),
    certificate: secure ? path('ssl_certificate') : null,
    key: secure ? path('ssl_certificate_key') : null,
    redirect: first && (!secure || first.conditions.length === 0) ? redirectOf(first, names) : null,
    site: structuredClone(site),
  }))
}
