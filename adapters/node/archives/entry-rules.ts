import { bytesOf, textOf } from './tar-reader.ts'
import type { OtherEntry, TarEntry } from './tar-reader.ts'

const MAX_NAME_BYTES = 4096
const MAX_DEPTH = 256

const isSafeName = (name: string): boolean =>
  name !== '' &&
  name.length < MAX_NAME_BYTES &&
  !name.startsWith('/') &&
  !name.includes('\0') &&
  name.split('/').length <= MAX_DEPTH &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.length < 256)

/** Whether a link in directory `from` (parts below the home) stays in the home, by its text. */
const staysInside = (from: readonly string[], link: string, home: string): boolean => {
  if (link === '' || link.length >= MAX_NAME_BYTES || link.includes('\0')) return false
  if (link.startsWith('/') && link !== home && !link.startsWith(`${home}/`)) return false
  let depth = link.startsWith('/') ? 0 : from.length
  const parts = link.startsWith('/') ? link.slice(home.length).split('/') : link.split('/')
  for (const part of parts) {
    if (part === '' || part === '.') continue
    depth += part === '..' ? -1 : 1
    if (depth < 0) return false
  }
  return true
}

/**
 * The rules for what of a home is put into an archive and what is taken out of
 * one: plain relative names, files, directories, and links that stay in `home`
 * (its absolute path); nothing below a name that the same archive made a link,
 * and no name twice but directories. `problem` answers null for what is fine.
 */
export const createEntryRules = (
  home: string,
): {
  problem(entry: TarEntry | OtherEntry): string | null
  /** Whether it has a plain name, but is what no home is given: a pipe, a device, a link that leads out of it. */
  isForeign(entry: TarEntry | OtherEntry): boolean
} => {
  const homeBytes = bytesOf(home)
  const links = new Set<string>()
  const shown = (name: string): string => JSON.stringify(textOf(name.slice(0, 200)))
  return {
    isForeign: ({ name, ...entry }) =>
      isSafeName(name) &&
      (entry.type === 'other' ||
        (entry.type === 'symlink' &&
          !staysInside(name.split('/').slice(0, -1), entry.link, homeBytes))),
    problem(entry) {
      const { name } = entry
      if (!isSafeName(name)) return `the name ${shown(name)} is not one inside the home`
      if (entry.type === 'other') return `${shown(name)} is a hard link, device or pipe`
      const parts = name.split('/')
      // By their places in the name: a deep one is not put together anew for each directory in it.
      for (let at = name.indexOf('/'); links.size > 0 && at !== -1; at = name.indexOf('/', at + 1))
        if (links.has(name.slice(0, at))) return `${shown(name)} lies behind a symbolic link`
      if (links.has(name)) return `${shown(name)} is there twice`
      if (entry.type !== 'symlink') return null
      if (!staysInside(parts.slice(0, -1), entry.link, homeBytes))
        return `the link ${shown(name)} leads out of the home`
      links.add(name)
      return null
    },
  }
}
