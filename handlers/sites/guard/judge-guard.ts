import { answersTo } from '../../domain/domains/wildcard-name.ts'
import { isBelow } from '../../domain/site-settings/redirect-rules.ts'
import { basicCredentials } from '../htaccess/access/authenticate.ts'
import { isInBlocks, readAddress } from '../rewrite/pattern/match-address.ts'
import type { RuleFiles } from '../rule-files.ts'
import { compileGuard, type CompiledGuard } from './compiled-guard.ts'
import { findSiteRedirect, wwwLocation } from './find-site-redirect.ts'
import type { GuardAnswer, GuardedRequest } from './guard-types.ts'

type Verify = RuleFiles['verifyPassword']
/** Counts a request; the seconds until it may be asked again where it is one too many. */
type Count = (request: GuardedRequest) => number | null

const NO_STORE = { 'cache-control': 'no-store' }
/** The lists are as long as the configuration lets them be, and looked through once. */
const unbounded = () => ({ left: Number.POSITIVE_INFINITY })

const extensionOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null)

/** Whether a file is one that other sites may not show. */
export const isHotlinkable = ({ extensions }: CompiledGuard, path: string): boolean =>
  extensions.size > 0 && extensions.has(extensionOf(path))

const isFriend = ({ vhost }: GuardedRequest, { friends }: CompiledGuard, from: string): boolean => {
  if (answersTo([vhost.domain, ...vhost.aliases], from)) return true
  return friends.some((one) => (one.startsWith('*.') ? from.endsWith(one.slice(1)) : one === from))
}

/** The protected path that a path lies below; null: everybody may see it. */
export const protectionOf = ({ protected: paths }: CompiledGuard, path: string) =>
  paths.find((one) => isBelow(path, one.path)) ?? null

const judgePassword = async (
  request: GuardedRequest,
  path: string,
  verify: Verify,
): Promise<GuardAnswer | null> => {
  const area = protectionOf(compileGuard(request.guard), path)
  if (area === null || request.isOurs) return null
  const given = basicCredentials(request.headers)
  const hash = given === null ? undefined : area.hashes.get(given[0])
  if (given !== null && hash !== undefined) {
    if (await verify(request.vhost.domain, given[1], hash)) return null
  }
  const headers = { ...NO_STORE, 'www-authenticate': `Basic realm="${area.realm}"` }
  return { rule: 'password', status: 401, headers }
}

const judgeAddresses = (request: GuardedRequest): GuardAnswer | null => {
  const guard = compileGuard(request.guard)
  const { maintenance } = request.guard
  if (request.isOurs) return null
  const isListed = guard.allow.length > 0 || guard.deny.length > 0
  if (!isListed && !maintenance.enabled) return null
  const address = readAddress(request.clientAddress)
  const isIn = (list: CompiledGuard['allow']): boolean => isInBlocks(address, list, unbounded())
  if (isIn(guard.deny)) return { rule: 'deny', status: 403, headers: NO_STORE }
  if (guard.allow.length > 0 && !isIn(guard.allow))
    return { rule: 'allow', status: 403, headers: NO_STORE }
  if (!maintenance.enabled || isIn(guard.duringMaintenance)) return null
  const headers = { ...NO_STORE, 'retry-after': String(maintenance.retry_after_secs) }
  return { rule: 'maintenance', status: 503, headers }
}

const judgeHotlink = (request: GuardedRequest): GuardAnswer | null => {
  const guard = compileGuard(request.guard)
  if (request.isOurs || !isHotlinkable(guard, request.path)) return null
  const referer = request.headers.get('referer')
  // Browsers and firewalls that say nothing are many, and none of them is another page.
  if (referer === null || referer === '') return null
  const from = hostOf(referer)
  if (from === null || isFriend(request, guard, from)) return null
  return { rule: 'hotlink', status: 403, headers: { ...NO_STORE, vary: 'Referer' } }
}

const redirectTo = (rule: 'www' | 'redirect', status: number, location: string): GuardAnswer => ({
  rule,
  status,
  headers: { location },
})

/**
 * What a site's settings answer before its own rules, files and scripts are asked; null:
 * they have a say. Addresses come first, so that nobody who is kept out learns more.
 */
export const judgeGuard = async (
  request: GuardedRequest,
  verify: Verify,
  count: Count,
): Promise<GuardAnswer | null> => {
  const stopped = judgeAddresses(request)
  if (stopped !== null) return stopped
  const waitSecs = request.isOurs ? null : count(request)
  if (waitSecs !== null) {
    const headers = { ...NO_STORE, 'retry-after': String(waitSecs) }
    return { rule: 'rate-limit', status: 429, headers }
  }
  const www = wwwLocation(request)
  if (www !== null) {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    return redirectTo('www', isRead ? 301 : 308, www)
  }
  const redirect = findSiteRedirect(request)
  if (redirect !== null) return redirectTo('redirect', redirect.status, redirect.location)
  return (await judgePassword(request, request.path, verify)) ?? judgeHotlink(request)
}

/** The same for a path that the site's own rules led to: who may see it is said for both. */
export const judgeRewritten = (
  request: GuardedRequest,
  path: string,
  verify: Verify,
): Promise<GuardAnswer | null> => judgePassword(request, path, verify)
