import type { Log } from '../ports/log.ts'
import { configuredPage } from './responses/configured-page.ts'
import { documentTarget, textResponse } from './htaccess/rule-response.ts'
import { fileRuleOf } from './htaccess/script-handler.ts'
import { OriginError } from './origins/php-origin.ts'
import { encodePath } from './paths/request-path.ts'
import { placeOf } from './paths/resolve-path.ts'
import type { SiteCall } from './site-call.ts'
import type { SiteFiles } from './site-files.ts'
import { serveFile } from './responses/static-response.ts'

/** Runs one script of a site. */
export type RunScript = (
  request: Request,
  call: SiteCall,
  script: { scriptName: string; pathInfo: string },
) => Promise<Response>

/** What a site answers when something is wrong. */
export interface SiteFailures {
  /** The page for a status: of the site's rules, of its configuration, or our own. */
  failure(
    this: void,
    request: Request,
    call: SiteCall,
    status: number,
    headers?: Record<string, string>,
  ): Promise<Response>
  /** Our page instead of a blank one, with whatever else the script's answer says. */
  silentFailure(this: void, request: Request, call: SiteCall, response: Response): Promise<Response>
  /** The page for an `OriginError`, which is logged as `what`; rethrows other errors. */
  originFailure(
    this: void,
    request: Request,
    call: SiteCall,
    what: string,
    error: unknown,
  ): Promise<Response>
}

/** `runScript` makes the pages of errors that are scripts. */
export const createSiteFailures = ({
  files,
  log,
  runScript,
}: {
  files: SiteFiles
  log: Log
  runScript: RunScript
}): SiteFailures => {
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
    if (document.kind === 'text') return textResponse(method, status, document.text, headers)
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
    const settings = plan?.settings
    const rule = settings ? fileRuleOf(settings, target.file, false) : 'file'
    if (rule === 'refuse') return null
    if (rule === 'run' || target.file.endsWith('.php')) {
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
    const { body, headers: given } = serveFile(plain, page, target.file)
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
    const settings = call.plan?.settings
    return configuredPage(files, request, vhost, status, headers, (path) =>
      settings ? fileRuleOf(settings, path, false) === 'file' : true,
    )
  }

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

  return { failure, silentFailure, originFailure }
}
