import type { AskOrigin } from '#edge-cache/index.ts'
import { PURGE_FIELDS } from '#edge-cache/index.ts'
import { carriesToken } from '#handlers/management/access.ts'
import { scopesOfRequest } from '#handlers/sites/page-cache/purge-request.ts'
import { orderedBy, siteScopes } from '#handlers/sites/page-cache/site-purges.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import { errorPage } from '#handlers/sites/responses/error-page.ts'
import type { IsolatePages } from '../isolate-pages.ts'
import type { EdgeSite } from './edge-site.ts'

/** Where purges are carried out, and who is told of one that was not. */
export interface PurgeDeps {
  pages: Pick<IsolatePages, 'purge'>
  onFault(message: string, error: unknown): void
}

/**
 * Carries out what an origin's response asks to be made new (`X-Cache-Purge`, `X-LiteSpeed-Purge`), within
 * its own site, before the response goes on; so whoever reads it finds nothing old at any isolate. The field
 * goes no further. What cannot be carried out is told, and the response goes on.
 */
export const purgingAtOnce =
  (ask: AskOrigin, site: EdgeSite, { pages, onFault }: PurgeDeps): AskOrigin =>
  async (request, as) => {
    const response = await ask(request, as)
    const ordered = orderedBy(response.headers)
    if (ordered === null) return response
    const scopes = siteScopes(ordered.order, site)
    if (scopes.length > 0)
      await pages
        .purge(scopes)
        .catch((error: unknown) => onFault(`${site.domain}: a purge by the site failed.`, error))
    const plain = new Response(response.body, response)
    for (const name of PURGE_FIELDS) plain.headers.delete(name)
    return plain
  }

/**
 * Answers the method PURGE at a site's own name, as on a host; with the token of the management API,
 * since nobody can prove here to be the site's own account. Without it 405, and nothing changes.
 *
 * @param token null: there is no management API
 */
export const answerPurge = async (
  request: Request,
  site: EdgeSite,
  token: string | null,
  { pages, onFault }: PurgeDeps,
): Promise<Response> => {
  const { pathname, search } = new URL(request.url)
  const target = normalizeTarget(pathname + search)
  if (target === null) return errorPage('PURGE', 400)
  const headers = { 'cache-control': 'no-store' }
  if (token === null || !carriesToken(request, token))
    return errorPage('PURGE', 405, { ...headers, allow: 'GET, HEAD, POST' })
  try {
    const scopes = scopesOfRequest(request.headers, target.path, site)
    if (scopes.length > 0) await pages.purge(scopes)
    return new Response('Purged.\n', { headers })
  } catch (error) {
    onFault(`${site.domain}: a purge failed.`, error)
    return errorPage('PURGE', 503, { ...headers, 'retry-after': '1' })
  }
}
