import { MANIFEST } from '../backups/manifest.ts'
import { readTar } from '../../archives/tar-reader.ts'
import { openCompressed } from './open-compressed.ts'

/** Ends the reading of an archive once its first member is known. */
class Seen extends Error {}

const LIMITS = { maxEntries: 2, maxBytes: Number.MAX_SAFE_INTEGER }

/** Whether a file begins as an archive of Berth does. What cannot be read counts as one: its reader says what is wrong. */
export const isOwnArchive = async (file: string): Promise<boolean> => {
  let first: string | null = null
  try {
    await readTar(await openCompressed(file), LIMITS, ({ name }) => {
      first = name
      return Promise.reject(new Seen())
    })
  } catch {
    return first === null || first === MANIFEST
  }
  return true
}
