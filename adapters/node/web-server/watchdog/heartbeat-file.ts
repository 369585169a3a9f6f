import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RECORD_BYTES, readRecord, writeRecord, type HeartbeatRecord } from './heartbeat-record.ts'

/** In memory; elsewhere only where there is no such file system. */
const directories = (): string[] => ['/dev/shm', tmpdir()]

const openNameless = (directory: string): number => {
  const path = join(directory, `berth-heartbeat-${randomUUID()}`)
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  unlinkSync(path)
  return fd
}

/**
 * Where a worker says that it lives and what it does: a file in memory without a name,
 * which the worker inherits. Reading it asks nothing of the worker, which may be stuck.
 */
export class HeartbeatFile {
  readonly fd: number
  readonly #record = Buffer.alloc(RECORD_BYTES)
  #open = true

  /** Throws when no file can be made. */
  constructor() {
    this.fd = this.#make()
    writeSync(this.fd, this.#record, 0, writeRecord(this.#record, 0, null), 0)
  }

  /** What it says now; null when it cannot be read. */
  read(): HeartbeatRecord | null {
    if (!this.#open) return null
    try {
      readSync(this.fd, this.#record, 0, RECORD_BYTES, 0)
      return readRecord(this.#record)
    } catch {
      return null
    }
  }

  /** For its owner, once the worker has inherited it and is gone. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    closeSync(this.fd)
  }

  #make(): number {
    let failure: unknown = null
    for (const directory of directories()) {
      try {
        return openNameless(directory)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}
