import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A log is put aside (`.1`) when it is larger than this. */
const ROTATE_BYTES = 16 * 2 ** 20
/** pino's level of errors. */
const ERROR_LEVEL = 50

/** Collects what a child writes into `<log_dir>/<name>.log`; `show` gets what a person should see. */
export interface ChildLog {
  write(chunk: Buffer): void
  /** Goes on in a new file when this one was renamed. */
  reopen(): void
  close(): void
}

const openLog = (file: string): number => {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const fd = openSync(file, flags | constants.O_NONBLOCK, 0o640)
  const stat = fstatSync(fd)
  if (!stat.isFile() || stat.nlink > 1) {
    closeSync(fd)
    throw new Error(`${file} is not a plain file. Remove it.`)
  }
  if (stat.size <= ROTATE_BYTES) return fd
  closeSync(fd)
  renameSync(file, `${file}.1`)
  return openLog(file)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** ` (example.com/path: reason)` of an entry that says so. Visitors choose the path: no control characters, not without end. */
const placeOf = (entry: object): string => {
  const field = (name: string): string => {
    const value: unknown = Reflect.get(entry, name)
    return isText(value) ? value.replace(/\p{Cc}+/gu, ' ').slice(0, 200) : ''
  }
  const place = `${field('domain')}${field('path') || field('target')}`
  const text = [place, field('reason')].filter(Boolean).join(': ')
  return text === '' ? '' : ` (${text})`
}

/** The text of a line that reports an error, or that is not one of our log lines at all (a stack trace). */
const errorText = (line: string): string | null => {
  if (!line.startsWith('{')) return line.trim() === '' ? null : line
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null || !('level' in entry)) return line
    if (typeof entry.level !== 'number' || entry.level < ERROR_LEVEL) return null
    return 'msg' in entry ? `${String(entry.msg)}${placeOf(entry)}` : line
  } catch {
    return line
  }
}

export const openChildLog = (
  logDir: string,
  name: string,
  show: (text: string) => void,
): ChildLog => {
  const file = join(logDir, `${name}.log`)
  let fd = openLog(file)
  let size = fstatSync(fd).size
  let partial = ''
  const reopen = (): void => {
    const old = fd
    fd = openLog(file)
    size = fstatSync(fd).size
    closeSync(old)
  }
  return {
    reopen() {
      try {
        reopen()
      } catch (error) {
        show(`${file} cannot be opened anew: ${String(error)}`)
      }
    },
    write(chunk) {
      try {
        size += writeSync(fd, chunk)
        if (size > ROTATE_BYTES) reopen()
      } catch {
        // A full disk must not stop the supervisor; the line is still shown below.
      }
      const lines = (partial + chunk.toString('utf8')).split('\n')
      partial = (lines.pop() ?? '').slice(-65_536)
      for (const line of lines) {
        const text = errorText(line)
        if (text !== null) show(text)
      }
    },
    close: () => closeSync(fd),
  }
}
