import type {
  CacheKey,
  Purge,
  PurgeMarkSnapshot,
  PurgeScope,
  StoreStats,
} from '#edge-cache/index.ts'

/** What the thread of the disk layer begins with, as its `workerData`. */
export interface DiskStart {
  file: string
  limitBytes: number
  /** The file lies in memory and ends with the process, so purges are not kept in it. */
  memory: boolean
  /** Purges of a thread before this one, which then left a file that must not be used; null: the file is to be used. */
  marks: PurgeMarkSnapshot | null
}

/** How the disk layer is. */
export interface DiskState {
  /** Null while it is off. */
  stats: StoreStats | null
  /** Why it is off; null while it works. */
  fault: string | null
}

/** From the primary to the thread, in order. */
export type ToDisk =
  /** A serialised page; answered when it is in the file, with whether it took another one's place. */
  | { type: 'put'; entry: Uint8Array }
  /** Answered when it is gone. */
  | { type: 'delete'; key: CacheKey }
  /** Answered when the purge would survive a power cut; refused when it cannot be kept. */
  | { type: 'save'; purge: Purge }
  | { type: 'rebuild' }
  /** Answered with `DiskState`. */
  | { type: 'state' }
  /** Answered with what each site has, by host tag; null while the layer is off. */
  | { type: 'sites' }
  /** Answered with the addresses that a purge would take away now. */
  | { type: 'pages'; siteTag: string; scopes: readonly PurgeScope[] }
  | { type: 'damaged'; error: string }
  /** Answered when the file is closed. */
  | { type: 'close' }

/** From the thread to the primary. */
export type FromDisk =
  /** The file is open, or off for now; with all purges that were kept in it. */
  | { type: 'open'; marks: PurgeMarkSnapshot }
  /** The file is another one or gone: whoever reads it has to let go of the old one. */
  | { type: 'file' }
  | {
      type: 'log'
      level: 'info' | 'warn' | 'error'
      message: string
      fields: Record<string, unknown> | undefined
    }
