import { hasControlCharacters } from '../text/control-characters.ts'
import { APPLICATION_RULES } from './application-rules.ts'
import { parseGitUrl, type GitSource } from './git-url.ts'

/** A submodule as a repository's `.gitmodules` names it. */
export interface Submodule {
  name: string
  /** In the repository. */
  path: string
  /** As it is written there, maybe relative to the repository's own. */
  url: string
  /** Whether the repository says that it is not to be fetched (`update = none`). */
  isLeft: boolean
}

/** Of a name, and of a path. */
const MOST_CHARACTERS = 300
const KEY = /^submodule\.(.+)\.(path|url|update)$/s

/** What `git config --list -z` says of a `.gitmodules`; what has not both path and address is none, as git has it. */
export const readSubmodules = (text: string): Submodule[] => {
  const found = new Map<string, Partial<Record<string, string>>>()
  for (const entry of text.split('\0')) {
    const end = entry.indexOf('\n')
    const [, name, key] = KEY.exec(end === -1 ? '' : entry.slice(0, end)) ?? []
    if (name === undefined || key === undefined) continue
    const known = found.get(name) ?? {}
    // The first one counts, as in git's own eyes.
    known[key] ??= entry.slice(end + 1)
    found.set(name, known)
  }
  return [...found].flatMap(([name, { path, url, update }]) =>
    path === undefined || url === undefined ? [] : [{ name, path, url, isLeft: update === 'none' }],
  )
}

const isStep = (part: string): boolean => part === '' || part === '.' || part === '..'

/** Why name or path of a submodule are not taken; null: they are. */
export const submoduleFault = ({ name, path }: Pick<Submodule, 'name' | 'path'>): string | null => {
  for (const [what, text] of [
    ['name', name],
    ['path', path],
  ] as const) {
    if (text.length > MOST_CHARACTERS)
      return `has a ${what} of more than ${MOST_CHARACTERS} characters.`
    if (hasControlCharacters(text) || text.includes('\\') || !text.isWellFormed())
      return `has a ${what} with characters that are not taken.`
    if (text.startsWith('-')) return `has a ${what} that begins with "-".`
    const parts = text.split('/')
    if (parts.some(isStep)) return `has a ${what} with "." or ".." in it, or a slash too many.`
    if (parts.some((part) => part.toLowerCase() === '.git')) return `has a ${what} in .git.`
  }
  return null
}

/** Where a submodule is fetched from: another host's repository, or one of the account's own that it pushes to. */
export type SubmoduleSource = GitSource | { kind: 'own'; application: string }

const PATH = /^[\w.~@%+,=/-]+$/
const RELATIVE = /^\.\.?\//

/** `../b.git` of `/team/a.git`; null where it leads above the host's root, or leads up again. */
const besides = (pathname: string, relative: string): string | null => {
  const parts = pathname.split('/').filter((part) => part !== '')
  let rest = relative
  for (;;) {
    if (rest.startsWith('./')) rest = rest.slice(2)
    else if (!rest.startsWith('../')) break
    else if (parts.pop() === undefined) return null
    else rest = rest.slice(3)
  }
  return PATH.test(rest) && !rest.split('/').some(isStep) ? `/${[...parts, rest].join('/')}` : null
}

/**
 * Reads the address of a submodule of what was fetched from `base`, with the rules of every
 * repository's address (`parseGitUrl`). A relative one stays at the host and the way of its
 * repository. Answers what is wrong as text.
 */
export const submoduleSource = (base: SubmoduleSource, url: string): SubmoduleSource | string => {
  if (!RELATIVE.test(url)) return parseGitUrl(url)
  const at = base.kind === 'own' ? `/${base.application}.git` : new URL(base.url).pathname
  const path = besides(at, url)
  if (path === null) return 'leads out of its host, or to no repository.'
  if (base.kind !== 'own') {
    const full = new URL(base.url)
    full.pathname = path
    return parseGitUrl(full.href)
  }
  const [, application = ''] = /^\/([^/]+?)(?:\.git)?$/.exec(path) ?? []
  return APPLICATION_RULES.name.test(application)
    ? { kind: 'own', application }
    : 'names no repository of this account.'
}
