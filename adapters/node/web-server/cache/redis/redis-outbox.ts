import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { PurgeScope } from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'

/** Purges that Redis has not taken yet; they outlive this process. */
export interface RedisOutbox {
  readonly waiting: readonly (readonly PurgeScope[])[]
  /** Returns once the purge would survive a power cut, or its failure was reported. */
  add(scopes: readonly PurgeScope[]): void
  /** Removes these: Redis has them. */
  done(sent: readonly (readonly PurgeScope[])[]): void
}

/** More than these are kept as one purge of everything. */
const MAX_WAITING = 10_000

const read = (file: string): { purges: PurgeScope[][]; torn: boolean } => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return { purges: [], torn: false }
  }
  const lines = text.split('\n')
  // What follows the last line feed was not acknowledged: the process ended while it wrote.
  const purges = lines.slice(0, -1).map((line): PurgeScope[] => {
    try {
      const value: unknown = JSON.parse(line)
      if (Array.isArray(value)) return value as PurgeScope[]
    } catch {
      // Unreadable: it may have meant anything.
    }
    return [{ kind: 'all' }]
  })
  return { purges, torn: lines.at(-1) !== '' }
}

/** Makes names that were created or changed in it survive a power cut. */
const syncDirectory = (directory: string): void => {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** One line of JSON per purge in `file`, synced before it is acknowledged. */
export const openRedisOutbox = (file: string, log: Log): RedisOutbox => {
  const found = read(file)
  let waiting: (readonly PurgeScope[])[] = found.purges

  const append = (path: string, lines: readonly (readonly PurgeScope[])[], flags: string): void => {
    const descriptor = openSync(path, flags, 0o600)
    try {
      writeSync(descriptor, lines.map((scopes) => `${JSON.stringify(scopes)}\n`).join(''))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
  const save = (work: () => void): void => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      work()
    } catch (error) {
      log.error('a purge for Redis is kept in memory only', { file, error: String(error) })
    }
  }
  const rewrite = (): void =>
    save(() => {
      if (waiting.length === 0) return rmSync(file, { force: true })
      append(`${file}.new`, waiting, 'w')
      renameSync(`${file}.new`, file)
      syncDirectory(dirname(file))
    })

  if (found.torn) rewrite()

  return {
    get waiting() {
      return waiting
    },
    add(scopes) {
      if (waiting.length >= MAX_WAITING) {
        waiting = [[{ kind: 'all' }]]
        return rewrite()
      }
      waiting.push(scopes)
      const isNew = waiting.length === 1
      save(() => {
        append(file, [scopes], 'a')
        if (isNew) syncDirectory(dirname(file))
      })
    },
    done(sent) {
      const gone = new Set(sent)
      waiting = waiting.filter((scopes) => !gone.has(scopes))
      rewrite()
    },
  }
}
