import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs'
import type { SourceFiles } from '#handlers/domain/legacy/types.ts'
import { codeOf } from '../read-text.ts'
import { isGlob, matchesGlob } from './glob.ts'

const MAX_BYTES = 16 * 2 ** 20
const MAX_FOUND = 20_000
const MAX_DEPTH = 8

const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'does not exist.'
  if (code === 'EACCES') return 'may not be read by this user. Run the command as root.'
  return `cannot be read (${code}).`
}

const kindOf = (path: string): 'file' | 'directory' | 'other' | null => {
  try {
    const found = statSync(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
  } catch {
    return null
  }
}

/** Names in a directory that may be read, sorted as both servers do. */
const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory).sort()
  } catch {
    return []
  }
}

/** Regular files only, of bounded size; a pipe or a device never makes us wait. */
const readText = (path: string): { text: string } | { reason: string } => {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(descriptor)
    if (!found.isFile()) return { reason: 'is no regular file.' }
    if (found.size > MAX_BYTES) return { reason: 'is larger than 16 MiB.' }
    return { text: readFileSync(descriptor, 'utf8') }
  } catch (error) {
    return { reason: reasonOf(error) }
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

const filesBelow = (directory: string, depth = 0): string[] =>
  depth > MAX_DEPTH
    ? []
    : namesIn(directory)
        .map((name) => `${directory.replace(/\/$/, '')}/${name}`)
        .flatMap((path) => (kindOf(path) === 'directory' ? filesBelow(path, depth + 1) : [path]))

/** The files of another server's configuration on this machine. */
export const sourceFiles: SourceFiles = {
  read: readText,
  exists: (path) => kindOf(path) !== null,
  expand(pattern) {
    if (!isGlob(pattern)) {
      const kind = kindOf(pattern)
      if (kind === null) return []
      return kind === 'directory' ? filesBelow(pattern).slice(0, MAX_FOUND) : [pattern]
    }
    let found = ['']
    for (const part of pattern.split('/').slice(1)) {
      found = isGlob(part)
        ? found.flatMap((directory) =>
            namesIn(directory === '' ? '/' : directory)
              .filter((name) => !name.startsWith('.') || part.startsWith('.'))
              .filter((name) => matchesGlob(name, part))
              .map((name) => `${directory}/${name}`),
          )
        : found.map((directory) => `${directory}/${part}`)
      found = found.slice(0, MAX_FOUND)
    }
    return found.filter((path) => kindOf(path) === 'file')
  },
}
