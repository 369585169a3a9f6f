import type { AskOrigin, PageCacheContext, PageRefresh } from '#edge-cache/index.ts'
import { taughtNames } from '#edge-cache/index.ts'
import { withoutForwarding } from '#handlers/sites/origins/forwarding-fields.ts'
import { encodePath, normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import { errorPage } from '#handlers/sites/responses/error-page.ts'
import type { IsolatePages } from '../isolate-pages.ts'
import { createAskOrigin, isWebSocket, NoAnswer, viaOf } from './ask-origin.ts'
import type { EdgeSite } from './edge-site.ts'
import { answerPurge, purgingAtOnce } from './purge-by-site.ts'
import { serveAssets } from './serve-assets.ts'

/** What a site is served with. */
export interface SiteDeps {
  pages: IsolatePages
  assets: Fetcher | null
  /** Of the management API; null: there is none. */
  token: string | null
  /** The binding of that name. */
  bound(name: string): Fetcher
  onFault(message: string, error: unknown): void
}

const LOOP = 'The address of this site leads back to where it is asked from.\n'
const ACME = '/.well-known/acme-challenge/'

/** Learns which cookies the site sets, before its answer leaves. */
const learning =
  (ask: AskOrigin, site: EdgeSite, { pages, onFault }: SiteDeps): AskOrigin =>
  async (request, as) => {
    const response = await ask(request, as)
    const { rule, domain } = site
    // By whose word cookies count, nothing is learned beside it.
    if (rule.mode === 'http' || rule.bypass_cookies !== null) return response
    const names = taughtNames(response.headers.getSetCookie(), rule, Date.now())
    const news = names.filter((name) => pages.cookies.isNews(domain, name))
    if (news.length > 0)
      await pages
        .learn(domain, news)
        .catch((error: unknown) => onFault('Learned cookies could not be told.', error))
    return response
  }

/** Answers a request at one of a site's names. `refresh` fills its page anew; see `PageCacheContext`. */
export const serveSite = async (
  incoming: Request,
  site: EdgeSite,
  host: string,
  deps: SiteDeps,
  refresh?: PageRefresh,
): Promise<Response> => {
  const { method } = incoming
  if (method === 'PURGE' && site.assets === null && site.rule.enable)
    return answerPurge(incoming, site, deps.token, deps)
  const url = new URL(incoming.url)
  const secure = url.protocol === 'https:'
  const target = normalizeTarget(url.pathname + url.search)
  if (target === null) return errorPage(method, 400)
  const path = encodePath(target.path) + (target.query === null ? '' : `?${target.query}`)
  if (site.redirectHttps && !secure && !target.path.startsWith(ACME)) {
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    return new Response(null, { status, headers: { location: `https://${host}${path}` } })
  }
  if (site.assets !== null) {
    if (deps.assets === null) return errorPage(method, 503)
    return serveAssets(incoming, target, site.assets, deps.assets)
  }
  if (incoming.headers.get('via')?.includes(viaOf(site)) === true)
    return new Response(LOOP, { status: 508, headers: { 'cache-control': 'no-store' } })

  const clientAddress = incoming.headers.get('cf-connecting-ip') ?? ''
  const request = withoutForwarding(
    new Request(`${secure ? 'https' : 'http'}://${host}${path}`, incoming),
  )
  const { via } = site
  const ask = createAskOrigin({
    ...{ site, host, secure, clientAddress },
    send: (asked) => (via === null ? fetch(asked) : deps.bound(via).fetch(asked)),
  })
  // Before anything of it is judged: purges and cookies are among the news.
  if (!isWebSocket(request)) await deps.pages.follow()
  const context: PageCacheContext = {
    host,
    primaryDomain: site.domain,
    rule: site.rule,
    secure,
    clientAddress,
    path: target.path,
    query: target.query,
    learned: deps.pages.cookies.at(site.domain, site.rule),
    ...(refresh ? { refresh } : {}),
  }
  try {
    // The other end of a WebSocket is part of its response, which nobody may make anew.
    if (isWebSocket(request)) return await ask(request)
    const telling = learning(purgingAtOnce(ask, site, deps), site, deps)
    return await deps.pages.cache().handle(request, context, telling)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    if (error.status !== 413) deps.onFault(`${site.domain}: the origin did not answer.`, error)
    return errorPage(method, error.status, { 'cache-control': 'no-store' })
  }
}
