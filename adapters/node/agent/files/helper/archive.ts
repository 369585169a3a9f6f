import { randomBytes } from 'node:crypto'
import {
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { closeSync, readlinkSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createEntryRules } from '../../../archives/entry-rules.ts'
import type { TarEntry } from '../../../archives/tar-reader.ts'
import { TAR_END, tarHeader, tarPadding } from '../../backups/tar-writer.ts'
import { at, openPlace, self } from './at.ts'
import { factsOf } from './facts.ts'
import type { Facts } from './facts.ts'
import { HelperError, noSuchPath, overQuota } from './helper-error.ts'
import { withNewPlace } from './move.ts'
import { statOrNull, withPlace, withPlaceAsync } from './resolve.ts'
import type { Home, Place } from './resolve.ts'
import { TEMPORARY_NAME } from './write-file.ts'

const PIECE_BYTES = 256 * 1024
export const MAX_ARCHIVE_ENTRIES = 100_000
/** Of content; a sparse file announces more than any home holds. */
const MAX_CONTENT_BYTES = 20 * 2 ** 30
const MAX_DEPTH = 200
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface Packing {
  rules: ReturnType<typeof createEntryRules>
  entries: number
  bytes: number
  /** Entries that were left out: devices, links that lead out, what cannot be read. */
  skipped: number
}

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const bounded = (packing: Packing, sizeBytes: number): void => {
  packing.entries += 1
  packing.bytes += sizeBytes
  if (packing.entries > MAX_ARCHIVE_ENTRIES || packing.bytes > MAX_CONTENT_BYTES)
    throw new HelperError(
      413,
      `An archive holds at most ${MAX_ARCHIVE_ENTRIES} entries and ${MAX_CONTENT_BYTES} bytes.`,
    )
}

async function* packFile(place: Place, name: string, packing: Packing): AsyncGenerator<Buffer> {
  const fd = openSync(at(place.dirFd, place.name), READ)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || (stat.nlink > 1 && stat.uid !== process.getuid?.())) {
      packing.skipped += 1
      return
    }
    const mtimeSecs = Math.trunc(stat.mtimeMs / 1000)
    const facts = { mode: stat.mode & 0o777, mtimeSecs, sizeBytes: stat.size, link: '' }
    const entry: TarEntry = { name: latin1(name), type: 'file', ...facts }
    bounded(packing, stat.size)
    yield tarHeader(entry)
    for (let left = stat.size; left > 0;) {
      // What shrank meanwhile is filled up: the header has promised its size.
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, left))
      readSync(fd, piece)
      left -= piece.length
      yield piece
    }
    yield tarPadding(entry)
  } finally {
    closeSync(fd)
  }
}

async function* packAny(
  place: Place,
  name: string,
  packing: Packing,
  depth: number,
): AsyncGenerator<Buffer> {
  const stat = lstatSync(at(place.dirFd, place.name))
  const facts = {
    mode: stat.mode & 0o777,
    mtimeSecs: Math.trunc(stat.mtimeMs / 1000),
    sizeBytes: 0,
  }
  const link = stat.isSymbolicLink()
    ? readlinkSync(at(place.dirFd, place.name), { encoding: 'latin1' })
    : ''
  const type = stat.isSymbolicLink() ? 'symlink' : stat.isDirectory() ? 'directory' : 'file'
  const entry: TarEntry = { name: latin1(name), type, ...facts, link }
  const regular = stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
  if (!regular || depth > MAX_DEPTH || packing.rules.problem(entry) !== null) {
    packing.skipped += 1
    return
  }
  if (stat.isFile()) return yield* packFile(place, name, packing)
  bounded(packing, 0)
  yield tarHeader(entry)
  if (!stat.isDirectory()) return
  const fd = openPlace(at(place.dirFd, place.name))
  try {
    for (const child of readdirSync(self(fd))) {
      if (TEMPORARY_NAME.test(child)) continue
      yield* packAny({ dirFd: fd, name: child }, `${name}/${child}`, packing, depth + 1)
    }
  } finally {
    closeSync(fd)
  }
}

async function* packAll(home: Home, paths: readonly string[], packing: Packing) {
  for (const path of paths) {
    const held = openParent(home, path)
    try {
      if (statOrNull(held.dirFd, held.name) === null) throw noSuchPath(path)
      yield* packAny(held, held.name, packing, 0)
    } finally {
      closeSync(held.dirFd)
    }
  }
  yield TAR_END
}

/** The folder of `path`, held by a descriptor of its own. */
const openParent = (home: Home, path: string): Place => {
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  const dirFd = withPlace(home, parent, { followLast: true }, (place) =>
    openPlace(place.name === '' ? `${self(place.dirFd)}/.` : at(place.dirFd, place.name)),
  )
  return { dirFd, name: path.slice(path.lastIndexOf('/') + 1) }
}

/**
 * Packs files, links that stay inside, and directories into a `.tar.gz` at `to`,
 * which must not be there yet; it appears when it is whole. Top-level names are
 * the last parts of `paths`.
 */
export const archive = async (
  home: Home,
  paths: readonly string[],
  to: string,
  availableBytes: number | null,
): Promise<{ facts: Facts; grownBytes: number; entries: number; skipped: number }> => {
  const packing: Packing = { rules: createEntryRules(home.path), entries: 0, bytes: 0, skipped: 0 }
  withNewPlace(home, to, () => undefined)
  let written = 0
  let facts: Facts | null = null
  await withPlaceAsync(home, to, { followLast: false }, async ({ dirFd, name }) => {
    const temporary = at(dirFd, `.berth-${randomBytes(8).toString('hex')}.tmp`)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const fd = openSync(temporary, flags, 0o600)
    try {
      const sink = new Writable({
        write(chunk: Buffer, _, done) {
          written += chunk.length
          if (availableBytes !== null && written > availableBytes) return done(overQuota(to))
          try {
            for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at)
            done()
          } catch (error) {
            done(error instanceof Error ? error : new Error(String(error)))
          }
        },
      })
      await pipeline(Readable.from(packAll(home, paths, packing)), createGzip(), sink)
      fchmodSync(fd, 0o644)
      fsyncSync(fd)
      facts = factsOf(name, fstatSync(fd))
      if (statOrNull(dirFd, name) !== null) throw new HelperError(409, `"${to}" exists already.`)
      renameSync(temporary, at(dirFd, name))
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    } finally {
      closeSync(fd)
    }
  })
  if (facts === null) throw noSuchPath(to)
  return { facts, grownBytes: written, entries: packing.entries, skipped: packing.skipped }
}
