import type { ProxyRule, VirtualHostConfig } from '../domain/config-types.ts'
import type { Log } from '../ports/log.ts'
import { unlessEmptyFailure } from './empty-failure.ts'
import { errorPage } from './error-page.ts'
import { PageTail } from './incomplete-page.ts'
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
  /** Set when a script answers piece by piece: the body may end with `IncompletePage`. */
  tail?: PageTail
}

/** Answers a call from the site's own files and scripts, without any cache. */
export type SiteOrigin = (request: Request, call: SiteCall) => Promise<Response>

const FILE_METHODS = new Set(['GET', 'HEAD'])

/** A path in a `Location`: `//name` would be another host. */
const localPath = (path: string): string => encodePath(path.replace(/^\/+/, '/'))

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

  const failure = async (
    request: Request,
    { vhost }: SiteCall,
    status: number,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const path = vhost.error_pages[String(status)]
    const neutral = errorPage(request.method, status, headers)
    if (path === undefined || isScriptSource(path)) return neutral
    const page = await files.open(placeOf(vhost, path.startsWith('/') ? path : `/${path}`))
    if (typeof page !== 'object') return neutral
    // Conditions and ranges are about the page asked for, not about this one.
    const plain = new Request(request.url, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' })
    const { body, headers: own } = answerFile(plain, page, path)
    const kept = { ...headers }
    for (const name of ['content-type', 'content-length']) kept[name] = own.get(name) ?? ''
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
    const { vhost, host, context, target } = call
    const path = encodePath(target.path)
    try {
      const response = await php.run(request, {
        vhost,
        context,
        host,
        scriptFilename: `${rootOf(vhost)}${script.scriptName}`,
        scriptName: script.scriptName,
        pathInfo: script.pathInfo,
        requestUri: target.query === null ? path : `${path}?${target.query}`,
        queryString: target.query ?? '',
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
    const { vhost, target } = call
    // Rules about files are no rules for an application's addresses.
    if (vhost.proxy !== null && isProxiedPath(vhost.proxy, target.path)) {
      return passOn(request, call, vhost.proxy)
    }
    if (target.file !== null && (isHiddenPath(target.file) || isTooDeep(target.file))) {
      return failure(request, call, 404)
    }
    const found = await resolvePath(files, vhost, target.file)
    if (found.kind === 'script') return runScript(request, call, found)
    if (found.kind === 'nothing') return failure(request, call, 404)
    if (!FILE_METHODS.has(request.method)) {
      if (found.kind === 'file') found.file.close()
      return failure(request, call, 405, { allow: 'GET, HEAD' })
    }
    if (found.kind === 'file') return answerFile(request, found.file, found.name)
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
    const { hsts_max_age_secs: maxAgeSecs } = call.vhost
    // Over plain http browsers would have to ignore it (RFC 6797, 7.2).
    if (maxAgeSecs > 0 && call.context.secure) {
      response.headers.set('strict-transport-security', `max-age=${maxAgeSecs}`)
    }
    response.headers.set('server', 'Berth')
    return response
  }
}
