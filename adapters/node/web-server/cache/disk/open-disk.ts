import { Worker } from 'node:worker_threads'
import {
  type CacheKey,
  NO_MARKS,
  type PurgeLog,
  type PurgeMarkSnapshot,
  type PurgeScope,
  type SiteUsage,
  type SnapshotPurgeMarks,
} from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import { compileCacheEnv } from '../../../process/compile-cache-env.ts'
import { ProcessChannel } from '../../workers/process-channel.ts'
import { diskLayerName, removeDatabase } from './disk-file.ts'
import type { DiskStart, DiskState, FromDisk, ToDisk } from './disk-messages.ts'
import { portChannel } from '../port-channel.ts'

/** The primary's end of the disk layer, which a thread of it writes. */
export interface Disk extends PurgeLog {
  /** Settles when the page is in the file, or cannot be; true when it took another one's place. */
  put(entry: Uint8Array): Promise<boolean>
  /** Settles when it is gone. */
  delete(key: CacheKey): Promise<void>
  /** Throws the file away and begins a new one in which nothing older lives. */
  rebuild(): Promise<void>
  state(): Promise<DiskState>
  /** What each site has, by host tag; null while the layer is off. */
  sites(): Promise<Record<string, SiteUsage> | null>
  /** Addresses of the site's pages that a purge would take away now. */
  pagesToPurge(siteTag: string, scopes: readonly PurgeScope[]): Promise<Set<string>>
  /** A worker could not read what is in the file. */
  damaged(error: string): void
  /** A file in memory is removed. */
  close(): Promise<void>
}

interface Thread {
  worker: Worker
  channel: ProcessChannel<ToDisk, FromDisk>
}

/** Pause before a thread that ended is started again. */
const RETRY_MS = 5000
const CLOSE_MS = 3000

/**
 * Starts the thread and resolves with the disk layer when its file is open. A
 * thread that ends takes its file with it, so that no purge is forgotten, and
 * another one begins anew.
 */
export const openDisk = (
  file: string,
  options: {
    limitBytes: number
    /** The file lies in memory: it begins empty and ends with the layer. Default: on a disk. */
    memory?: boolean
    marks: SnapshotPurgeMarks
    log: Log
    /** The file was removed or made anew: whoever reads it has to let go of the old one. */
    onFile(): void
  },
): Promise<Disk> => {
  const { limitBytes, memory = false, marks, log, onFile } = options
  const layer = diskLayerName(memory)
  let thread: Thread | null = null
  let closing = false

  const begin = (
    before: PurgeMarkSnapshot | null,
    onOpen: (kept: PurgeMarkSnapshot) => void,
  ): void => {
    const start: DiskStart = { file, limitBytes, memory, marks: before }
    const worker = new Worker(new URL('./disk-thread.ts', import.meta.url), {
      env: compileCacheEnv(),
      workerData: start,
    })
    const channel = new ProcessChannel<ToDisk, FromDisk>(portChannel(worker), (message) => {
      if (message.type === 'open') onOpen(message.marks)
      else if (message.type === 'file') onFile()
      else log[message.level](message.message, message.fields)
    })
    thread = { worker, channel }
    let why = 'its thread ended'
    worker.on('error', (error) => (why = String(error)))
    worker.on('exit', () => {
      thread = null
      channel.close()
      if (closing) return
      log.error(`${layer} is off for now`, { file, error: why })
      try {
        removeDatabase(file)
      } catch (error) {
        log.error(`the file of ${layer} must be removed by hand`, { error: String(error) })
      }
      // Whoever waits for the first one goes on without pages.
      onOpen(NO_MARKS)
      onFile()
      setTimeout(() => {
        if (!closing) begin(marks.snapshot(), onFile)
      }, RETRY_MS).unref()
    })
  }
  /** What the thread answers; `without` while there is none. */
  const ask = async <T>(order: ToDisk, without: T): Promise<T> => {
    try {
      return thread === null ? without : ((await thread.channel.ask(order)) as T)
    } catch (error) {
      if (thread === null) return without
      throw error
    }
  }
  const disk = (kept: PurgeMarkSnapshot): Disk => ({
    loadMarks: () => kept,
    // While there is no thread there are no pages either.
    saveMarks: (purge) => ask({ type: 'save', purge }, undefined),
    // A copy, since all that a view's buffer holds would be sent.
    put: (entry) => ask({ type: 'put', entry: entry.slice() }, false),
    delete: (key) => ask({ type: 'delete', key }, undefined),
    rebuild: () => ask({ type: 'rebuild' }, undefined),
    state: () => ask<DiskState>({ type: 'state' }, { stats: null, fault: 'its thread ended' }),
    sites: () => ask<Record<string, SiteUsage> | null>({ type: 'sites' }, null),
    pagesToPurge: (siteTag, scopes) => ask({ type: 'pages', siteTag, scopes }, new Set<string>()),
    damaged: (error) => thread?.channel.tell({ type: 'damaged', error }),
    async close() {
      closing = true
      const timer = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
      await Promise.race([ask({ type: 'close' }, undefined), timer])
      await thread?.worker.terminate()
      if (memory) removeDatabase(file)
    },
  })
  if (memory) removeDatabase(file)
  return new Promise((resolve) =>
    begin(memory ? marks.snapshot() : null, (kept) => resolve(disk(kept))),
  )
}
