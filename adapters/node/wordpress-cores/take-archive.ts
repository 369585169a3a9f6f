import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { CoreError } from './core-error.ts'

/** Those of today have 30 MB. */
export const MAX_ARCHIVE_BYTES = 256 * 2 ** 20
const PIECE_BYTES = 2 ** 20

/**
 * Copies an archive to a file that is not there yet and that nobody else can change, and answers its
 * SHA-256 in lower case: what was compared is what is unpacked.
 *
 * @throws CoreError where it is no regular file, or larger than 256 MiB
 */
export const takeArchive = async (from: string, to: string): Promise<string> => {
  const source = await open(from, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await source.stat()).isFile()) throw new CoreError('it is no file')
    const target = await open(to, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      const piece = Buffer.alloc(PIECE_BYTES)
      for (let taken = 0; ;) {
        const { bytesRead } = await source.read(piece, 0, piece.length, taken)
        if (bytesRead === 0) return hash.digest('hex')
        taken += bytesRead
        if (taken > MAX_ARCHIVE_BYTES)
          throw new CoreError(`it is larger than ${MAX_ARCHIVE_BYTES} bytes`)
        hash.update(piece.subarray(0, bytesRead))
        await target.writeFile(piece.subarray(0, bytesRead))
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
