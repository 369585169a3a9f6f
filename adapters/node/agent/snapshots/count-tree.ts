import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'

/** Plain files below a directory and their bytes; links are not followed. */
export const countTree = async (directory: string): Promise<{ files: number; bytes: number }> => {
  let files = 0
  let bytes = 0
  const waiting: Buffer[] = [Buffer.from(directory)]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // Names are bytes, which need be no text.
    for await (const entry of await opendir(next, { encoding: 'buffer' as BufferEncoding })) {
      const name = entry.name as unknown as Buffer
      const full = Buffer.concat([next, Buffer.from(path.sep), name])
      if (entry.isDirectory()) waiting.push(full)
      else if (entry.isFile()) {
        files += 1
        bytes += (await lstat(full)).size
      }
    }
  }
  return { files, bytes }
}
