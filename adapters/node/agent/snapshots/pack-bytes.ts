import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** Bytes of a local repository's packs, or of those that a check of the n-th share reads; null for one elsewhere. */
export const packBytes = async (
  directory: string | null,
  share: { nth: number; of: number } = { nth: 1, of: 1 },
): Promise<number | null> => {
  if (directory === null) return null
  const data = path.join(directory, 'data')
  let bytes = 0
  for (const folder of await readdir(data).catch(() => [])) {
    // As restic divides them: by the first byte of their names.
    if (Number.parseInt(folder, 16) % share.of !== share.nth - 1) continue
    for (const name of await readdir(path.join(data, folder)))
      bytes += (await stat(path.join(data, folder, name)).catch(() => null))?.size ?? 0
  }
  return bytes
}
