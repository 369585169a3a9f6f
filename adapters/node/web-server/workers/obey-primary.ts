import { nextRound } from '#edge-cache/index.ts'
import type { ExplainRequest } from '#handlers/sites/explain/explain-request.ts'
import type { RequestMeter } from '#handlers/sites/guard/request-meter.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { WorkerCache } from '../cache/worker-cache.ts'
import type { ConnectionGate } from '../connections/connection-gate.ts'
import type { FiguresMeter } from '../figures/figures-meter.ts'
import type { HostRegistry } from '../host-registry.ts'
import type { Http1Engine } from '../http1/http1-engine.ts'
import type { Listeners } from '../listeners.ts'
import type { ReverseProxy } from '../proxy/proxy-origin.ts'
import type { Tunnels } from '../proxy/tunnels.ts'
import type { CertificateContexts } from '../tls/certificate-contexts.ts'
import { measureLagMs } from '../warm/measure-lag.ts'
import type { WarmFiller } from '../warm/warm-filler.ts'
import type { TestAnswer, ToWorker, WorkerStats } from './messages.ts'
import type { SiteKnowledge } from './site-knowledge.ts'
import { StallWatch } from './stall-watch.ts'

/** The parts of a worker that messages of the primary change or ask. */
export interface ObeyingParts {
  registry: HostRegistry
  hosts(): VirtualHostTable
  sites: SiteKnowledge
  /** Null: the page cache is off. */
  cache: WorkerCache | null
  warm: WarmFiller
  explain: ExplainRequest
  /** Takes a page that another worker filled; null: the page cache is off. */
  adopt: ((entry: Uint8Array) => unknown) | null
  /** Requests that wait for PHP. */
  phpRunning(): number
  engine: Pick<Http1Engine, 'counters' | 'connections' | 'drain'>
  gate: Pick<ConnectionGate, 'hear'>
  meter: Pick<RequestMeter, 'hear'>
  figures: Pick<FiguresMeter, 'hostsChanged'>
  listeners: Listeners
  certificates: CertificateContexts
  tunnels: Pick<Tunnels, 'review'>
  proxy: Pick<ReverseProxy, 'review' | 'upstreams'>
  /** Takes all answers to certificate authorities, by token. */
  setChallenges(challenges: ReadonlyMap<string, string>): void
  /** Tells the primary what was counted. */
  report(): Promise<void>
  logs: { reopen(): unknown; close(): Promise<unknown> }
}

/** Does what the primary says and answers what it asks; see `ToWorker`. */
export const obeyPrimary = (parts: ObeyingParts): ((message: ToWorker) => unknown) => {
  const { hosts, sites, cache, warm, engine, listeners, report, logs } = parts
  const pageCache = cache?.pageCache ?? null
  const stalls = new StallWatch()
  const stats = (): WorkerStats => ({
    engine: engine.counters(),
    connections: engine.connections(),
    ...(cache?.layers.stats() ?? { l1: null, l2: null }),
    upstreams: parts.proxy.upstreams(),
  })
  const explain = async (test: Parameters<ExplainRequest>[0]): Promise<TestAnswer> => {
    try {
      return await parts.explain(test)
    } catch (error) {
      if (error instanceof OriginError && error.status === 503) return 'busy'
      throw error
    }
  }
  const drain = async (): Promise<void> => {
    // Who waits in the queue of a socket is cut off where that is closed, so they are taken first.
    for (let round = 0; round < 2; round++) await nextRound()
    listeners.stop()
    await engine.drain()
    await cache?.settled()
    await report()
    await logs.close()
    process.exit(0)
  }
  return (message) => {
    switch (message.type) {
      case 'hosts':
        parts.registry.apply(message.changes)
        parts.figures.hostsChanged()
        parts.tunnels.review()
        parts.proxy.review(parts.registry.all())
        parts.certificates.recheck()
        return null
      case 'purge':
        pageCache?.applyPurge(message.purge.sequence, message.purge.scopes, message.purge.atMs)
        return null
      case 'warm':
        return warm.fill(message.target)
      case 'warm-read':
        return warm.read(message.target)
      case 'explain':
        return explain(message.test)
      case 'adopt':
        return parts.adopt?.(message.entry)
      case 'load':
        return measureLagMs().then((lagMs) => ({ lagMs, phpRunning: parts.phpRunning() }))
      case 'purges':
        for (const { sequence, scopes, atMs } of message.purges)
          pageCache?.applyPurge(sequence, scopes, atMs)
        return null
      case 'connections':
        parts.gate.hear(message.others)
        return null
      case 'requests-used':
        parts.meter.hear(message.used, (domain) => hosts().find(domain))
        return null
      case 'l2-epoch':
        return cache?.setEpoch(message.epoch)
      case 'page-lease':
        cache?.setLease(message.untilMs)
        return null
      case 'page-changed':
        if (message.change.edition !== null) pageCache?.storedElsewhere(message.change.id)
        return cache?.layers.changed(message.change.id, message.change.edition)
      case 'l2-reopen':
        cache?.layers.reopen()
        return null
      case 'stats':
        return report().then(stats)
      case 'stalls':
        return stalls.longestMs()
      case 'site-usage':
        return cache?.siteUsage() ?? {}
      case 'site-pages':
        return cache?.pagesToPurge(message.siteTag, message.scopes) ?? []
      case 'ticket-keys':
        listeners.setTicketKeys(Buffer.from(message.keys))
        return null
      case 'challenges':
        parts.setChallenges(message.challenges)
        return null
      case 'learned-cookies':
        sites.cookieMemory.put(message.site, message.known)
        return null
      case 'rules-changed': {
        const host = hosts().find(message.site)
        if (host !== null) sites.rules.doubt(host)
        return null
      }
      case 'varying-site':
        sites.varying.put(message.site, message.varies)
        return null
      case 'held-sites':
        sites.held.put(message.sites)
        return null
      case 'reopen-logs':
        return logs.reopen()
      case 'drain':
        return drain()
      case 'start':
        throw new Error('A worker is started once.')
    }
  }
}
