import type { CacheConfig, CacheRule } from '../../edge-cache/config.ts'
import type { PageCacheCounters, PurgeScope, StoreStats } from '../../edge-cache/index.ts'
import type { WorkerStall } from '../ports/host/web/worker-stall.ts'
import type { UpstreamState } from './upstream-state.ts'
import type { WarmPort } from './warm-port.ts'

/** State of the web server; open to everyone who reaches the listener, so nothing about sites. */
export interface ServerStatus {
  status: 'ok' | 'starting' | 'stopping'
  version: string
  uptime_secs: number
  workers: number
  virtual_hosts: number
}

/** Cache rule of one virtual host. */
export interface VirtualHostRule {
  domain: string
  aliases: string[]
  cache: CacheRule
}

/** Whether the lower layer works. */
export interface LayerState {
  storage: 'memory' | 'disk' | 'redis'
  on: boolean
  /** Why it is off. */
  fault: string | null
}

/** Sums over all workers since each of them started. */
export interface CacheStatistics {
  counters: PageCacheCounters
  /** All workers' memory together; null when the layer is off. */
  l1: StoreStats | null
  l2: StoreStats | null
  /** Null or absent where no lower layer is configured. */
  l2State?: LayerState | null
  /** Number of purges so far. */
  purges: number
}

/** A purge that every worker has acknowledged. */
export interface PurgeReceipt {
  sequence: number
  workers: number
  /**
   * What other web servers over the same Redis know of it: they were told (where they answer
   * strictly, none shows any more what it hits), or Redis is away and it is kept for when it is
   * back. Absent where pages are not shared.
   */
  others?: 'told' | 'kept'
}

/** What the management API reaches in the web primary. */
export interface ManagementPort {
  status(): ServerStatus | Promise<ServerStatus>
  /** Stalls of workers within the last day, the latest last; absent where nobody watches them. */
  stalls?(): readonly WorkerStall[]
  /** The configuration in force; secrets are masked by the API. */
  cacheConfig(): { cache: CacheConfig; virtual_hosts: VirtualHostRule[] }
  cacheStats(): Promise<CacheStatistics>
  /** How the addresses of applications that have several fare, of all workers together. */
  upstreams(): Promise<UpstreamState[]>
  /**
   * Of all workers, those that ended included: requests and refused connections
   * (the whole server was full; their address had its share) since the start,
   * and connections open now.
   */
  traffic(): Promise<{
    requests: number
    connections: number
    refused: { server: number; address: number }
  }>
  /**
   * All names of the virtual host whose primary domain this is; an alias, or a name
   * that a wildcard stands for, is itself alone; empty for a name that no virtual host has.
   */
  namesOf(domain: string): readonly string[]
  /** Settles when every worker, draining ones too, has the marks. */
  purge(scopes: readonly PurgeScope[]): Promise<PurgeReceipt>
  /** The warm queue; absent where pages are not warmed. */
  readonly warm?: WarmPort
}
