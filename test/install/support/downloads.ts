import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { testCache } from '#test/support/test-cache.ts'
import { trees } from './base-tree.ts'

/** Where apt keeps what it fetched: packages, and lists of what there is. */
const PLACES = [
  ['var/cache/apt/archives', 'archives'],
  ['var/lib/apt/lists', 'lists'],
] as const

/**
 * Links the files of a directory into another, in place of those of the same name:
 * apt never writes into a finished file, and two machines at once each have their own directory.
 */
const linkFiles = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o755 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'lock') continue
    const name = join(to, `.${entry.name}.${Math.random().toString(36).slice(2)}`)
    await link(join(from, entry.name), name)
    await rename(name, join(to, entry.name))
    // A rename onto another name of the same file does nothing.
    await rm(name, { force: true })
  }
}

const kept = async (suite: string, place: string): Promise<string> => {
  const directory = join(trees(), `${suite}.downloads`, place)
  await mkdir(directory, { recursive: true, mode: 0o755 })
  return directory
}

/** Gives a machine, by the directory of its own files, what was fetched for another one. */
export const giveDownloads = async (suite: string, files: string): Promise<void> => {
  for (const [inside, place] of PLACES)
    await linkFiles(await kept(suite, place), join(files, inside))
}

/** Keeps what a machine that has ended fetched, and takes the packages out of its files. */
export const keepDownloads = async (suite: string, files: string): Promise<void> => {
  for (const [inside, place] of PLACES) {
    const from = join(files, inside)
    await mkdir(from, { recursive: true })
    await linkFiles(from, await kept(suite, place))
  }
  await rm(join(files, 'var/cache/apt/archives'), { recursive: true })
}

/** npm's cache of every machine; npm itself lets many use one. */
export const npmCache = (): string => testCache('npm')
