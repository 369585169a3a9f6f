import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import {
  MAX_CONFIGS,
  MAX_CONFIGS_BYTES,
  MAX_CONFIG_BYTES,
  MAX_CONFIG_DEPTH,
  isKnownConfig,
} from '#handlers/domain/backups/known-configs.ts'
import type { NamedHome } from '#handlers/domain/backups/known-configs.ts'
import { replaceHomes } from '#handlers/domain/backups/replace-home.ts'
import { at, openPlace, self, withFd } from '../at.ts'
import { statOrNull } from '../resolve.ts'
import type { Home } from '../resolve.ts'
import { writeFile } from '../write-file.ts'

/** Where files lie as they were before, under their own paths; its owner's alone, and in no document root. An earlier import may have one. */
const COPIES = '.before-import'

const MAX_ENTRIES = 2_000_000
const YIELD_EVERY = 500
/** Nobody's configuration is in there. */
const PASSED_OVER = new Set(['.git', 'node_modules', '.cache', '.trash'])
const PASSED_PREFIXES = ['.berth-', COPIES]

export interface PointedConfigs {
  changed: NamedHome[]
  /** Files that name the home there and stay as they are. */
  left: { path: string; why: string }[]
  /** The folder of the copies, below the home. */
  copies: string
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MAKE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** What a file holds, one character to a byte; null for what is no file of our own or is too large. */
const contentOf = (dirFd: number, name: string): string | null =>
  withFd(openSync(at(dirFd, name), READ), (fd) => {
    const stat = fstatSync(fd)
    const { size } = stat
    if (!stat.isFile() || stat.uid !== process.geteuid?.() || size > MAX_CONFIG_BYTES) return null
    const content = Buffer.alloc(size)
    let done = 0
    while (done < size) {
      const bytes = readSync(fd, content, done, size - done, done)
      if (bytes === 0) break
      done += bytes
    }
    return content.toString('latin1', 0, done)
  })

const freeName = (home: Home): string => {
  for (let number = 2, name = COPIES; ; number += 1) {
    if (statOrNull(home.fd, name) === null) return name
    name = `${COPIES}-${number}`
  }
}

/** Writes the copy at its path below `copies`, in folders that are entered without following a link. */
const keepCopy = (home: Home, copies: string, path: readonly string[], content: Buffer): void => {
  const folders = [copies, ...path.slice(0, -1)]
  const name = path.at(-1) ?? ''
  let held = openPlace(self(home.fd) + '/.')
  try {
    for (const folder of folders) {
      if (statOrNull(held, folder) === null) mkdirSync(at(held, folder), { mode: 0o700 })
      const next = openPlace(at(held, folder))
      closeSync(held)
      held = next
    }
    withFd(openSync(at(held, name), MAKE, 0o600), (fd) => {
      for (let done = 0; done < content.length;) done += writeSync(fd, content, done)
    })
  } finally {
    closeSync(held)
  }
}

/**
 * Points absolute paths of the homes `from` in known configuration files at this home.
 * Each file that is changed is kept as it was. Links are not followed,
 * names that are not UTF-8 are passed over, and all of it is bounded.
 */
export const pointConfigs = async (
  home: Home,
  from: readonly string[],
): Promise<PointedConfigs> => {
  const result: PointedConfigs = { changed: [], left: [], copies: freeName(home) }
  let bytes = 0
  let seen = 0
  const leave = (path: string, why: string): void => {
    if (result.left.length < MAX_CONFIGS) result.left.push({ path, why })
  }
  const change = (dirFd: number, path: readonly string[]): void => {
    const shown = path.join('/')
    const name = path.at(-1) ?? ''
    const old = contentOf(dirFd, name)
    if (old === null) return
    const { text, count } = replaceHomes(old, from, home.path)
    if (count === 0) return
    const fits = bytes + old.length <= MAX_CONFIGS_BYTES && result.changed.length < MAX_CONFIGS
    if (!fits || text.length > 2 * MAX_CONFIG_BYTES) return leave(shown, 'there are too many')
    bytes += old.length
    keepCopy(home, result.copies, path, Buffer.from(old, 'latin1'))
    // The folder that was walked to, not whatever its path leads to now.
    writeFile({ ...home, fd: dirFd }, name, Buffer.from(text, 'latin1'), null)
    result.changed.push({ path: shown, paths: count })
  }
  const walk = async (dirFd: number, above: readonly string[]): Promise<void> => {
    for (const name of readdirSync(self(dirFd)).sort()) {
      seen += 1
      if (seen > MAX_ENTRIES) return
      if (seen % YIELD_EVERY === 0) await setImmediate()
      if (
        name.includes('\uFFFD') ||
        PASSED_OVER.has(name) ||
        PASSED_PREFIXES.some((begin) => name.startsWith(begin))
      )
        continue
      const path = [...above, name]
      try {
        const stat = statOrNull(dirFd, name)
        if (stat?.isFile() === true && isKnownConfig(name)) change(dirFd, path)
        if (stat?.isDirectory() !== true || above.length >= MAX_CONFIG_DEPTH) continue
        const child = openPlace(at(dirFd, name))
        try {
          await walk(child, path)
        } finally {
          closeSync(child)
        }
      } catch (error) {
        // Closed to its owner, gone meanwhile, or no room for it: that one stays as it was.
        if (isKnownConfig(name))
          leave(
            path.join('/'),
            error instanceof Error ? error.message.slice(0, 150) : 'it cannot be read',
          )
      }
    }
  }
  await walk(home.fd, [])
  return result
}
