import { type PageCache, withoutInternalHeaders } from '../../edge-cache/index.ts'
import { applicationsOf } from '../domain/config/proxy/backends.ts'
import { isSafe } from '../domain/profiles/judge-request.ts'
import type { Profile } from '../domain/profiles/profile.ts'
import type { Log } from '../ports/log.ts'
import type { RequestMeter } from './guard/request-meter.ts'
import { createSiteGuards, isGuarded, isLimited } from './guard/site-guard.ts'
import type { RuleFiles } from './rule-files.ts'
import { isChallenge } from './acme-challenge.ts'
import { codeResponse, type ResponseCoder } from './responses/code-response.ts'
import { withoutForwarding } from './origins/forwarding-fields.ts'
import { nobodysContext } from './origins/nobodys-context.ts'
import { withoutPanelSession } from './origins/without-panel-session.ts'
import { errorPage, heldPage } from './responses/error-page.ts'
import { endIncompletePages } from './responses/incomplete-page.ts'
import { passesOn, type ProxyOrigin } from './origins/proxy-origin.ts'
import type { PhpOrigin } from './origins/php-origin.ts'
import { parseHost } from './names/request-host.ts'
import type { SiteHandler } from './site-context.ts'
import { createSiteEntrance, type SiteEntranceDeps } from './site-entrance.ts'
import type { SiteCookies } from './page-cache/site-cookies.ts'
import type { SiteFiles } from './site-files.ts'
import type { HeldSites } from './names/held-sites.ts'
import type { SiteTurns } from './origins/site-turns.ts'
import type { SiteRules } from './htaccess/files/site-rules.ts'
import { OriginError } from './origins/php-origin.ts'
import { keepFromFront, tellFront } from './page-cache/front-answers.ts'
import { purgingAtOnce, readPluginFields, withPluginResponse } from './page-cache/plugin-fields.ts'
import type { PurgeSite } from './page-cache/site-purges.ts'
import type { SiteApplications } from './page-cache/site-applications.ts'
import type { StoredNames } from './page-cache/stored-names.ts'
import { keepingNothing, withoutPrivatePaths, watchChanges } from './names/site-changes.ts'
import { editionAtPort, portInKey } from './names/shown-host.ts'
import { createSiteOrigin } from './origins/site-origin.ts'
import { createSiteLogin, isSiteLogin, type OpenSite } from './site-login.ts'
import type { SiteCall } from './origins/site-origin.ts'
import type { VaryingSites } from './page-cache/varying-sites.ts'

/** What a site handler is made of. */
export interface SiteHandlerDeps extends SiteEntranceDeps {
  files: SiteFiles
  php: PhpOrigin
  /** Default: none; a path that would be passed on is then answered with 503. */
  proxy?: ProxyOrigin
  /** Default: sites have no rules of their own. */
  rules?: SiteRules
  /** Checks passwords that settings of sites ask for. Default: none is right. */
  verifyPassword?: RuleFiles['verifyPassword']
  /** Who asks, by what a trusted proxy says of it. Default: whoever the connection is with. */
  clientOf?: (socketAddress: string, forwardedFor: string | null) => string
  /** Counts requests at sites with limits. Default: nobody asks too often. */
  meter?: RequestMeter
  /** Null: the page cache is off. */
  cache: PageCache | null
  /** Default: applications are not known. */
  applications?: SiteApplications
  /** Default: nothing is learned of cookies. */
  cookies?: SiteCookies
  /** Default: pages may be stored under every name that leads to a site. */
  storedNames?: StoredNames
  /** Default: no site is known to vary. */
  varying?: VaryingSites
  /** Default: answers go out as they are. */
  coder?: ResponseCoder
  /** Default: nobody watches whose work is done. */
  turns?: SiteTurns
  /** Default: nothing is held. */
  held?: HeldSites
  /** What a ticket of the panel opens at a site. Default: there are none. */
  openSite?: OpenSite
  log: Log
  /** Default: a site's own word purges nothing. */
  purgeSite?: PurgeSite
  /** Whether an address is a proxy whose word on its clients is believed. Default: none is. */
  isTrustedProxy?: (address: string) => boolean
}

/** Whether the site's own rules have a say in a request. */
export const isRuled = (
  { vhost, target }: Pick<SiteCall, 'vhost' | 'target'>,
  rules: Pick<SiteRules, 'applies'>,
): boolean => {
  const bound =
    vhost.rules !== undefined || vhost.rewrites.length > 0 || !passesOn(vhost, target.path)
  return bound && rules.applies(vhost) && !isChallenge(target.path)
}

/** What is known of a request beside what it says. */
interface HowToAnswer {
  /** Whether the site's own rules have a say. */
  ruled: boolean
  isTrustedProxy: boolean
  /** Of the site's application. */
  profile: Profile | null
}

/** After the page cache has seen the error, a page that broke off in PHP ends normally for the client. */
const finish = (response: Response, call: SiteCall): Response => {
  withPluginResponse(response)
  if (!call.tail || response.body === null) return response
  const { status, headers, body } = response
  return new Response(endIncompletePages(body, call.tail), { status, headers })
}

/**
 * What a virtual host answers: challenges of certificate authorities come
 * before everything else, then the host is looked up, a suspended site is
 * closed, http goes to https where wanted, the target is judged, and the page
 * cache stands before the site's files and scripts. Never rejects.
 *
 * The host is the `Host` header (the listener fills it from `:authority`).
 */
export const createSiteHandler = (deps: SiteHandlerDeps): SiteHandler => {
  const { cache, log, rules, coder } = deps
  const origins = {
    php: purgingAtOnce(deps.php, deps),
    ...(deps.proxy ? { proxy: purgingAtOnce(deps.proxy, deps) } : {}),
  }
  const plainOrigin = createSiteOrigin({ ...deps, ...origins })
  const origin = readPluginFields(plainOrigin, deps)
  const enter = createSiteEntrance(deps)
  const logIn = deps.openSite === undefined ? null : createSiteLogin(deps.openSite)
  const guards = createSiteGuards({
    files: deps.files,
    verifyPassword: deps.verifyPassword ?? (async () => false),
    clientOf: deps.clientOf,
    meter: deps.meter,
  })

  const answer = async (
    request: Request,
    call: SiteCall,
    { ruled, isTrustedProxy, profile }: HowToAnswer,
  ): Promise<Response> => {
    const { vhost, target, context } = call
    const { method } = request
    const judged = rules && ruled ? await rules.judge(request, call) : null
    if (judged) call.plan = judged.plan
    if (judged && isGuarded(vhost)) {
      const stopped = await guards.stopRewritten(request, call, judged.plan.target)
      if (stopped) return stopped
    }
    const ask = async (
      inner: Request,
      as: 'visitor' | 'neutral' = 'visitor',
    ): Promise<Response> => {
      const isBare = target.query !== null && !inner.url.includes('?')
      if (!isBare && inner === request) return origin(inner, call)
      // Everybody gets the response, so the version of one connection's protocol is no part of it.
      const asked = as === 'neutral' ? nobodysContext(context) : context
      const shown = { ...asked, protocol: 'HTTP/1.1' as const }
      const own: SiteCall = { ...call, context: shown }
      if (isBare) {
        // The page cache took the query away, because no page depends on its parameters.
        own.target = { ...target, query: null }
        if (rules && ruled) own.plan = await rules.plan(inner, own)
      }
      const response = await origin(inner, own)
      if (own.tail) call.tail = own.tail
      if (own.ours === true) call.ours = true
      if (own.told === true) call.told = true
      return response
    }
    // A WebSocket is nobody else's, and no response to its handshake is a page.
    // What rules answer this client only is no page for others.
    const alone = judged?.shared === false && (method === 'GET' || method === 'HEAD')
    const isPassedOn = passesOn(vhost, target.path) || (judged?.plan.backend ?? null) !== null
    const isUpgrade = context.upgrade !== undefined && isPassedOn
    if (cache === null || alone || isUpgrade || context.sample)
      return finish(withoutInternalHeaders(await ask(request)), call)
    const ofSite = deps.varying?.ruleAt(vhost) ?? vhost.cache
    const isStored = call.isCaught !== true && deps.storedNames?.ask(vhost, call.host) !== false
    const rule = isStored ? ofSite : keepingNothing(ofSite)
    const asked = parseHost(request.headers.get('host') ?? '')?.port ?? null
    const answered = await cache.handle(
      request,
      {
        host: call.host,
        primaryDomain: vhost.domain,
        rule: profile ? withoutPrivatePaths(profile, rule, target.path) : rule,
        secure:
          context.secure ||
          (isTrustedProxy && request.headers.get('x-forwarded-proto') === 'https'),
        clientAddress: context.clientAddress,
        isTrustedProxy,
        path: target.path,
        query: target.query,
        ...(deps.cookies ? { learned: deps.cookies.at(vhost) } : {}),
        edition: editionAtPort(judged?.plan.edition ?? '', portInKey(asked, context)),
        schemeMatters:
          vhost.php.enable || applicationsOf(vhost).length > 0 || vhost.hsts_max_age_secs > 0,
        ...(context.refresh === undefined ? {} : { refresh: context.refresh }),
      },
      ask,
    )
    return finish(answered, call)
  }

  /** The same, where the application is known: what it changes is purged before its response leaves. */
  const serveKnown = async (
    request: Request,
    call: SiteCall,
    how: HowToAnswer,
    applications: SiteApplications,
  ): Promise<Response> => {
    const found = applications.of(call.vhost, request.method)
    const profile = found instanceof Promise ? await found : found
    if (profile === null) return answer(request, call, how)
    const watched = watchChanges(profile, request, call.target)
    const response = await answer(watched.request, call, { ...how, profile })
    // A redirect or an error of the rules came before the application was asked.
    const isJudged = call.ours !== true && call.told !== true
    const effect = isJudged ? watched.effect(response) : 'none'
    if (effect !== 'none') await applications.changed(call.vhost, effect)
    return response
  }

  /** A front asks, which stores pages itself: past our page cache, and with all that is said to one. */
  const answerFront = async (
    received: Request,
    call: SiteCall,
    { ruled, guarded }: { ruled: boolean; guarded: boolean },
  ): Promise<Response> => {
    const { vhost } = call
    const profile = (await deps.applications?.of(vhost, received.method)) ?? null
    const watched = profile === null ? null : watchChanges(profile, received, call.target)
    const request = watched?.request ?? received
    const judged = rules && ruled ? await rules.judge(request, call) : null
    if (judged) call.plan = judged.plan
    if (judged && isGuarded(vhost)) {
      const stopped = await guards.stopRewritten(request, call, judged.plan.target)
      if (stopped) {
        keepFromFront(stopped)
        return stopped
      }
    }
    const response = await plainOrigin(request, call)
    const isJudged = call.ours !== true && call.told !== true
    const effect = isJudged && watched !== null ? watched.effect(response) : 'none'
    if (effect !== 'none') await deps.applications?.changed(vhost, effect)
    tellFront(response, call, { judged, guarded, profile, effect })
    return response
  }

  /** From here on, and whenever it goes on later, the process works for this request. */
  const mark = (method: string, { vhost, context }: SiteCall, turns: SiteTurns): void => {
    const { domain } = vhost
    context.turn = (part) => turns.enter(domain, method, context.rawTarget, part)
    context.turn('request')
  }

  return async (received, context) => {
    const isTrustedProxy = deps.isTrustedProxy?.(context.clientAddress) === true
    const own = withoutPanelSession(received)
    const request = isTrustedProxy ? own : withoutForwarding(own)
    let response: Response
    try {
      const call = enter(request, context)
      // Before all that has a say in what the site answers: it is the panel's own.
      const isHere = 'vhost' in call && call.vhost.proxy?.channel === undefined
      if (logIn !== null && isHere && isSiteLogin(call)) return await logIn(request, call)
      if ('vhost' in call) {
        const ruled = rules !== undefined && isRuled(call, rules)
        if (deps.turns) mark(request.method, call, deps.turns)
        if (deps.held?.holds(call.vhost, call.target.path, ruled) === true)
          return heldPage(request.method)
        const cached = cache !== null && call.vhost.cache.enable
        // Where neither rules nor the page cache have a say, nothing stands before the origin.
        const how = { ruled, isTrustedProxy, profile: null }
        const stands = isGuarded(call.vhost) || isLimited(call.vhost)
        const guarded = stands && !isChallenge(call.target.path)
        const stopped = guarded ? await guards.stop(request, call) : null
        if (stopped) {
          response = stopped
          if (context.front === true) keepFromFront(response)
        } else if (context.front === true)
          response = await answerFront(request, call, { ruled, guarded })
        else if (cached && deps.applications)
          response = await serveKnown(request, call, how, deps.applications)
        else if (ruled || cached) response = await answer(request, call, how)
        else response = finish(withoutInternalHeaders(await origin(request, call)), call)
        if (guarded && call.ours !== true) guards.mark(response, call)
        // Applications write rules of their own (permalinks), which count from their answer on.
        if (ruled && !isSafe(request.method) && response.status < 400 && call.ours !== true)
          await rules?.recheck(call.vhost, call.target.file)
        if (coder && context.front !== true) {
          const coded = codeResponse(request, response, call, { coder, files: deps.files })
          response = coded instanceof Promise ? await coded : coded
        }
      } else response = call
    } catch (error) {
      if (error instanceof OriginError && error.status === 503) {
        log.warn('a site is too busy', { target: context.rawTarget, reason: error.message })
        const headers = { 'retry-after': '5', 'cache-control': 'no-store', server: 'Berth' }
        return errorPage(request.method, 503, headers)
      }
      log.error('a request failed', {
        target: context.rawTarget,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
      response = errorPage(request.method, 500)
    }
    if (response.headers.get('server') !== 'Berth') response.headers.set('server', 'Berth')
    return response
  }
}
