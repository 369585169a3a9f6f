import { closeSync, readSync } from 'node:fs'
import { conflict } from '#handlers/errors.ts'
import { PIECE_BYTES } from '#handlers/ports/host/files.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import { openPackage } from './read-packages.ts'

/** Writes an archive of the host into a file of the account, by the account's own helper. 409 where it is gone. */
export const handPackage = async (
  files: Pick<FilesPort, 'beginUpload' | 'appendUpload' | 'endUpload'>,
  file: string,
  to: { username: string; path: string },
): Promise<void> => {
  const opened = openPackage(file)
  if (opened === null) throw conflict('The archive is not on this server any more.')
  const { fd } = opened
  try {
    const { token } = await files.beginUpload(to)
    const piece = Buffer.alloc(PIECE_BYTES)
    let size = 0
    for (;;) {
      const got = readSync(fd, piece, 0, piece.length, size)
      if (got === 0) break
      const content = piece.subarray(0, got).toString('base64')
      await files.appendUpload({ ...to, token, offset: size, content })
      size += got
    }
    await files.endUpload({ ...to, token, size })
  } finally {
    closeSync(fd)
  }
}
