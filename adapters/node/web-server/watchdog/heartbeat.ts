import { writeSync } from 'node:fs'
import { RECORD_BYTES, writeRecord, type MarkedRequest } from './heartbeat-record.ts'

/** How often a worker that has nothing to do says that it lives. */
const BEAT_MS = 500

/** A worker's end of its `HeartbeatFile`. A write is one system call on memory, about a microsecond. */
export class Heartbeat {
  readonly #fd: number
  readonly #record = Buffer.alloc(RECORD_BYTES)
  #beat = 0
  readonly #timer: NodeJS.Timeout

  constructor(fd: number) {
    this.#fd = fd
    this.#timer = setInterval(() => this.mark(null), BEAT_MS).unref()
  }

  /** Says that the process lives, and which request it is in; null: in none that is known. */
  mark(request: MarkedRequest | null): void {
    this.#beat++
    const length = writeRecord(this.#record, this.#beat, request)
    try {
      writeSync(this.#fd, this.#record, 0, length, 0)
    } catch {
      // A full memory is no reason to answer nobody; the watchdog finds the file as it was.
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
