import { constants } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'

/** What may still be spent on counting; shared by several counts. */
export interface Budget {
  files: number
  /** By `performance.now()`. */
  untilMs: number
}

export interface Measure {
  bytes: number
  files: number
  /** False: the budget was used up before the end. */
  complete: boolean
}

const BLOCK_BYTES = 512
/** Each floor holds a descriptor; nothing of the installation is as deep. */
const MOST_DEPTH = 32
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(String(error.code))

/**
 * Counts what a directory takes. Every step goes through the descriptor of the
 * directory that was opened, so that no link that somebody puts in its place leads
 * elsewhere, and other file systems below it are left out.
 */
export const measureTree = async (root: string, budget: Budget): Promise<Measure> => {
  const found: Measure = { bytes: 0, files: 0, complete: true }
  const count = async (path: string, device: number | null, depth: number): Promise<void> => {
    const handle = await open(path, FLAGS)
    try {
      const own = await handle.stat()
      if (device !== null && own.dev !== device) return
      const place = `/proc/self/fd/${handle.fd}`
      // One name after the other: a directory may have millions.
      for await (const { name } of await opendir(place)) {
        if (budget.files <= 0 || performance.now() > budget.untilMs || depth > MOST_DEPTH) {
          found.complete = false
          return
        }
        budget.files--
        try {
          const stat = await lstat(`${place}/${name}`)
          found.bytes += stat.blocks * BLOCK_BYTES
          found.files++
          if (stat.isDirectory()) await count(`${place}/${name}`, own.dev, depth + 1)
        } catch (error) {
          if (!isGone(error)) throw error
        }
      }
    } finally {
      await handle.close()
    }
  }
  try {
    await count(root, null, 0)
  } catch (error) {
    if (!isGone(error)) throw error
  }
  return found
}
