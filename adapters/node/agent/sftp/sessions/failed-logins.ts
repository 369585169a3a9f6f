import { existsSync, readFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { writeWhole } from '../../../layout/write-whole.ts'
import { failureSize, readFailures, type FailedLogin } from './read-failures.ts'

/** Attempts to log in that failed, as sshd leaves them in btmp(5). */
export interface FailedLogins {
  /** Those since the last time. Without such a file there are none. */
  read(): Promise<FailedLogin[]>
}

/** Of more at once the oldest are left out. */
const MOST_AT_ONCE = 4000

const placeSchema = z.object({ inode: z.string(), position: z.int().min(0) })
type Place = z.infer<typeof placeSchema>

const placeAt = (file: string): Place | null => {
  if (!existsSync(file)) return null
  try {
    return placeSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Then it begins at the end again.
    return null
  }
}

/** From `btmp`; how far it is read stands in `file`. What was there before the first reading is left. */
export const createFailedLogins = (file: string, btmp = '/var/log/btmp'): FailedLogins => {
  const size = failureSize()
  let place = placeAt(file)
  let turn: Promise<unknown> = Promise.resolve()

  const readFrom = async (handle: FileHandle, entry: number): Promise<FailedLogin[]> => {
    const stat = await handle.stat({ bigint: true })
    const inode = String(stat.ino)
    const end = Number(stat.size) - (Number(stat.size) % entry)
    const before = place
    if (before === null) {
      place = { inode, position: end }
      writeWhole(file, JSON.stringify(place), { mode: 0o600 })
      return []
    }
    // Rotated or emptied, it begins anew.
    const isSame = before.inode === inode && before.position <= end
    const from = Math.max(isSame ? before.position : 0, end - MOST_AT_ONCE * entry)
    if (isSame && from === end) return []
    const bytes = Buffer.alloc(end - from)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
    place = { inode, position: end }
    writeWhole(file, JSON.stringify(place), { mode: 0o600 })
    return readFailures(bytes.subarray(0, bytesRead))
  }
  const read = async (): Promise<FailedLogin[]> => {
    if (size === null || !existsSync(btmp)) return []
    const handle = await open(btmp, 'r')
    try {
      return await readFrom(handle, size)
    } finally {
      await handle.close()
    }
  }
  return {
    async read() {
      const mine = turn.then(read)
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}
