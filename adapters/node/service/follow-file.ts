import { closeSync, constants, fstatSync, openSync, readSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

const CHUNK_BYTES = 65_536
/** How much of the end is read to find the last lines. */
const MAX_TAIL_BYTES = 4 * 2 ** 20
/** Looks this often even when the directory reports nothing, as network file systems do. */
const LOOK_MS = 2000

const openPlain = (file: string): number | null => {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return null
}

const readFrom = (fd: number, from: number, onText: (chunk: Buffer) => void): number => {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let at = from
  for (;;) {
    const size = readSync(fd, chunk, 0, CHUNK_BYTES, at)
    if (size === 0) return at
    at += size
    onText(chunk.subarray(0, size))
  }
}

/** The last `count` lines of a log; none when there is no such file. */
export const lastLines = (file: string, count: number): string[] => {
  const fd = openPlain(file)
  if (fd === null) return []
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - MAX_TAIL_BYTES)
    const parts: Buffer[] = []
    readFrom(fd, from, (chunk) => parts.push(Buffer.from(chunk)))
    const lines = Buffer.concat(parts).toString('utf8').split('\n')
    if (lines.at(-1) === '') lines.pop()
    return count === 0 ? [] : lines.slice(-count)
  } finally {
    closeSync(fd)
  }
}

/**
 * Hands on each line that is added to a log, from its present end on, through
 * rotations (another file of that name, or the same one emptied), until `signal`.
 */
export const followFile = (
  file: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve) => {
    let fd = openPlain(file)
    let at = fd === null ? 0 : fstatSync(fd).size
    let partial = ''
    const decoder = new StringDecoder('utf8')
    const take = (chunk: Buffer): void => {
      const lines = (partial + decoder.write(chunk)).split('\n')
      partial = (lines.pop() ?? '').slice(-CHUNK_BYTES)
      lines.forEach(onLine)
    }
    const look = (): void => {
      if (fd !== null) {
        if (fstatSync(fd).size < at) at = 0
        at = readFrom(fd, at, take)
        const now = statSync(file, { throwIfNoEntry: false })
        if (now === undefined || now.ino === fstatSync(fd).ino) return
        closeSync(fd)
      }
      fd = openPlain(file)
      at = 0
      if (fd !== null) at = readFrom(fd, at, take)
    }
    const name = basename(file)
    const watcher = watch(dirname(file), (_event, changed) => {
      if (changed === name) look()
    })
    const timer = setInterval(look, LOOK_MS)
    signal.addEventListener('abort', () => {
      watcher.close()
      clearInterval(timer)
      if (fd !== null) closeSync(fd)
      resolve()
    })
    look()
  })
