import type { BodyEncoder } from './encoding-maker.ts'
import type { HttpCacheDeps } from '../http-mode/http-cache-deps.ts'
import type { LayeredCache } from '../stores/layered.ts'
import type { Sampler } from '../sampling/sampler.ts'
import type { FillCoordinator, PurgeMarks } from '../types.ts'

/** Tells editions of a file apart; null: it is gone. */
export type FileVersion = (file: string) => Promise<{ version: string; changedAtMs: number } | null>

/** What a page cache is put together from; only what has no default must be given. */
export interface PageCacheDeps {
  /** `[cache] enable`; false passes everything through. Default true. */
  enabled?: boolean
  defaultTtlSecs: number
  /** `[cache] grace_secs`. Default 0. */
  graceSecs?: number
  /** `[cache] ignore_query_params`, for virtual hosts without a list of their own. Default: none. */
  ignoreQueryParams?: readonly string[]
  /** `[cache] mobile_variant`. Default false. */
  mobileVariant?: boolean
  layers: LayeredCache
  marks: PurgeMarks
  coordinator: FillCoordinator
  /** Wall clock, milliseconds. */
  nowMs(): number
  /** Larger pages are not stored. Default 8 MiB. */
  maxEntryBytes?: number
  /** How long a page that proved uncacheable is not waited for. Default 10 s. */
  uncacheableMs?: number
  /** How long a request waits for another's fill before it asks the origin itself. Default 30 s. */
  followMs?: number
  /** How long the last bytes of a stored page wait for the lower layer. Default 250 ms. */
  storeWaitMs?: number
  /** How long the origin may take before a page that may stand in for its error does. Default 10 s. */
  errorWaitMs?: number
  /** Gives stored pages their bodies in other codings; without it they are answered as they came. */
  encoder?: BodyEncoder
  /** Purges in every process what an unsafe request changed in `http` mode; default: in this one. */
  invalidate?: HttpCacheDeps['invalidate']
  /** Looks at the script that made a page; without it pages outlive changes of scripts. */
  fileVersion?: FileVersion
  /** Default: sites that answer by language or browser without saying so go unnoticed. */
  sampler?: Sampler
  /** Keeps the runtime alive for work that outlives the response. */
  background?(work: Promise<unknown>): void
}
