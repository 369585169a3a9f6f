import { parseSizeBytes } from '#edge-cache/index.ts'
import type { CacheConfig } from '#edge-cache/config.ts'

/** Who gets how much of `memory_limit`; all workers and the store together take no more. */
export interface MemoryParts {
  /** Of each worker's own memory for pages. */
  workerBytes: number
  /** Of the store that all workers share; 0: there is none. */
  sharedBytes: number
}

const DEFAULT_MEMORY_BYTES = 256 * 2 ** 20
/** A smaller store would be made of its own overhead. */
const MIN_SHARED_BYTES = 256 * 1024

/**
 * With `storage = "memory"` and several workers half of it goes to the store in
 * shared memory (all where workers keep nothing themselves), so that each page is
 * there once for everybody, and half to the workers for what they are asked most.
 */
export const splitMemory = (config: CacheConfig, workers: number): MemoryParts => {
  const limitBytes = parseSizeBytes(config.memory_limit) ?? DEFAULT_MEMORY_BYTES
  const wanted = config.enable && config.l2_enabled && config.storage === 'memory'
  const part = config.l1_enabled ? Math.floor(limitBytes / 2) : limitBytes
  const sharedBytes = wanted && workers > 1 && part >= MIN_SHARED_BYTES ? part : 0
  return { workerBytes: Math.floor((limitBytes - sharedBytes) / workers), sharedBytes }
}
