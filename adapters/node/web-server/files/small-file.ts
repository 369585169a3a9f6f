import { closeSync } from 'node:fs'
import type { FileSource } from './file-source.ts'
import { pieceBudget } from './piece-budget.ts'
import { readFilePart } from './read-file-part.ts'

/** Files up to this are read, sent and remembered whole, bytes. */
export const WHOLE_BYTES = 256 * 1024

/** Whether a file may be in memory whole until its client has taken it. */
export const isSmall = ({ sizeBytes }: FileSource): boolean =>
  sizeBytes <= WHOLE_BYTES && pieceBudget.hasRoom()

/**
 * Reads a small file and hands it to `send`; it counts as held until that is
 * done. Closes the descriptor. Rejects when the file is shorter than promised.
 */
export const withSmallFile = async (
  source: FileSource,
  send: (body: Buffer) => Promise<void>,
): Promise<Buffer> => {
  const fd = source.take()
  if (fd === null) throw new Error('The file was already sent.')
  const { sizeBytes } = source
  pieceBudget.add(sizeBytes)
  try {
    const body = await readFilePart(fd, source.range).finally(() => closeSync(fd))
    await send(body)
    return body
  } finally {
    pieceBudget.remove(sizeBytes)
  }
}
