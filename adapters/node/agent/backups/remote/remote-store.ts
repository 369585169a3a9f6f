import type { Readable } from 'node:stream'

/** A file at a target. */
export interface StoredFile {
  name: string
  sizeBytes: number
}

/** So many files are listed at most, the first by name. */
export const MAX_LISTED = 10_000

/** Where copies of archives are kept elsewhere. Failures are 503 with the target's name, and hold no secret. */
export interface RemoteStore {
  /** Copies a local file; an interrupted copy is not visible under `name`. */
  put(name: string, file: string, sizeBytes: number): Promise<void>
  /** Bytes of a copy, from `offset` on, at most `length` where given; 404 when there is none. */
  open(name: string, range?: { offset: number; length: number }): Promise<Readable>
  /** No error when there is none. */
  remove(name: string): Promise<void>
  /** Removes a folder with all that is in it; no error when there is none. */
  removeFolder(folder: string): Promise<void>
  /**
   * Files of which the name begins with `prefix`, by name, at most `MAX_LISTED`; no folders,
   * and none of what lies in one. Empty where there is no such directory yet.
   */
  list(prefix: string, isWanted?: (name: string) => boolean): Promise<StoredFile[]>
}
