import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { extensionsOf } from '#handlers/domain/wordpress/extensions-of.ts'
import type { NamedExtension, TreeReader } from '#handlers/domain/wordpress/extensions-of.ts'
import {
  HEAD_BYTES,
  readLocalPackage,
  readWordpressVersion,
} from '#handlers/domain/wordpress/wordpress-version.ts'
import type { WordpressSource } from '#handlers/ports/host/wordpress/wordpress.ts'

/** A tree of WordPress that lies on this host; accounts copy from it. */
export interface SourceTree extends WordpressSource {
  /** Absolute. */
  directory: string
  plugins: NamedExtension[]
  themes: NamedExtension[]
}

const MAX_SOURCES = 50

const headOf = (path: string): string | null => {
  try {
    if (!statSync(path).isFile()) return null
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return head.subarray(0, readSync(fd, head, 0, head.length, 0)).toString('utf8')
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

const entriesOf = (directory: string): { name: string; isFile: boolean }[] => {
  try {
    return (
      readdirSync(directory, { withFileTypes: true })
        // Packages place links: what they lead to counts, and a link that is no file is taken for a folder.
        .map((entry) => ({ name: entry.name, isFile: entry.isFile() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    )
  } catch {
    return []
  }
}

const readerOf = (root: string): TreeReader => ({
  entries: (path) => entriesOf(join(root, path)),
  head: (path) => headOf(join(root, path)),
})

/** `de_DE.mo` is the file of a language's own words; parts of it have further names before that. */
const LOCALE_FILE = /^([a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z]{2,10})?)\.mo$/

/** What lies in one directory; null where it is no WordPress. */
export const readTree = (
  directory: string,
  source: WordpressSource['source'],
): SourceTree | null => {
  const text = headOf(join(directory, 'wp-includes/version.php'))
  const version = text === null ? null : readWordpressVersion(text)
  if (text === null || version === null) return null
  const locales = entriesOf(join(directory, 'wp-content/languages')).flatMap(
    ({ name }) => LOCALE_FILE.exec(name)?.[1] ?? [],
  )
  const localised = readLocalPackage(text)
  return { directory, version, locales, localised, source, ...extensionsOf(readerOf(directory)) }
}

/**
 * What lies at the configured places: each is a WordPress itself or has such in its folders.
 * Read anew each time: packages are upgraded while the agent runs.
 */
export const readSources = (places: readonly string[]): SourceTree[] =>
  places
    .flatMap((place) => {
      const own = readTree(place, 'folder')
      if (own !== null) return [own]
      return entriesOf(place)
        .slice(0, MAX_SOURCES)
        .flatMap(({ name, isFile }) =>
          isFile ? [] : (readTree(join(place, name), 'folder') ?? []),
        )
    })
    .slice(0, MAX_SOURCES)
