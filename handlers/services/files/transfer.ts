import type { FileEntry, FilesPort } from '../../ports/host/files.ts'
import { PIECE_BYTES } from '../../ports/host/files.ts'

interface Place {
  username: string
  path: string
}

/** A file that is read in parts; it stays the same one, or reading fails with 409. */
export interface OpenFile {
  size: number
  modified_at: string
  /** Changes with the content. */
  identity: string
  /** Bytes from `offset` on, up to `length` of them, a piece at a time. */
  read(offset: number, length: number): AsyncGenerator<Uint8Array<ArrayBuffer>>
}

const WINDOW = 0x8000

const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += WINDOW)
    text += String.fromCharCode(...bytes.subarray(at, at + WINDOW))
  return btoa(text)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** Chunks of any size as pieces of at most `PIECE_BYTES`, whole ones but the last. */
async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES)
  let have = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + PIECE_BYTES - have)
      piece.set(part, have)
      have += part.length
      at += part.length
      if (have < PIECE_BYTES) continue
      yield piece
      piece = new Uint8Array(PIECE_BYTES)
      have = 0
    }
  }
  if (have > 0) yield piece.subarray(0, have)
}

/** Sends a stream as a file, piece by piece; when it breaks off or is refused, nothing of it stays. */
export const uploadFile = async (
  files: FilesPort,
  place: Place,
  content: AsyncIterable<Uint8Array>,
): Promise<FileEntry> => {
  const { token } = await files.beginUpload(place)
  try {
    let offset = 0
    for await (const piece of inPieces(content)) {
      await files.appendUpload({ ...place, token, offset, content: toBase64(piece) })
      offset += piece.length
    }
    return await files.endUpload({ ...place, token, size: offset })
  } catch (error) {
    // The failure is what matters; a host that is away keeps the piece, which counts as the account's.
    await files.abortUpload({ ...place, token }).catch(() => undefined)
    throw error
  }
}

/** Looks at a file for reading it in parts. */
export const openFile = async (files: FilesPort, place: Place): Promise<OpenFile> => {
  const first = await files.readPart({ ...place, offset: 0, length: 0, identity: null })
  const { size, modified_at, identity } = first
  return {
    size,
    modified_at,
    identity,
    async *read(start, length) {
      const end = Math.min(start + length, size)
      for (let offset = start; offset < end;) {
        const wanted = Math.min(PIECE_BYTES, end - offset)
        const part = await files.readPart({ ...place, offset, length: wanted, identity })
        const bytes = fromBase64(part.content)
        if (bytes.length === 0) throw new Error('the file ended before its size')
        offset += bytes.length
        yield bytes
      }
    },
  }
}
