import { z } from 'zod'
import { PIECE_BYTES } from '#handlers/ports/host/files.ts'
import { atPath, bytes, encoding, path, text, upload, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about files, by port and method. */
export const FILES_ARGUMENTS: Pick<ArgumentTable, 'files'> = {
  files: {
    list: atPath,
    read: z.object({ username, path, maxBytes: z.number().int().nonnegative() }),
    write: z.object({ username, path, content: z.string(), encoding }),
    mkdir: atPath,
    chmod: z.object({ username, path, mode: z.string().regex(/^[0-7]{3,4}$/) }),
    delete: atPath,
    beginUpload: atPath,
    appendUpload: z.object({
      ...upload,
      offset: bytes,
      content: z.string().max(Math.ceil(PIECE_BYTES / 3) * 4),
    }),
    endUpload: z.object({ ...upload, size: bytes }),
    abortUpload: z.object(upload),
    readPart: z.object({
      username,
      path,
      offset: bytes,
      length: bytes.max(PIECE_BYTES),
      identity: text(100).nullable(),
    }),
    move: z.object({ username, path, to: path }),
    copy: z.object({ username, path, to: path }),
    archive: z.object({ username, paths: z.array(path).min(1).max(1000), to: path }),
    extract: z.object({ username, path, to: path, overwrite: z.boolean() }),
  },
}
