import type { BytePart, MultipartRanges } from '../../edge-cache/index.ts'

/** Where a file of a site lies, and whose it must be. */
export interface FilePlace {
  /** Document root, absolute. */
  root: string
  /** Directory that the file must really lie in, whatever links led there. */
  home: string
  /** Owner that the file must have; null: any. */
  uid: number | null
  /** Path below `root`, decoded, beginning with `/`, without dot segments and NUL. */
  path: string
}

/**
 * What lies at a place. `missing`: nothing. `denied`: something that must not be
 * served (outside the home, of another owner, unreadable, FIFO, device, socket);
 * a client must not be able to tell it from `missing`.
 */
export type FileKind = 'file' | 'directory' | 'missing' | 'denied'

/** An open regular file that was judged on its descriptor. Call `stream`, `parts` or `close`, once. */
export interface SiteFile {
  sizeBytes: number
  /** Milliseconds since the epoch, with fractions where the file system has them. */
  mtimeMs: number
  /** Changes when the file is replaced by another. */
  inode: number
  /** The bytes of `range`, or all; closes the file at the end, on cancel and on error. Fails when the file shrinks meanwhile. */
  stream(range?: BytePart): ReadableStream<Uint8Array>
  /** The bytes of several ranges in their frame; closes as `stream` does. */
  parts(framed: MultipartRanges, ranges: readonly BytePart[]): ReadableStream<Uint8Array>
  close(): void
}

/** Something in a directory that may be seen. */
export interface ListedEntry {
  name: string
  isDirectory: boolean
  /** 0 for a directory. */
  sizeBytes: number
  mtimeMs: number
}

/** What a directory holds, in no order. */
export interface Listed {
  kind: 'listed'
  entries: ListedEntry[]
  /** Whether there is more than was looked at. */
  more: boolean
}

/** The files of all sites, as the web server may see them. Never waits for a FIFO; rejects for faults of the machine, and with `OriginError` 503 when an account's files are asked for faster than they open. */
export interface SiteFiles {
  /** Judges without opening for reading: enough for scripts, which another process reads. */
  judge(place: FilePlace): Promise<FileKind>
  /** Whether `judge` would say `file` at once, from what it found a moment ago. Default: it never would. */
  isKnownFile?(place: FilePlace): boolean
  open(place: FilePlace): Promise<SiteFile | Exclude<FileKind, 'file'>>
  /**
   * What a directory holds that `open` would give or `judge` would call a directory, each judged
   * by itself. Looks at `max` names, those without `isWanted` included, in the directory's order.
   */
  list(
    place: FilePlace,
    max: number,
    isWanted: (name: string) => boolean,
  ): Promise<Listed | Exclude<FileKind, 'directory'>>
}
