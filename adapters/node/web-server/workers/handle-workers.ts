import { purgeDomain, type PurgeScope } from '#edge-cache/index.ts'
import type { RedisLayer } from '../cache/redis/redis-layer.ts'
import type { SharedPages } from '../cache/shared-pages.ts'
import type { ConnectionLedger } from '../connections/connection-ledger.ts'
import type { RefusalLog } from '../connections/refusal-log.ts'
import type { SitePurges } from '../control/site-purges.ts'
import type { PurgesForFronts } from '../front/purges-for-fronts.ts'
import type { CounterLedger } from './counter-ledger.ts'
import type { FillBroker } from './fill-broker.ts'
import type { PageChange, ToPrimary } from './messages.ts'
import type { SiteLedgers } from './site-ledgers.ts'
import type { WorkerPool } from './worker-pool.ts'

/** A worker that does not look again in time does it within a second by itself. */
const RULES_MS = 500

/** The parts of the primary that messages of workers change or ask. */
export interface ServingParts<W extends object> {
  pool: Pick<WorkerPool, 'alive'>
  pages: Pick<SharedPages, 'disk'>
  /** Null: pages are not shared through Redis. */
  redis: Pick<RedisLayer, 'tellChange' | 'check'> | null
  /** Null: no fronts are served. */
  forFronts: PurgesForFronts | null
  fills: FillBroker<W>
  /** Has the other workers let go of a page that one changed. */
  changed(by: W, change: PageChange, replaced: boolean): Promise<void>
  ledgers: SiteLedgers
  sitePurges: SitePurges
  counters: CounterLedger<W>
  connections: ConnectionLedger<W>
  refusals: RefusalLog
  /** Resolves when no worker can answer what the scopes name any more. */
  invalidate(scopes: readonly PurgeScope[], cause: string): Promise<unknown>
}

/** Does what workers say and answers what they ask; see `ToPrimary`. */
export const handleWorkers = <W extends object>(
  parts: ServingParts<W>,
): ((worker: W, body: ToPrimary) => unknown) => {
  const { pool, pages, redis, fills, changed, sitePurges, counters, connections, refusals } = parts
  const { forFronts } = parts
  const { recognised, changes, cookies, varying, cpu, observations } = parts.ledgers
  const { traffic, figures, stalls } = parts.ledgers
  return (worker, body) => {
    switch (body.type) {
      case 'fill-join':
        return fills.join(worker, body.key.id)
      case 'fill-settle':
        return fills.settle(worker, body.fill, body.kind)
      case 'fill-page':
        return fills.give(worker, body.fill, body.entry)
      case 'l2-put':
        return pages.disk
          ?.put(body.entry)
          .then((replaced) => changed(worker, { id: body.id, edition: body.edition }, replaced))
      case 'l2-delete':
        return pages.disk
          ?.delete(body.key)
          .then(() => changed(worker, { id: body.key.id, edition: null }, true))
      case 'page-changed':
        if (body.replaced) redis?.tellChange(body.change)
        return changed(worker, body.change, body.replaced)
      case 'invalidate':
        return parts.invalidate(body.scopes, body.cause ?? 'unsafe-request')
      case 'site-recognised':
        return recognised.note(body.site, body.application)
          ? changes.changed(body.site, 'now')
          : undefined
      case 'site-changed':
        return changes.changed(body.site, body.effect)
      case 'rules-changed':
        return Promise.allSettled([
          ...pool.alive.map((one) => one.ask({ type: 'rules-changed', site: body.site }, RULES_MS)),
          // Here pages have the rules in their addresses.
          forFronts?.share(purgeDomain(body.site)),
        ]).then(() => null)
      case 'front-asks':
        return forFronts?.take(body.done) ?? []
      case 'learn-cookies':
        return cookies.learn(body.site, body.names)
      case 'sample-turn':
        return varying.takeTurn(body.site, body.clientClass)
      case 'site-varies':
        return varying.note(body.site, body)
      case 'purge-site':
        return sitePurges.purge(body.domain, body.scopes, body.cause)
      case 'counters':
        return counters.note(worker, body.counters)
      case 'cpu':
        for (const [site, ms] of Object.entries(body.times)) cpu.add(site, ms)
        return
      case 'observations':
        return observations.note(body.sites)
      case 'traffic':
        return traffic.note(body.bytes)
      case 'figures':
        return figures.note(body.parts)
      case 'connections':
        refusals.note(body.report.refused)
        return connections.note(worker, body.report)
      case 'requests-used':
        for (const other of pool.alive) if (other !== worker) other.tell(body)
        return
      case 'l2-damage':
        return pages.disk?.damaged(body.error)
      case 'l2-behind':
        return redis?.check()
      case 'held-rules-changed':
        return stalls.rulesChanged(body.site)
    }
  }
}
