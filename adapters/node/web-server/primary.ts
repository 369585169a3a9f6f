import {
  type Purge,
  purgeAll,
  purgeDomain,
  type PurgeScope,
  type PurgeSequencer,
  type StoreStats,
} from '#edge-cache/index.ts'
import { sumOfUpstreams, type UpstreamState } from '#handlers/management/upstream-state.ts'
import { answersTo } from '#handlers/domain/domains/wildcard-name.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type {
  CacheStatistics,
  LayerState,
  ManagementPort,
  PurgeReceipt,
} from '#handlers/management/management-port.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { ChallengeChange, Challenges } from './tls/challenges.ts'
import { ReloadError, type ControlPort } from './control/control-app.ts'
import type { PurgeHistory } from './purges/purge-history.ts'
import type { Reloader } from './reloader.ts'
import type { FiguresBatch } from '#handlers/ports/host/figures.ts'
import type { SiteTest } from '#handlers/ports/host/web/site-test.ts'
import type { FiguresLedger } from './figures/figures-ledger.ts'
import type { TrafficBatch, TrafficLedger } from './traffic/traffic-ledger.ts'
import type { StallLedger } from './watchdog/stall-ledger.ts'
import type { Warm } from './warm/create-warm.ts'
import type { RefusedConnections } from './connections/connection-messages.ts'
import type { CounterSums } from './workers/counter-ledger.ts'
import type { HostChanges, TestAnswer, WorkerStats } from './workers/messages.ts'
import type { WorkerPool } from './workers/worker-pool.ts'
import { leastLate } from './workers/least-late.ts'

/** Workers that do not report within this are left out of the sums. */
const STATS_TIMEOUT_MS = 1000
/** A worker has its visitors too. */
const EXPLAIN_TIMEOUT_MS = 10_000

export interface PrimaryDeps {
  pool: WorkerPool
  sequencer: PurgeSequencer
  /** What all workers have counted, as of their last reports. */
  counters(): CounterSums
  traffic: TrafficLedger
  figures: Pick<FiguresLedger, 'read'>
  reloader: Reloader
  /** The configuration in force. */
  state: { config: ServerConfig }
  /** Worker processes for a configuration. */
  workerCount(config: ServerConfig): number
  /** Prepares what new workers find when they begin under the configuration. */
  beforeWorkers(config: ServerConfig): Promise<void>
  /** Told of hosts that changed, once their pages are purged. */
  onHosts(changes: HostChanges): void
  /** The lower layer, and how it is; null when there is none. */
  lowerLayer(): Promise<{ stats: StoreStats | null; state: LayerState } | null>
  /** Makes a purge known to other instances, or keeps it for later; absent where there are none. */
  share?(scopes: readonly PurgeScope[]): Promise<'shared' | 'kept'>
  /** Told of every purge that begins here. */
  history: Pick<PurgeHistory, 'note'>
  stalls: Pick<StallLedger, 'list'>
  challenges: Challenges
  warm: Warm
  version: string
  log: Log
}

const sumStores = (stores: readonly (StoreStats | null)[]): StoreStats | null => {
  const all = stores.filter((store) => store !== null)
  if (all.length === 0) return null
  const sum = { entries: 0, bytes: 0, limitBytes: 0, evictions: 0 }
  for (const store of all) {
    sum.entries += store.entries
    sum.bytes += store.bytes
    sum.limitBytes += store.limitBytes
    sum.evictions += store.evictions
  }
  return sum
}

/** What the primary does for the control socket and the management API. */
export class Primary implements ControlPort {
  readonly #deps: PrimaryDeps
  readonly #startedMs = performance.now()
  readonly #run = crypto.randomUUID()
  #reloading: Promise<unknown> = Promise.resolve()
  #phase: 'starting' | 'ok' | 'stopping' = 'starting'

  constructor(deps: PrimaryDeps) {
    this.#deps = deps
  }

  set phase(phase: 'starting' | 'ok' | 'stopping') {
    this.#phase = phase
  }

  /** Reloads follow each other; each sees the files as they are when its turn comes. */
  reload(): Promise<{ virtual_hosts: number; workers: number }> {
    return this.#inTurn(false)
  }

  /** A reload that gives every site new workers; the old ones end once their last request is answered. */
  restart(): Promise<{ virtual_hosts: number; workers: number }> {
    return this.#inTurn(true)
  }

  async status(): ReturnType<ControlPort['status']> {
    const stalls = this.#deps.stalls.list()
    return { pid: process.pid, ...this.#facts(), ...(await this.#traffic()), stalls }
  }

  async counters(): ReturnType<ControlPort['counters']> {
    await this.#workerStats()
    const { requests, cache } = this.#deps.counters()
    return { run: this.#run, requests, hits: cache.hits, misses: cache.misses }
  }

  /** Asked for statistics, workers report what they have sent as well. */
  async takeTraffic(acknowledged: string | null): Promise<TrafficBatch> {
    await this.#workerStats()
    return this.#deps.traffic.read(acknowledged)
  }

  /** Likewise. */
  async takeFigures(acknowledged: string | null): Promise<FiguresBatch> {
    await this.#workerStats()
    return this.#deps.figures.read(acknowledged)
  }

  purgeDomains(domains: string[]): Promise<{ sequence: number; workers: number }> {
    const scopes = domains.length === 0 ? purgeAll() : domains.flatMap((name) => purgeDomain(name))
    return this.purge(scopes, 'panel')
  }

  /** One worker thinks it through, the one that its visitors leave most time. */
  async explain(test: SiteTest): Promise<TestAnswer | 'absent'> {
    const worker = await leastLate(this.#deps.pool.serving)
    if (worker === null) return 'absent'
    return (await worker.ask({ type: 'explain', test }, EXPLAIN_TIMEOUT_MS)) as TestAnswer
  }

  async upstreams(): Promise<UpstreamState[]> {
    return sumOfUpstreams((await this.#workerStats()).flatMap(({ upstreams }) => upstreams))
  }

  /** The whole set goes out each time: it is small, and a worker cannot miss a part. */
  async changeChallenges(change: ChallengeChange): Promise<void> {
    const { challenges, pool } = this.#deps
    challenges.change(change)
    await pool.acknowledge({ type: 'challenges', challenges: challenges.all() })
  }

  /** Resolves when every worker, draining ones too, has the marks. `cause`: see `PurgeHistory`. */
  async purge(scopes: readonly PurgeScope[], cause?: string): Promise<PurgeReceipt> {
    const done = await this.invalidate(scopes, cause)
    this.#deps.warm.purged()
    return done
  }

  /** A purge by a site itself, which is no reason to warm anything. `cause` null: it is noted already. */
  async invalidate(scopes: readonly PurgeScope[], cause?: string | null): Promise<PurgeReceipt> {
    const { pool, sequencer, share, history } = this.#deps
    if (cause !== null) history.note(scopes, cause)
    const purge: Purge = sequencer.purge(scopes)
    const workers = pool.alive.length
    const told = pool.acknowledge({ type: 'purge', purge })
    const [, , shared] = await Promise.all([told, sequencer.kept(), share?.(scopes)])
    const others =
      shared === undefined ? {} : ({ others: shared === 'shared' ? 'told' : 'kept' } as const)
    return { sequence: Math.ceil(purge.sequence), workers, ...others }
  }

  /** The management API's view. */
  get management(): ManagementPort {
    return {
      status: () => ({ status: this.#phase, ...this.#facts() }),
      stalls: () => this.#deps.stalls.list(),
      cacheConfig: () => {
        const { cache, virtualhost } = this.#deps.state.config
        const rules = virtualhost.map(({ domain, aliases, cache }) => ({ domain, aliases, cache }))
        return { cache, virtual_hosts: rules }
      },
      cacheStats: () => this.#cacheStats(),
      traffic: () => this.#traffic(),
      upstreams: () => this.upstreams(),
      namesOf: (domain) => {
        const { virtualhost } = this.#deps.state.config
        const host = virtualhost.find((one) => one.domain === domain)
        if (host !== undefined) return [host.domain, ...host.aliases]
        const isAlias = virtualhost.some((one) => answersTo([one.domain, ...one.aliases], domain))
        return isAlias ? [domain] : []
      },
      purge: (scopes) => this.purge(scopes, 'cli'),
      warm: this.#deps.warm.port,
    }
  }

  #inTurn(restart: boolean): Promise<{ virtual_hosts: number; workers: number }> {
    const turn = this.#reloading.then(() => this.#reloadNow(restart))
    this.#reloading = turn.catch(() => undefined)
    return turn
  }

  async #reloadNow(restart: boolean): Promise<{ virtual_hosts: number; workers: number }> {
    const { pool, reloader, state, log, workerCount, beforeWorkers, onHosts } = this.#deps
    const { config, changes } = await reloader.prepare()
    const before = state.config
    // From here on a worker that starts gets the new configuration.
    state.config = config
    if (changes.settings || restart) {
      try {
        await beforeWorkers(config)
        await pool.replaceAll(workerCount(config))
      } catch (error) {
        state.config = before
        await beforeWorkers(before)
        throw new ReloadError(`New workers could not start: ${String(error)}`)
      }
    } else {
      const { put, removed } = changes
      await pool.acknowledge({ type: 'hosts', changes: { put, removed } })
    }
    // After the change, so that nothing made by the old configuration is stored behind it.
    const changed = changes.purge.flatMap((name) => purgeDomain(name))
    if (changed.length > 0) await this.purge(changed, 'rules')
    onHosts(changes)
    this.#deps.warm.configure()
    const result = { virtual_hosts: config.virtualhost.length, workers: pool.serving.length }
    log.info(restart ? 'restarted with new workers' : 'configuration reloaded', {
      ...result,
      changed: changes.put.length,
      removed: changes.removed.length,
    })
    return result
  }

  #facts(): { version: string; uptime_secs: number; workers: number; virtual_hosts: number } {
    return {
      version: this.#deps.version,
      uptime_secs: Math.floor((performance.now() - this.#startedMs) / 1000),
      workers: this.#deps.pool.serving.length,
      virtual_hosts: this.#deps.state.config.virtualhost.length,
    }
  }

  async #traffic(): Promise<{
    connections: number
    requests: number
    refused: RefusedConnections
  }> {
    const stats = await this.#workerStats()
    // Asked for statistics, a worker has reported its counters first.
    const { requests, refused } = this.#deps.counters()
    return {
      connections: stats.reduce((total, one) => total + one.connections, 0),
      requests,
      refused,
    }
  }

  /** By how much each worker's event loop was late at most since the last call; see `StallWatch`. */
  async stalls(): Promise<{ workers: { longest_ms: number }[] }> {
    const all = await this.#deps.pool.gather({ type: 'stalls' }, STATS_TIMEOUT_MS)
    return { workers: (all as number[]).map((longest_ms) => ({ longest_ms })) }
  }

  async #workerStats(): Promise<WorkerStats[]> {
    return (await this.#deps.pool.gather({ type: 'stats' }, STATS_TIMEOUT_MS)) as WorkerStats[]
  }

  async #cacheStats(): Promise<CacheStatistics> {
    const [stats, lower] = await Promise.all([this.#workerStats(), this.#deps.lowerLayer()])
    return {
      counters: this.#deps.counters().cache,
      l1: sumStores(stats.map((one) => one.l1)),
      l2: lower?.stats ?? null,
      l2State: lower?.state ?? null,
      purges: Math.ceil(this.#deps.sequencer.snapshot().sequence),
    }
  }
}
