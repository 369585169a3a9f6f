import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_NAME } from '#handlers/domain/applications/application-place.ts'
import { MOST_TAIL } from './keeper-messages.ts'

/** At this size a new one is begun. */
const MOST_BYTES = 2 ** 20

/** What an application writes, in two files of a megabyte in its place: the owner's disk quota counts them. */
export interface AppLog {
  write(chunk: Buffer): void
  /** The end of what was written since the log was opened, as valid UTF-8. */
  tail(): string
}

/** Opens it for appending. What cannot be written, with a full disk for example, is left out: the application goes on. */
export const openAppLog = (directory: string): AppLog => {
  const path = join(directory, LOG_NAME)
  let fd: number | null = null
  let size = 0
  let last = Buffer.alloc(0)
  const open = (): void => {
    fd = openSync(path, 'a', 0o640)
    size = fstatSync(fd).size
  }
  const rotate = (): void => {
    if (fd !== null) closeSync(fd)
    fd = null
    renameSync(path, `${path}.1`)
    open()
  }
  return {
    write(chunk) {
      last = Buffer.concat([last, chunk.subarray(-MOST_TAIL)]).subarray(-MOST_TAIL)
      try {
        if (fd === null) open()
        if (size > 0 && size + chunk.length > MOST_BYTES) rotate()
        if (fd !== null) size += writeSync(fd, chunk)
      } catch {
        if (fd !== null) closeSync(fd)
        fd = null
      }
    },
    tail: () => last.toString('utf8').replace(/^\uFFFD+/, ''),
  }
}
