import { closeSync } from 'node:fs'
import type { ContentCoding } from '#edge-cache/index.ts'
import type { FileSource } from '../files/file-source.ts'
import { readFilePart } from '../files/read-file-part.ts'
import { encodeAside } from './coding-options.ts'

/** A file in a coding; `body` is the file as it is where the coding makes it no smaller. */
export interface FileCopy {
  isCoded: boolean
  body: Uint8Array<ArrayBuffer>
}

/** Files in codings, each made once and kept as long as there is room. */
export interface FileCopies {
  /** At once where it is kept; null: the file is too large, or too many are being made. Takes the descriptor where it answers something else. */
  get(source: FileSource, coding: ContentCoding): FileCopy | Promise<FileCopy> | null
}

/** Larger files are coded while they are sent. */
const MAX_FILE_BYTES = 2 ** 20
/** Being made at a time, in the thread pool that also reads files. */
const MAX_MAKING = 4
/** What an entry takes beside its bytes, about. */
const OVERHEAD_BYTES = 512

/** The very state of a file: whatever changes it changes this. */
const keyOf = (source: FileSource, coding: ContentCoding): string | null => {
  const stats = source.stats()
  if (stats === null || stats.size !== source.sizeBytes || stats.size > MAX_FILE_BYTES) return null
  const { dev, ino, size, mtimeMs, ctimeMs } = stats
  return `${coding} ${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
}

/**
 * Copies lie in memory of `limitBytes`, what was asked for last in it. They are known
 * by the open file, which was judged when it was opened, so a copy is never given
 * to who may not have the file.
 */
export const createFileCopies = (limitBytes: number): FileCopies => {
  /** In the order of use. Null: as it is, the file is no larger. */
  const kept = new Map<string, Uint8Array<ArrayBuffer> | null>()
  const making = new Map<string, Promise<FileCopy>>()
  let bytes = 0

  const sizeOf = (body: Uint8Array | null): number => (body?.byteLength ?? 0) + OVERHEAD_BYTES
  const keep = (key: string, body: Uint8Array<ArrayBuffer> | null): void => {
    if (sizeOf(body) > limitBytes / 8) return
    kept.set(key, body)
    bytes += sizeOf(body)
    for (const [oldest, held] of kept) {
      if (bytes <= limitBytes) return
      kept.delete(oldest)
      bytes -= sizeOf(held)
    }
  }
  const make = async (
    key: string,
    fd: number,
    source: FileSource,
    coding: ContentCoding,
  ): Promise<FileCopy> => {
    try {
      const plain = (await readFilePart(fd, source.range).finally(() => {
        closeSync(fd)
      })) as Uint8Array<ArrayBuffer>
      const made = await encodeAside(plain, coding, 'kept')
      const isCoded = made.byteLength < plain.byteLength
      // Memory of its own: what zlib gives is part of something larger.
      const body = isCoded ? new Uint8Array(made) : plain
      keep(key, isCoded ? body : null)
      return { isCoded, body }
    } finally {
      making.delete(key)
    }
  }

  return {
    get(source, coding) {
      const key = keyOf(source, coding)
      if (key === null) return null
      const body = kept.get(key)
      if (body === null) return null
      if (body !== undefined) {
        kept.delete(key)
        kept.set(key, body)
        source.close()
        return { isCoded: true, body }
      }
      const begun = making.get(key)
      if (begun !== undefined) {
        source.close()
        return begun
      }
      if (making.size >= MAX_MAKING) return null
      const fd = source.take()
      if (fd === null) return null
      const made = make(key, fd, source, coding)
      making.set(key, made)
      return made
    },
  }
}
