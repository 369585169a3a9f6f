import type { ProxyRule, VirtualHostConfig } from '../domain/config-types.ts'
import type { Log } from '../ports/log.ts'
import { unlessEmptyFailure } from './empty-failure.ts'
import { errorPage } from './error-page.ts'
import { PageTail } from './incomplete-page.ts'
import { applyExpiry, applyFileType, isScriptOff } from './htaccess/apply-content.ts'
import { applyHeaderRules, type HeaderFacts } from './htaccess/apply-headers.ts'
import type { Plan } from './htaccess/plan.ts'
import { documentTarget, ruleHeaders, textAnswer } from './htaccess/rule-answer.ts'
import { isHiddenPath, isScriptSource, isTooDeep } from './path-rules.ts'
import { isProxiedPath, type ProxyOrigin } from './proxy-origin.ts'
import { OriginError } from './php-origin.ts'
import type { PhpOrigin } from './php-origin.ts'
import { encodePath } from './request-path.ts'
import type { NormalTarget } from './request-path.ts'
import { placeOf, resolvePath, rootOf } from './resolve-path.ts'
import type { SiteContext } from './site-context.ts'
import type { SiteFiles } from './site-files.ts'
import { answerFile } from './static-answer.ts'

/** One request at a virtual host, judged. */
export interface SiteCall {
  vhost: VirtualHostConfig
  /** Requested name, one of the virtual host's. */
  host: string
  target: NormalTarget
  context: SiteContext
  /** What the site's own rules make of it; without any it is what it says. */
  plan?: Plan
  /** Variables and address of the script that makes the page of an error. */
  env?: ReadonlyMap<string, string>
  script?: NormalTarget
  /** Status that `script` is the page of. */
  errorStatus?: number
  /** Set where the answer is not the site's own but ours: an error, a redirect. */
  ours?: boolean
  /** Set when a script answers piece by piece: the body may end with `IncompletePage`. */
  tail?: PageTail
}

/** Answers a call from the site's own files and scripts, without any cache. */
export type SiteOrigin = (request: Request, call: SiteCall) => Promise<Response>

const FILE_METHODS = new Set(['GET', 'HEAD'])

/** A path in a `Location`: `//name` would be another host. */
const localPath = (path: string): string => encodePath(path.replace(/^\/+/, '/'))

/** What a script learns of the rules. */
const planEnvironment = ({ env, user }: Plan): ReadonlyMap<string, string> =>
  user === '' ? env : new Map([...env, ['REMOTE_USER', user], ['AUTH_TYPE', 'Basic']])

const factsOf = (request: Request, { env }: Plan): HeaderFacts => ({
  env,
  budget: { left: HEADER_STEPS },
  nowMs: Date.now(),
  asked: request.headers,
})

/** The request as `RequestHeader` rules change it. */
const withRuledHeaders = (request: Request, plan: Plan): Request => {
  const rules = plan.settings?.requestHeaders ?? []
  if (rules.length === 0) return request
  const headers = new Headers(request.headers)
  applyHeaderRules(rules, headers, factsOf(request, plan))
  const streaming = request.body === null ? {} : { duplex: 'half' }
  return new Request(request, { headers, ...streaming })
}

/** Expiry, `Header` rules and cookies of the rules. */
const applyPlan = (response: Response, request: Request, call: SiteCall, plan: Plan): void => {
  const { headers } = response
  for (const cookie of plan.cookies) headers.append('set-cookie', cookie)
  const { settings } = plan
  if (!settings) return
  if (call.ours !== true) applyExpiry(settings, headers, Date.now())
  // Without "always" a rule is about answers of the site, not about errors and redirects of ours.
  const rules = settings.headers.filter(({ always }) => always || call.ours !== true)
  applyHeaderRules(rules, headers, factsOf(request, plan))
}

/** Steps that the patterns of header rules may take for one answer. */
const HEADER_STEPS = 50_000

/**
 * Static files, PHP and error pages of virtual hosts. The virtual host's own
 * headers are part of every answer, so that a cached page has them too.
 */
export const createSiteOrigin = (deps: {
  files: SiteFiles
  php: PhpOrigin
  proxy?: ProxyOrigin
  log: Log
}): SiteOrigin => {
  const { files, php, proxy, log } = deps

  /** The page that the site's rules have for an error; null: none that can be used. */
  const ruledFailure = async (
    request: Request,
    call: SiteCall,
    status: number,
    headers: Record<string, string>,
  ): Promise<Response | null> => {
    const { vhost, plan } = call
    const document = plan?.settings?.errorDocuments.get(status)
    if (!document) return null
    const { method } = request
    if (document.kind === 'text') return textAnswer(method, status, document.text, headers)
    if (document.kind === 'url') {
      if (status === 401 || !URL.canParse(document.url)) return null
      return new Response(null, {
        status: 302,
        headers: { location: new URL(document.url).href, 'content-length': '0' },
      })
    }
    const target = documentTarget(document)
    if (!target?.file) return null
    const plain = new Request(request.url, { method: method === 'HEAD' ? 'HEAD' : 'GET' })
    if (target.file.endsWith('.php')) {
      if (!vhost.php.enable || (await files.judge(placeOf(vhost, target.file))) !== 'file') {
        return null
      }
      // A script that fails in its turn gets our own page.
      const { plan: _plan, ...bare } = call
      const env = new Map([...(plan?.env ?? []), ['REDIRECT_URL', encodePath(call.target.path)]])
      const inner: SiteCall = { ...bare, env, script: target, errorStatus: status }
      const script = { scriptName: target.file, pathInfo: '' }
      const response = await runScript(plain, inner, script)
      if (inner.tail) call.tail = inner.tail
      const kept = new Headers(response.headers)
      for (const [name, value] of Object.entries(headers)) kept.set(name, value)
      return new Response(response.body, { status, headers: kept })
    }
    const page = await files.open(placeOf(vhost, target.file))
    if (typeof page !== 'object') return null
    const { body, headers: given } = answerFile(plain, page, target.file)
    const kept = { ...headers }
    for (const name of ['content-type', 'content-length']) kept[name] = given.get(name) ?? ''
    return new Response(body, { status, headers: kept })
  }

  const failure = async (
    request: Request,
    call: SiteCall,
    status: number,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const { vhost } = call
    call.ours = true
    const own = await ruledFailure(request, call, status, headers)
    if (own) return own
    const path = vhost.error_pages[String(status)]
    const neutral = errorPage(request.method, status, headers)
    if (path === undefined || isScriptSource(path)) return neutral
    const page = await files.open(placeOf(vhost, path.startsWith('/') ? path : `/${path}`))
    if (typeof page !== 'object') return neutral
    // Conditions and ranges are about the page asked for, not about this one.
    const plain = new Request(request.url, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' })
    const { body, headers: given } = answerFile(plain, page, path)
    const kept = { ...headers }
    for (const name of ['content-type', 'content-length']) kept[name] = given.get(name) ?? ''
    return new Response(body, { status, headers: kept })
  }

  /** Our page instead of a blank one, with whatever else the script's answer says. */
  const silentFailure = async (
    request: Request,
    call: SiteCall,
    { status, headers }: Response,
  ): Promise<Response> => {
    delete call.tail
    const page = await failure(request, call, status)
    const kept = new Headers(headers)
    for (const name of ['content-encoding', 'etag', 'last-modified']) kept.delete(name)
    for (const [name, value] of page.headers) kept.set(name, value)
    if (!kept.has('cache-control')) kept.set('cache-control', 'no-store')
    return new Response(page.body, { status, headers: kept })
  }

  const originFailure = (
    request: Request,
    call: SiteCall,
    what: string,
    error: unknown,
  ): Promise<Response> => {
    if (!(error instanceof OriginError)) throw error
    const { status, message } = error
    if (status >= 500) {
      const cause = error.cause instanceof Error ? error.cause.message : undefined
      const { domain } = call.vhost
      log.error(what, {
        domain,
        path: encodePath(call.target.path),
        status,
        reason: message,
        cause,
      })
    }
    return failure(request, call, status, {
      'cache-control': 'no-store',
      ...(status === 503 ? { 'retry-after': '5' } : {}),
    })
  }

  const runScript = async (
    request: Request,
    call: SiteCall,
    script: { scriptName: string; pathInfo: string },
  ): Promise<Response> => {
    const { vhost, host, context, target, plan } = call
    const path = encodePath(target.path)
    const served = call.script ?? plan?.target ?? target
    const env = call.env ?? (plan ? planEnvironment(plan) : undefined)
    try {
      const response = await php.run(request, {
        vhost,
        context,
        host,
        scriptFilename: `${rootOf(vhost)}${script.scriptName}`,
        scriptName: script.scriptName,
        pathInfo: script.pathInfo,
        requestUri: target.query === null ? path : `${path}?${target.query}`,
        queryString: served.query ?? '',
        ...(env ? { env } : {}),
        ...(call.errorStatus === undefined ? {} : { errorStatus: call.errorStatus }),
        streaming: () => (call.tail = new PageTail()),
      })
      // An answer to HEAD never has a body.
      if (request.method === 'HEAD') return response
      return (await unlessEmptyFailure(response)) ?? (await silentFailure(request, call, response))
    } catch (error) {
      return originFailure(request, call, 'PHP did not answer', error)
    }
  }

  /** The application's own answer, or our page where it gave none. */
  const passOn = async (request: Request, call: SiteCall, rule: ProxyRule): Promise<Response> => {
    const { vhost, host, context, target } = call
    const path = encodePath(target.path)
    const requestUri = target.query === null ? path : `${path}?${target.query}`
    try {
      if (proxy === undefined) throw new OriginError(503, 'this server passes nothing on')
      return await proxy.run(request, { vhost, rule, context, host, requestUri })
    } catch (error) {
      return originFailure(request, call, 'the application did not answer', error)
    }
  }

  const answer = async (request: Request, call: SiteCall): Promise<Response> => {
    const { vhost, plan } = call
    const target = plan?.target ?? call.target
    // Rules about files are no rules for an application's addresses.
    if (vhost.proxy !== null && isProxiedPath(vhost.proxy, target.path)) {
      return passOn(request, call, vhost.proxy)
    }
    if (target.file !== null && (isHiddenPath(target.file) || isTooDeep(target.file))) {
      return failure(request, call, 404)
    }
    if (plan?.answer) {
      const { status } = plan.answer
      const headers = ruleHeaders(plan.answer)
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
    )
    if (found.kind === 'script') {
      if (settings && isScriptOff(settings, found.scriptName)) return failure(request, call, 403)
      return runScript(settings ? withRuledHeaders(request, plan) : request, call, found)
    }
    if (found.kind === 'nothing') return failure(request, call, 404)
    if (!FILE_METHODS.has(request.method)) {
      if (found.kind === 'file') found.file.close()
      return failure(request, call, 405, { allow: 'GET, HEAD' })
    }
    if (found.kind === 'file') {
      const response = answerFile(request, found.file, found.name)
      if (settings) applyFileType(settings, found.name, response.headers, plan.type)
      return response
    }
    if (settings?.directorySlash === false) return failure(request, call, 404)
    call.ours = true
    const query = target.query === null ? '' : `?${target.query}`
    const location = `${localPath(`${target.path}/`)}${query}`
    return new Response(null, { status: 301, headers: { location, 'content-length': '0' } })
  }

  /** `failure` would open another file of the account, so this page is our own. */
  const answerOrBusy = async (request: Request, call: SiteCall): Promise<Response> => {
    try {
      return await answer(request, call)
    } catch (error) {
      if (!(error instanceof OriginError) || error.status !== 503) throw error
      log.warn('a site is too busy', { domain: call.vhost.domain, reason: error.message })
      return errorPage(request.method, 503, { 'retry-after': '5', 'cache-control': 'no-store' })
    }
  }

  return async (request, call) => {
    const response = await answerOrBusy(request, call)
    for (const [name, value] of Object.entries(call.vhost.headers)) {
      response.headers.set(name, value)
    }
    if (call.plan) applyPlan(response, request, call, call.plan)
    const { hsts_max_age_secs: maxAgeSecs } = call.vhost
    // Over plain http browsers would have to ignore it (RFC 6797, 7.2).
    if (maxAgeSecs > 0 && call.context.secure) {
      response.headers.set('strict-transport-security', `max-age=${maxAgeSecs}`)
    }
    response.headers.set('server', 'Berth')
    return response
  }
}
