import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { isAskedByFront, ORDERS_HOST, parseDone, type PurgeOrder } from './orders.ts'

/**
 * Answers fronts that ask what was purged at this host, and leaves everything else to the sites. A
 * visitor may ask for that name too, where a front has a site for names that none has: what a front passes on
 * says whose it is, so it is nobody's question.
 */
export const withOrders =
  (site: SiteHandler, take: (done: readonly string[]) => Promise<PurgeOrder[]>): SiteHandler =>
  async (request, context) => {
    const isOrder =
      context.front === true &&
      isAskedByFront(context) &&
      request.method === 'POST' &&
      request.headers.get('host') === ORDERS_HOST
    if (!isOrder) return site(request, context)
    const done = parseDone(await request.text().catch(() => ''))
    if (done === null) return new Response(null, { status: 400 })
    return Response.json({ purges: await take(done) }, { headers: { 'cache-control': 'no-store' } })
  }
