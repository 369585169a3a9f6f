import type { CacheConfig } from '../../edge-cache/config.ts'
import type { CacheCounters, StoreStats } from '../../edge-cache/index.ts'
import type { CacheStatistics, ManagementPort, ServerStatus } from './management-port.ts'
import { renderMetrics, type Metric, type MetricSample } from './metrics-text.ts'
import type { UpstreamState } from './upstream-state.ts'
import type { WarmReport } from './warm-port.ts'

type Traffic = Awaited<ReturnType<ManagementPort['traffic']>>

const one = (value: number): MetricSample[] => [{ value }]
const gauge = (name: string, help: string, samples: MetricSample[]): Metric => ({
  name: `berth_${name}`,
  help,
  type: 'gauge',
  samples,
})
const counter = (name: string, help: string, samples: MetricSample[]): Metric => ({
  name: `berth_${name}_total`,
  help,
  type: 'counter',
  samples,
})

const serverMetrics = (status: ServerStatus, traffic: Traffic): Metric[] => [
  gauge('info', 'Version of the web server.', [{ labels: { version: status.version }, value: 1 }]),
  gauge('up', 'Whether the web server serves (1), or starts or stops (0).', [
    { value: status.status === 'ok' ? 1 : 0 },
  ]),
  gauge('uptime_seconds', 'Seconds since the start.', one(status.uptime_secs)),
  gauge('workers', 'Workers that serve.', one(status.workers)),
  gauge('virtual_hosts', 'Virtual hosts.', one(status.virtual_hosts)),
  gauge('connections', 'Open connections of all workers.', one(traffic.connections)),
  counter('requests', 'Requests of all workers.', one(traffic.requests)),
  counter('connections_refused', 'Connections refused, by the limit that they met.', [
    { labels: { limit: 'server' }, value: traffic.refused.server },
    { labels: { limit: 'address' }, value: traffic.refused.address },
  ]),
]

/** By virtual host only: a sum over `host` is the total. */
const cacheMetrics = ({ counters, purges }: CacheStatistics): Metric[] => {
  const hosts = Object.entries(counters.hosts)
  const each = (of: (own: CacheCounters) => number): MetricSample[] =>
    hosts.map(([host, own]) => ({ labels: { host }, value: of(own) }))
  return [
    counter(
      'cache_hits',
      'Answers from the page cache.',
      each((own) => own.hits),
    ),
    counter(
      'cache_stale_hits',
      'Hits that were stale: served while refreshed, or in place of an error.',
      each((own) => own.staleHits),
    ),
    counter(
      'cache_misses',
      'Cacheable requests that were no hits.',
      each((own) => own.misses),
    ),
    counter(
      'cache_bypasses',
      'Requests that went past the page cache, by reason.',
      hosts.flatMap(([host, own]) =>
        Object.entries(own.bypasses).map(([reason, value]) => ({
          labels: { host, reason },
          value,
        })),
      ),
    ),
    counter(
      'cache_stores',
      'Pages stored.',
      each((own) => own.stores),
    ),
    counter(
      'cache_served_bytes',
      'Bytes of bodies from the cache.',
      each((own) => own.bytesServed),
    ),
    counter('cache_purges', 'Purges.', one(purges)),
  ]
}

const upstreamMetrics = (all: readonly UpstreamState[]): Metric[] => {
  const each = (of: (one: UpstreamState) => number): MetricSample[] =>
    all.map((one) => ({
      labels: { host: one.domain, upstream: one.upstream },
      value: of(one),
    }))
  return [
    gauge(
      'upstream_up',
      'Share of the workers that send an upstream requests.',
      each(({ up, workers }) => up / workers),
    ),
    gauge(
      'upstream_active',
      'Requests under way at an upstream.',
      each(({ active }) => active),
    ),
    counter(
      'upstream_requests',
      'Requests to an upstream.',
      each(({ requests }) => requests),
    ),
    counter(
      'upstream_failures',
      'Requests that an upstream did not answer.',
      each(({ failures }) => failures),
    ),
  ]
}

const LAYER_STATES = ['up', 'down', 'off'] as const

const isThere = (state: CacheStatistics['l2State']): boolean => (state ?? null) !== null

/** `off`: not wanted by the configuration; `down`: wanted and switched off after a fault. */
const layerMetrics = (cache: CacheConfig, { l1, l2, l2State }: CacheStatistics): Metric[] => {
  const layers = [
    { layer: 'l1', stats: l1, wanted: cache.enable && cache.l1_enabled, faulty: false },
    {
      layer: 'l2',
      stats: l2,
      // One worker alone has no use for memory that it shares with nobody.
      wanted: cache.enable && cache.l2_enabled && (cache.storage !== 'memory' || isThere(l2State)),
      faulty: l2State?.on === false,
    },
  ]
  const each = (of: (stats: StoreStats) => number): MetricSample[] =>
    layers.flatMap(({ layer, stats }) => (stats ? [{ labels: { layer }, value: of(stats) }] : []))
  return [
    gauge(
      'cache_layer_state',
      'State of each cache layer: up, down after a fault, off by configuration.',
      layers.flatMap(({ layer, stats, wanted, faulty }) => {
        const now = !wanted ? 'off' : stats && !faulty ? 'up' : 'down'
        return LAYER_STATES.map((state) => ({
          labels: { layer, state },
          value: state === now ? 1 : 0,
        }))
      }),
    ),
    gauge(
      'cache_entries',
      'Pages in a layer.',
      each((stats) => stats.entries),
    ),
    gauge(
      'cache_bytes',
      'Bytes of a layer.',
      each((stats) => stats.bytes),
    ),
    gauge(
      'cache_limit_bytes',
      'Bound of a layer.',
      each((stats) => stats.limitBytes),
    ),
    counter(
      'cache_evictions',
      'Pages that made room for others.',
      each((stats) => stats.evictions),
    ),
  ]
}

const warmMetrics = (report: WarmReport): Metric[] => {
  const outcomes = ['done', 'failed', 'retried', 'skipped', 'deduplicated', 'rejected'] as const
  return [
    gauge('warm_queue_size', 'Pages that wait to be warmed.', one(report.queue_size)),
    gauge('warm_queue_limit', 'Bound of the warm queue.', one(report.queue_limit)),
    gauge('warm_running', 'Pages being warmed.', one(report.running)),
    gauge('warm_paused', 'Whether warming is held back (1) by load.', one(report.paused ? 1 : 0)),
    counter('warm_queued', 'Pages queued to be warmed.', one(report.queued)),
    counter(
      'warm_targets',
      'Warm targets by what became of them.',
      outcomes.map((outcome) => ({ labels: { outcome }, value: report[outcome] })),
    ),
  ]
}

/** Body of `GET /metrics`: what is worth a graph or an alarm, in the Prometheus text format. */
export const metricsText = async (port: ManagementPort): Promise<string> => {
  const [status, stats, traffic, upstreams] = await Promise.all([
    port.status(),
    port.cacheStats(),
    port.traffic(),
    port.upstreams(),
  ])
  return renderMetrics([
    ...serverMetrics(status, traffic),
    ...cacheMetrics(stats),
    ...upstreamMetrics(upstreams),
    ...layerMetrics(port.cacheConfig().cache, stats),
    ...(port.warm ? warmMetrics(port.warm.report()) : []),
  ])
}
