import {
  NO_CODING_HEADER,
  type PageCache,
  REVALIDATE_HEADER,
  SCRIPT_HEADER,
} from '../../../edge-cache/index.ts'
import { textOf } from '../../domain/config/site/site-texts.ts'
import { backendNamed } from '../../domain/config/proxy/backends.ts'
import type { ProxyRule } from '../../domain/config/config-types.ts'
import type { Log } from '../../ports/log.ts'
import { forbidsCoding } from '../responses/code-response.ts'
import { contentTypeOf } from '../responses/content-type.ts'
import { unlessEmptyFailure } from '../responses/empty-failure.ts'
import { errorPage } from '../responses/error-page.ts'
import { applyFileType } from '../htaccess/apply-content.ts'
import { applyPlan, withRuledHeaders } from '../htaccess/apply-plan.ts'
import type { Plan } from '../htaccess/plan.ts'
import { ruleHeaders, textResponse } from '../htaccess/rule-response.ts'
import { fileRuleOf, isScriptOff } from '../htaccess/script-handler.ts'
import { PageTail } from '../responses/incomplete-page.ts'
import { isHiddenPath, isTooDeep } from '../paths/path-rules.ts'
import { OriginError } from './php-origin.ts'
import type { PhpOrigin } from './php-origin.ts'
import { applicationAt, passesOn, type ProxyOrigin } from './proxy-origin.ts'
import { encodePath } from '../paths/request-path.ts'
import { VARY_COOKIE, VARY_VALUE } from '../rewrite/cache-flags.ts'
import { PatternLimit } from '../rewrite/pattern/pattern.ts'
import {
  fileNameOf,
  placeOf,
  isUnseen,
  resolvePath,
  scriptAtHand,
  type ResolvedScript,
} from '../paths/resolve-path.ts'
import { createListings } from '../listing/listings.ts'
import { showsListing } from '../listing/shows-listing.ts'
import { noteServedFile } from '../responses/served-file.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteCookies } from '../page-cache/site-cookies.ts'
import { createSiteFailures, type RunScript } from '../site-failures.ts'
import type { SiteFiles } from '../site-files.ts'
import { serveFile } from '../responses/static-response.ts'
import { isWithoutAbort, readToItsEnd, withoutAbort } from '../responses/without-abort.ts'

export type { SiteCall } from '../site-call.ts'

/** Answers a call from the site's own files and scripts, without any cache. */
export type SiteOrigin = (request: Request, call: SiteCall) => Promise<Response>

const OURS_TO_SAY = [REVALIDATE_HEADER, SCRIPT_HEADER]

const FILE_METHODS = new Set(['GET', 'HEAD'])

/** A path in a `Location`: `//name` would be another host. */
const localPath = (path: string): string => encodePath(path.replace(/^\/+/, '/'))

/** What a script learns of the rules. */
const planEnvironment = ({
  env,
  user,
  variant,
  varyCookies,
}: Plan): ReadonlyMap<string, string> => {
  const added: [string, string][] = []
  if (user !== '') added.push(['REMOTE_USER', user], ['AUTH_TYPE', 'Basic'])
  if (variant !== '') added.push([VARY_VALUE, variant])
  if (varyCookies.length > 0) added.push([VARY_COOKIE, varyCookies.join(',')])
  return added.length === 0 ? env : new Map([...env, ...added])
}

/**
 * Static files, PHP and error pages of virtual hosts. The virtual host's own
 * headers are part of every response, so that a cached page has them too.
 */
export const createSiteOrigin = (deps: {
  files: SiteFiles
  php: PhpOrigin
  proxy?: ProxyOrigin
  cookies?: SiteCookies
  /** Default and null: the page cache is off. */
  cache?: Pick<PageCache, 'tally'> | null
  log: Log
}): SiteOrigin => {
  const cache = deps.cache ?? null
  const hasCache = cache !== null
  const { files, php, proxy, log } = deps
  const listings = createListings(files)

  const runScript: RunScript = async (request, call, script) => {
    const { vhost, host, context, target, plan } = call
    const path = encodePath(target.path)
    const served = call.script ?? plan?.target ?? target
    const env = call.env ?? (plan ? planEnvironment(plan) : undefined)
    try {
      const isKept = plan !== undefined && isWithoutAbort(plan.env)
      const response = await php.run(isKept ? withoutAbort(request) : request, {
        vhost,
        context,
        host,
        scriptFilename: fileNameOf(vhost, script.scriptName),
        scriptName: script.scriptName,
        pathInfo: script.pathInfo,
        requestUri: target.query === null ? path : `${path}?${target.query}`,
        queryString: served.query ?? '',
        pageCache: hasCache && vhost.cache.enable,
        ...(hasCache && vhost.cache.enable ? { tally: cache.tally(vhost.domain) } : {}),
        ...(env ? { env } : {}),
        ...(plan?.ini ? { ini: plan.ini } : {}),
        ...(call.errorStatus === undefined ? {} : { errorStatus: call.errorStatus }),
        streaming: () => (call.tail = new PageTail()),
      })
      // Said by ourselves alone: no application may pass its responses off as a file's.
      for (const name of OURS_TO_SAY) response.headers.delete(name)
      if (hasCache && vhost.cache.enable && request.method === 'GET') {
        const file = fileNameOf(vhost, script.scriptName)
        response.headers.set(SCRIPT_HEADER, encodeURIComponent(file))
      }
      // An answer to HEAD never has a body.
      if (request.method === 'HEAD' || response.status < 500)
        return isKept ? readToItsEnd(response) : response
      return (await unlessEmptyFailure(response)) ?? (await silentFailure(request, call, response))
    } catch (error) {
      return originFailure(request, call, 'PHP did not answer', error)
    }
  }

  const { failure, silentFailure, originFailure } = createSiteFailures({ files, log, runScript })

  /** The application's own answer, or our page where it gave none. */
  const passOn = async (request: Request, call: SiteCall, rule: ProxyRule): Promise<Response> => {
    const { vhost, host, context, plan } = call
    const target = plan?.rewritten ? plan.target : call.target
    const path = encodePath(target.path)
    const requestUri = target.query === null ? path : `${path}?${target.query}`
    try {
      if (proxy === undefined) throw new OriginError(503, 'this server passes nothing on')
      const response = await proxy.run(request, { vhost, rule, context, host, requestUri })
      for (const name of OURS_TO_SAY) response.headers.delete(name)
      return response
    } catch (error) {
      return originFailure(request, call, 'the application did not answer', error)
    }
  }

  /** 404; where it says nothing of the path and the client, the listener may give it again. */
  const nothingThere = (request: Request, call: SiteCall): Promise<Response> => {
    const { vhost, plan, context } = call
    const isRuled = plan !== undefined && (plan.edition !== '' || plan.rewritten)
    if (!isRuled && vhost.error_pages['404'] === undefined) context.nothingThere?.(vhost)
    return failure(request, call, 404)
  }

  const answer = async (request: Request, call: SiteCall): Promise<Response> => {
    const { vhost, plan } = call
    const target = plan?.target ?? call.target
    // Rules about files are no rules for an application's addresses, but who may see them is said for both.
    const named = plan?.backend ?? null
    const application =
      named === null ? applicationAt(vhost, target.path) : backendNamed(vhost, named)
    if (named !== null && application === null) return failure(request, call, 502)
    const passes = application !== null
    if (application !== null && !plan?.answer) {
      return passOn(plan ? withRuledHeaders(request, plan) : request, call, application)
    }
    const isLedAway = (plan?.answer?.status ?? 400) < 400
    if (
      !isLedAway &&
      !passes &&
      target.file !== null &&
      (await isUnseen(files, vhost, target.file))
    ) {
      return nothingThere(request, call)
    }
    if (plan?.answer) {
      const { status } = plan.answer
      const headers = ruleHeaders(plan.answer)
      const text = plan.answer.text === undefined ? null : textOf(vhost, plan.answer.text)
      if (text !== null) {
        call.ours = true
        const type = { ...headers, 'content-type': text.type }
        return textResponse(request.method, status, text.body, type)
      }
      if (status >= 400) return failure(request, call, status, headers)
      call.ours = true
      return new Response(null, { status, headers: { ...headers, 'content-length': '0' } })
    }
    if (plan?.missing) return failure(request, call, 404)
    const settings = plan?.settings
    const found = await resolvePath(
      files,
      settings?.index ? { ...vhost, index: settings.index } : vhost,
      target.file,
      settings ? (name) => fileRuleOf(settings, name) === 'run' : undefined,
      showsListing(vhost, settings ?? null),
    )
    if (found.kind === 'script') {
      if (settings && isScriptOff(settings, found.scriptName)) return failure(request, call, 403)
      return runScript(settings ? withRuledHeaders(request, plan) : request, call, found)
    }
    if (found.kind === 'nothing') return nothingThere(request, call)
    if (found.kind === 'file' && settings && fileRuleOf(settings, found.name) !== 'file') {
      found.file.close()
      return failure(request, call, 403)
    }
    if (!FILE_METHODS.has(request.method)) {
      if (found.kind === 'file') found.file.close()
      return failure(request, call, 405, { allow: 'GET, HEAD' })
    }
    if (found.kind === 'listing') {
      const listing = await listings.answer(request, call, target.file ?? '/')
      return listing ?? failure(request, call, 403)
    }
    if (found.kind === 'file') {
      const { mtimeMs } = found.file
      const response = serveFile(request, found.file, found.name)
      // Rules are about the file's type, also where it did not change (RFC 9110, 15.4.5).
      if (settings && response.status === 304)
        response.headers.set('content-type', contentTypeOf(found.name))
      if (settings) applyFileType(settings, found.name, response.headers, plan.type)
      if (request.method === 'GET' && response.status === 200) {
        const { path } = call.target
        noteServedFile(response, { place: placeOf(vhost, found.name), mtimeMs })
        call.context.wholeFile?.({ vhost, path, edition: plan?.edition ?? '' })
      }
      return response
    }
    if (settings?.directorySlash === false) return failure(request, call, 404)
    call.ours = true
    const query = target.query === null ? '' : `?${target.query}`
    const location = `${localPath(`${target.path}/`)}${query}`
    return new Response(null, { status: 301, headers: { location, 'content-length': '0' } })
  }

  /** Where the path says no more than that a known script is to run; null: `answer` finds out. */
  const atHand = ({ vhost, target, plan }: SiteCall): ResolvedScript | null => {
    if (plan !== undefined || target.file === null || passesOn(vhost, target.path)) return null
    if (isHiddenPath(target.file) || isTooDeep(target.file)) return null
    return scriptAtHand(files, vhost, target.file)
  }

  /** Our own page, without the headers that rules would give it. */
  const tooCostly = ({ method }: Request, call: SiteCall): Response => {
    const { vhost, target } = call
    log.warn('header rules take too many steps', { domain: vhost.domain, path: target.path })
    call.ours = true
    return errorPage(method, 500, { 'cache-control': 'no-store', server: 'Berth' })
  }

  return async (request, call) => {
    let response: Response
    try {
      const script = atHand(call)
      response = await (script ? runScript(request, call, script) : answer(request, call))
    } catch (error) {
      if (error instanceof PatternLimit) return tooCostly(request, call)
      if (!(error instanceof OriginError) || error.status !== 503) throw error
      log.warn('a site is too busy', { domain: call.vhost.domain, reason: error.message })
      // `failure` would open another file of the account, so this page is our own.
      const headers = { 'retry-after': '5', 'cache-control': 'no-store' }
      response = errorPage(request.method, 503, headers)
    }
    call.context.turn?.('request')
    for (const [name, value] of Object.entries(call.vhost.headers)) {
      if (!OURS_TO_SAY.includes(name.toLowerCase())) response.headers.set(name, value)
    }
    try {
      if (call.plan) {
        const asking = applyPlan(response, request, call, call.plan)
        if (asking) await asking
      }
    } catch (error) {
      if (!(error instanceof PatternLimit)) throw error
      await response.body?.cancel()
      return tooCostly(request, call)
    }
    if (call.plan?.settings && response.status === 304) response.headers.delete('content-type')
    const learning = deps.cookies?.learn(call.vhost, response)
    if (learning) await learning
    if (call.plan && forbidsCoding(call.plan)) response.headers.set(NO_CODING_HEADER, '1')
    const { hsts_max_age_secs: maxAgeSecs } = call.vhost
    // Over plain http browsers would have to ignore it (RFC 6797, 7.2).
    if (maxAgeSecs > 0 && call.context.secure) {
      response.headers.set('strict-transport-security', `max-age=${maxAgeSecs}`)
    }
    response.headers.set('server', 'Berth')
    return response
  }
}
