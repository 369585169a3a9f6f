import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_DEPTH = 40
const BLOCK_BYTES = 4096

/** What a copy of a source with its links resolved takes, in whole blocks, and the names in it; what leads nowhere is left out. */
export const sizeOfTree = async (
  directory: string,
  depth = 0,
): Promise<{ bytes: number; names: string[] }> => {
  let bytes = BLOCK_BYTES
  const names: string[] = []
  if (depth > MAX_DEPTH) return { bytes, names }
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const facts = await stat(path).catch(() => null)
    if (facts === null) continue
    names.push(name)
    if (facts.isDirectory()) bytes += (await sizeOfTree(path, depth + 1)).bytes
    else if (facts.isFile()) bytes += Math.ceil(facts.size / BLOCK_BYTES) * BLOCK_BYTES
  }
  return { bytes, names }
}
