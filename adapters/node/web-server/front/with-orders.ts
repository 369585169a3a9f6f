import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { ORDERS_HOST, parseDone, type PurgeOrder } from './orders.ts'

/**
 * Answers fronts that ask what was purged at this host, and leaves everything else to the sites: a
 * visitor's request that a front passes on has the name of a site, and at other listeners nobody is asked so.
 */
export const withOrders =
  (site: SiteHandler, take: (done: readonly string[]) => Promise<PurgeOrder[]>): SiteHandler =>
  async (request, context) => {
    const isOrder =
      context.front === true &&
      request.method === 'POST' &&
      request.headers.get('host') === ORDERS_HOST
    if (!isOrder) return site(request, context)
    const done = parseDone(await request.text().catch(() => ''))
    if (done === null) return new Response(null, { status: 400 })
    return Response.json({ purges: await take(done) }, { headers: { 'cache-control': 'no-store' } })
  }
