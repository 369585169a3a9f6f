import { existsSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import {
  type CacheKey,
  createSqliteWriter,
  deserializeEntry,
  isCorruptDatabase,
  MAX_COUNTED_PAGES,
  NO_MARKS,
  pagesToPurge,
  type Purge,
  type PurgeLog,
  type PurgeScope,
  type SiteUsage,
  type SnapshotPurgeMarks,
  type SqliteWriter,
  type StoreStats,
} from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import { diskLayerName, openForWriting, removeDatabase } from './disk-file.ts'

/** The writing end of the disk layer, in its thread. Never lets a broken disk stop the sites. */
export interface DiskWriter extends PurgeLog {
  saveMarks(purge: Purge): void
  /** Whether the page stands in the place of another one. */
  put(entry: Uint8Array): Promise<boolean>
  delete(key: CacheKey): Promise<void>
  /** Throws the file away and begins a new one in which nothing older lives. */
  rebuild(): void
  /** Null while the layer is off. */
  stats(): StoreStats | null
  /** What each site has, by host tag; null while the layer is off. */
  sites(): Record<string, SiteUsage> | null
  /** Addresses of the site's pages that a purge would take away now. */
  pagesToPurge(siteTag: string, scopes: readonly PurgeScope[]): Promise<Set<string>>
  /** Why the layer is off; null while it works. */
  readonly fault: string | null
  /** A worker could not read what is in the file: it is made anew. */
  damaged(error: string): void
  close(): void
}

const SWEEP_MS = 1000
/** While there is much to delete it takes at most this part of the time. */
const SWEEP_SHARE = 0.2
const MIN_SWEEP_PAUSE_MS = 10
/** Complaints this soon after the file was opened are of the one before. */
const DAMAGE_MS = 1000
/** Pause before a broken file is opened again. */
const RETRY_MS = 5000

/**
 * Opens the file and sweeps it in the background. A damaged one is removed and
 * made anew; where that fails (disk full, no permission) the layer stays off,
 * is reported once, and is tried again.
 */
export const openDiskWriter = (
  file: string,
  options: {
    limitBytes: number
    /** The file lies in memory. */
    memory: boolean
    marks: SnapshotPurgeMarks
    log: Log
    /** The file was removed or made anew: whoever reads it has to let go of the old one. */
    onFile?(): void
  },
): DiskWriter => {
  const { limitBytes, memory, marks, log } = options
  const layer = diskLayerName(memory)
  let database: Database.Database | null = null
  let writer: SqliteWriter | null = null
  let fault: string | null = null
  let openedAtMs = 0
  let retryAtMs = 0

  const close = (): void => {
    try {
      writer?.flush()
      database?.close()
    } catch {
      // What is being given up may be broken in any way.
    }
    writer = database = null
  }
  const tryRemove = (): void => {
    try {
      removeDatabase(file)
    } catch {
      // Told at the next purge, when it matters.
    }
  }
  const off = (error: unknown): void => {
    if (fault === null) log.warn(`${layer} is off for now`, { file, error: String(error) })
    fault = String(error)
    retryAtMs = Date.now() + RETRY_MS
    close()
    // Purges made from now on could not be kept beside these pages, which so must not be found again.
    tryRemove()
    options.onFile?.()
  }
  const open = (): void => {
    database = openForWriting(file)
    writer = createSqliteWriter(database, { limitBytes, memory, marks })
    if (fault !== null) log.info(`${layer} is back`, { file })
    fault = null
    openedAtMs = Date.now()
  }
  const rebuild = (): void => {
    close()
    try {
      removeDatabase(file)
      open()
      // Numbers go on from here, also after a restart; what is older stays dead.
      writer?.saveMarks({ sequence: marks.current(), scopes: [{ kind: 'all' }], atMs: Date.now() })
      options.onFile?.()
    } catch (error) {
      off(error)
    }
  }
  const failed = (error: unknown): void => {
    if (!isCorruptDatabase(error)) return off(error)
    log.warn(`${layer} is damaged and is made anew`, { file, error: String(error) })
    rebuild()
  }
  /** What the store says of itself; null where it is off, or was found broken just now. */
  const told = <T>(read: (one: SqliteWriter) => T): T | null => {
    try {
      return writer && read(writer)
    } catch (error) {
      failed(error)
      return null
    }
  }
  const sweep = (): void => {
    const startMs = performance.now()
    if (writer === null && Date.now() >= retryAtMs) rebuild()
    try {
      writer?.sweep(marks, Date.now())
    } catch (error) {
      failed(error)
    }
    const tookMs = performance.now() - startMs
    const soonMs = Math.max(MIN_SWEEP_PAUSE_MS, tookMs * (1 / SWEEP_SHARE - 1))
    const more = writer?.hasMoreToSweep() === true
    timer = setTimeout(sweep, more ? Math.min(soonMs, SWEEP_MS) : SWEEP_MS).unref()
  }
  let timer = setTimeout(sweep, SWEEP_MS).unref()
  try {
    open()
  } catch (error) {
    failed(error)
  }

  return {
    loadMarks: () => writer?.loadMarks() ?? NO_MARKS,
    saveMarks: (purge) => {
      if (writer !== null) return writer.saveMarks(purge)
      tryRemove()
      if (existsSync(file))
        throw new Error(
          `${file} cannot be removed, so its purged pages may come back after a restart. Remove it by hand.`,
        )
    },
    get fault() {
      return fault
    },
    damaged: (error) => {
      // Readers that had opened the former file may still complain of it.
      if (writer === null || Date.now() - openedAtMs < DAMAGE_MS) return
      log.warn(`${layer} is damaged and is made anew`, { file, error })
      rebuild()
    },
    put: async (bytes) => {
      const entry = deserializeEntry(bytes)
      if (entry === null || writer === null) return false
      try {
        return await writer.put(entry)
      } catch (error) {
        failed(error)
        return false
      }
    },
    delete: async (key) => {
      await writer?.delete(key).catch(failed)
    },
    rebuild,
    stats: () => told((one) => one.stats()),
    sites: () => told((one) => one.sites()),
    pagesToPurge: async (siteTag, scopes) => {
      const asked = writer
      try {
        const entries = asked?.ofSite(siteTag, MAX_COUNTED_PAGES) ?? []
        return await pagesToPurge(entries, scopes, marks, Date.now(), turn)
      } catch (error) {
        // The file may have been given up between two turns.
        if (asked === writer) failed(error)
        return new Set()
      }
    },
    close: () => {
      clearTimeout(timer)
      close()
    },
  }
}
