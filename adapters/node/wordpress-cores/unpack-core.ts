import { closeSync, fchmodSync, openSync, readSync, writeSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isAppError } from '#handlers/errors.ts'
import {
  HEAD_BYTES,
  readLocalPackage,
  readWordpressVersion,
} from '#handlers/domain/wordpress/wordpress-version.ts'
import { createEntryRules } from '../archives/entry-rules.ts'
import { readTar, textOf } from '../archives/tar-reader.ts'
import type { OtherEntry, TarEntry } from '../archives/tar-reader.ts'
import { readZip } from '../archives/zip-reader.ts'
import { CoreError } from './core-error.ts'

/** What the files of a WordPress tell of it. */
export interface CoreFacts {
  version: string
  /** Of a language alone, e.g. `de_DE`; null: English, as it is given out for everybody. */
  locale: string | null
}

/** WordPress of today has 3,500 entries of 80 MB. */
const LIMITS = { maxEntries: 20_000, maxBytes: 512 * 2 ** 20 }
const PIECE_BYTES = 256 * 1024
/** What packers of another system leave in archives. */
const PASSED_OVER = '__MACOSX'
/** Without these it is no WordPress. */
const FILES = ['index.php', 'wp-load.php', 'wp-settings.php', 'wp-includes/version.php']
const FOLDERS = ['wp-admin', 'wp-includes', 'wp-content']
/** What a site of its own has, with secrets in it. */
const OWN = ['wp-config.php', '.htaccess']

const formatOf = (fd: number): 'zip' | 'tar.gz' => {
  const head = Buffer.alloc(4)
  const got = readSync(fd, head, 0, head.length, 0)
  if (got === 4 && head.toString('latin1') === 'PK\u0003\u0004') return 'zip'
  if (got >= 2 && head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz'
  throw new CoreError('it is neither a .zip nor a .tar.gz')
}

async function* bytesOf(fd: number): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const piece = Buffer.alloc(PIECE_BYTES)
    const got = readSync(fd, piece, 0, piece.length, at)
    if (got === 0) return
    at += got
    yield piece.subarray(0, got)
  }
}

async function* unzipped(fd: number): AsyncGenerator<Buffer> {
  const file = Readable.from(bytesOf(fd))
  const source = file.pipe(createGunzip())
  file.on('error', (error) => source.destroy(error))
  try {
    yield* source as AsyncIterable<Buffer>
  } finally {
    file.destroy()
    source.destroy()
  }
}

type Visit = (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>

const walk = async (fd: number, visit: Visit): Promise<void> => {
  if (formatOf(fd) === 'zip') return readZip(fd, LIMITS, visit)
  return readTar(unzipped(fd), LIMITS, visit)
}

/** Whatever umask whoever unpacks it has: accounts copy from it. */
const writeOpen = async (file: string, content: AsyncIterable<Buffer>): Promise<void> => {
  const fd = openSync(file, 'wx', 0o644)
  try {
    fchmodSync(fd, 0o644)
    for await (const chunk of content)
      for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at)
  } finally {
    closeSync(fd)
  }
}

const makeFolder = async (path: string, root: string): Promise<void> => {
  if (!path.startsWith(root)) return
  try {
    await mkdir(path, { mode: 0o755 })
    await chmod(path, 0o755)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    await makeFolder(dirname(path), root)
    await makeFolder(path, root)
  }
}

const unpack = async (fd: number, directory: string): Promise<void> => {
  const rules = createEntryRules('/core')
  let top: string | null = null
  await walk(fd, async (entry, content) => {
    const problem = entry.name === '' ? null : rules.problem(entry)
    if (problem !== null) throw new CoreError(problem)
    if (entry.type === 'symlink') throw new CoreError('it holds a link')
    if (entry.type === 'other') throw new CoreError('it holds what is no file')
    const [first = '', ...rest] = textOf(entry.name).split('/')
    if (first === '' || first === PASSED_OVER) return
    if (top !== null && first !== top) throw new CoreError('it must hold one folder alone')
    top = first
    if (rest.length === 0 && entry.type === 'file')
      throw new CoreError('it must hold one folder alone')
    const path = join(directory, ...rest)
    if (entry.type === 'directory') return makeFolder(path, directory)
    await makeFolder(dirname(path), directory)
    await writeOpen(path, content)
  })
}

/** What lies there, once all of it is unpacked. */
const judge = async (directory: string): Promise<CoreFacts> => {
  const kindOf = async (name: string): Promise<'file' | 'folder' | null> => {
    const facts = await lstat(join(directory, name)).catch(() => null)
    return facts === null ? null : facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : null
  }
  for (const name of FILES)
    if ((await kindOf(name)) !== 'file')
      throw new CoreError(`it is no WordPress: ${name} is missing in it`)
  for (const name of FOLDERS)
    if ((await kindOf(name)) !== 'folder')
      throw new CoreError(`it is no WordPress: ${name} is missing in it`)
  for (const name of OWN)
    if ((await kindOf(name)) !== null)
      throw new CoreError(
        `it holds ${name}, so it is the copy of a site and not WordPress as it is given out`,
      )
  const text = (await readFile(join(directory, 'wp-includes/version.php')))
    .subarray(0, HEAD_BYTES)
    .toString('utf8')
  const version = readWordpressVersion(text)
  if (version === null) throw new CoreError('its wp-includes/version.php tells no version')
  // ClassicPress says which WordPress it began with, and is none any more.
  if (/\$cp_version\s{0,8}=/.test(text))
    throw new CoreError('it is ClassicPress, which no WordPress is updated to')
  return { version, locale: readLocalPackage(text) }
}

/** In words that follow a name of a file and a colon. */
const told = (error: unknown): unknown => {
  if (isAppError(error)) return new CoreError(error.message)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['EEXIST', 'ENOTDIR', 'EISDIR'].includes(code))
    return new CoreError('a name is in it twice, or is both a file and a folder')
  if (code.startsWith('Z_')) return new CoreError('it is damaged: it cannot be unpacked')
  return error
}

/**
 * Unpacks an archive of WordPress (`.zip` or `.tar.gz`, by its first bytes) into a directory that is
 * there and empty, without the one folder that all of it is in, and answers what it is. Names are
 * judged, links are refused, and what comes is bounded, before anything of it is written. Files and
 * folders can be read by everybody.
 *
 * @param fd of a regular file that nobody changes; it stays open
 * @throws CoreError for what is no such archive, or no WordPress
 */
export const unpackCore = async (fd: number, directory: string): Promise<CoreFacts> => {
  try {
    await unpack(fd, directory)
    return await judge(directory)
  } catch (error) {
    throw told(error)
  }
}
