import { extensionsOf } from '#handlers/domain/wordpress/extensions-of.ts'
import type { NamedExtension, TreeReader } from '#handlers/domain/wordpress/extensions-of.ts'
import { STAGING_MARK, readStagingMark } from '#handlers/domain/wordpress/staging-mark.ts'
import {
  HEAD_BYTES,
  readLocalPackage,
  readWordpressVersion,
} from '#handlers/domain/wordpress/wordpress-version.ts'
import type { Facts } from '../facts.ts'
import { list } from '../look.ts'
import { readPart } from '../read-part.ts'
import type { Home } from '../resolve.ts'

/** Below a document root: `shop` and `old/shop` are found. */
const MAX_DEPTH = 2
/** Of all document roots together. */
const MAX_FOLDERS = 500
/** Of an account. */
export const MAX_WORDPRESS = 50
/** No WordPress is in there that visitors see. */
const PASSED_OVER = new Set([
  ...['wp-admin', 'wp-content', 'wp-includes'],
  ...['node_modules', 'vendor', 'cgi-bin'],
])

/** A WordPress in the home. */
export interface HelperWordpress {
  /** Relative to the home; empty: the home itself. */
  path: string
  version: string | null
  /** The language that its files are given out for; null: for everybody, in English. */
  localised: string | null
  plugins: NamedExtension[]
  themes: NamedExtension[]
  /** As its mark says; null: it is no staging copy. */
  stagingOf: string | null
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`)

const entriesOf = (home: Home, path: string): Facts[] => {
  try {
    return list(home, path).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // Not there, too large, or not for this account: passed over.
    return []
  }
}

const headOf = (home: Home, path: string): string | null => {
  try {
    const part = { offset: 0, length: HEAD_BYTES, identity: null }
    return readPart(home, path, part).body.toString('utf8')
  } catch {
    return null
  }
}

const readerOf = (home: Home, root: string): TreeReader => ({
  entries: (path) =>
    entriesOf(home, below(root, path)).map(({ name, type }) => ({ name, isFile: type === 'file' })),
  head: (path) => headOf(home, below(root, path)),
})

/**
 * The WordPress installations in `roots` (relative to the home) and two folders below each,
 * read without running anything of theirs. Folders are not entered through links. What
 * cannot be read is passed over.
 */
export const findWordpress = (home: Home, roots: readonly string[]): HelperWordpress[] => {
  const found = new Map<string, HelperWordpress>()
  const seen = new Set<string>()
  // Grows while it is gone through: the deep ones come last, and of too many are left out.
  const waiting = roots.map((path) => ({ path, depth: 0 }))
  for (const { path, depth } of waiting) {
    if (seen.size >= MAX_FOLDERS || found.size >= MAX_WORDPRESS) break
    if (seen.has(path)) continue
    seen.add(path)
    const version = headOf(home, below(path, 'wp-includes/version.php'))
    if (version !== null)
      found.set(path, {
        path,
        version: readWordpressVersion(version),
        localised: readLocalPackage(version),
        ...extensionsOf(readerOf(home, path)),
        stagingOf: readStagingMark(headOf(home, below(path, STAGING_MARK)) ?? ''),
      })
    if (depth >= MAX_DEPTH) continue
    for (const { name, type } of entriesOf(home, path)) {
      if (waiting.length >= 2 * MAX_FOLDERS) break
      const isEntered = type === 'directory' && !name.startsWith('.') && !PASSED_OVER.has(name)
      if (isEntered) waiting.push({ path: below(path, name), depth: depth + 1 })
    }
  }
  return [...found.values()]
}
