import type { Readable } from 'node:stream'

/** Where copies of archives are kept elsewhere. Failures are 503 with the target's name, and hold no secret. */
export interface RemoteStore {
  /** Copies a local file; an interrupted copy is not visible under `name`. */
  put(name: string, file: string, sizeBytes: number): Promise<void>
  /** Bytes of a copy, from `offset` on, at most `length` where given; 404 when there is none. */
  open(name: string, range?: { offset: number; length: number }): Promise<Readable>
  /** No error when there is none. */
  remove(name: string): Promise<void>
}
