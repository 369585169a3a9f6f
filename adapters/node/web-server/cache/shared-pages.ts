import { rmdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  NO_MARKS,
  parseSizeBytes,
  type PurgeLog,
  type SnapshotPurgeMarks,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { diskCacheFile, removeDatabase, type PageFile } from './disk/disk-file.ts'
import { memoryDirectories, memoryDirectory } from './disk/memory-directory.ts'
import { openDisk, type Disk } from './disk/open-disk.ts'
import { splitMemory } from './split-memory.ts'

/** The file of pages that all workers share: on the disk, or in memory. */
export interface SharedPages {
  /** Who writes it; null where there is none. */
  readonly disk: Disk | null
  /** What workers read; null where there is none. */
  readonly file: PageFile | null
  /** Where purges are kept beside the pages. */
  purges: PurgeLog
  /** Makes a store in memory as large as the configuration and its workers want it, or ends it. */
  adjust(config: ServerConfig): Promise<void>
  close(): Promise<void>
}

const DEFAULT_DISK_BYTES = 2 * 2 ** 30
const MEMORY_FILE = 'memory-pages.db'

/** Where pages go that should be in memory and find no room there; the supervisor made it ours. */
const fallbackDirectory = ({ cache, paths }: ServerConfig): string =>
  cache.disk_path ?? join(paths.state_dir, 'cache')

/** Removes the pages and, in a place that others use as well, their directory. */
const removePages = (directory: string): void => {
  try {
    removeDatabase(join(directory, MEMORY_FILE))
    if (directory.startsWith('/dev/shm/')) rmdirSync(directory)
  } catch {
    // Not there, or not ours, so that nothing of ours is in there.
  }
}

/** What a web server before this one left behind that was killed. */
const removeLeftovers = (config: ServerConfig): void => {
  for (const directory of [...memoryDirectories(config.paths), fallbackDirectory(config)])
    removePages(directory)
}

/**
 * Opens what the configuration says. `workers` is their number under a configuration:
 * one alone has no use for memory that it shares with nobody.
 */
export const openSharedPages = async (
  config: ServerConfig,
  deps: {
    workers(config: ServerConfig): number
    marks: SnapshotPurgeMarks
    log: Log
    /** The file is another one or gone: whoever reads it has to let go of the old one. */
    onFile(): void
  },
): Promise<SharedPages> => {
  const { marks, log, onFile } = deps
  let disk: Disk | null = null
  let file: PageFile | null = null
  /** Purges made while a store is opened reach it afterwards. */
  let opening: Promise<unknown> = Promise.resolve()
  /** The same one for as long as this process lives, so that no worker looks in the wrong place. */
  let directory: string | null = null

  const open = async (next: PageFile): Promise<void> => {
    const { limitBytes } = next
    const memory = next.storage === 'memory'
    const work = openDisk(next.file, { limitBytes, memory, marks, log, onFile })
    opening = work
    disk = await work
    file = next
  }
  const close = async (): Promise<void> => {
    const ending = disk
    disk = file = null
    await ending?.close()
  }
  const adjust = async (now: ServerConfig): Promise<void> => {
    if (now.cache.storage !== 'memory') return
    const { sharedBytes } = splitMemory(now.cache, deps.workers(now))
    if (sharedBytes === (file?.limitBytes ?? 0)) return
    await close()
    if (sharedBytes > 0) {
      directory ??= memoryDirectory(now.paths, sharedBytes, fallbackDirectory(now), log)
      const path = join(directory, MEMORY_FILE)
      await open({ storage: 'memory', file: path, limitBytes: sharedBytes })
    }
    onFile()
  }

  removeLeftovers(config)
  const onDisk = diskCacheFile(config.cache)
  const limitBytes = parseSizeBytes(config.cache.disk_limit) ?? DEFAULT_DISK_BYTES
  if (onDisk === null) await adjust(config)
  else await open({ storage: 'disk', file: onDisk, limitBytes })

  return {
    get disk() {
      return disk
    },
    get file() {
      return file
    },
    purges: {
      loadMarks: () => disk?.loadMarks() ?? NO_MARKS,
      async saveMarks(purge) {
        await opening
        await disk?.saveMarks(purge)
      },
    },
    adjust,
    async close() {
      await close()
      // Not before: whoever else could make it then would be its owner.
      if (directory !== null) removePages(directory)
    },
  }
}
