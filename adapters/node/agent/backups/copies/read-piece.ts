import { open } from 'node:fs/promises'

/** What is read of a file for a download at once. */
export const READ_BYTES = 2 ** 20

/** At most `READ_BYTES` of a file from `offset` on, in base64; empty at its end. */
export const readPiece = async (file: string, offset: number): Promise<string> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, offset)
    return buffer.toString('base64', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
