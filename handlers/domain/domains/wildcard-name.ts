const MARK = '*.'

/**
 * The name above a wildcard (`example.com` of `*.example.com`), which stands for every
 * name of exactly one label more, as in certificates; null for a name that is none.
 */
export const wildcardBase = (name: string): string | null =>
  name.startsWith(MARK) ? name.slice(MARK.length) : null

/** The wildcard that a name is one of, if there is such a one: `*.example.com` for `a.example.com`. */
export const wildcardOf = (name: string): string => `*${name.slice(name.indexOf('.'))}`

/** A name that a name stands for: itself, or one of those of a wildcard. */
export const nameFor = (name: string): string => name.replace(/^\*/, 'any')

/** Whether a wildcard is among names. */
export const hasWildcard = (names: readonly string[]): boolean =>
  names.some((name) => wildcardBase(name) !== null)

/** Whether a site with these names answers to a name, by one of them or a wildcard among them. */
export const answersTo = (names: readonly string[], name: string): boolean =>
  names.includes(name) || names.includes(wildcardOf(name))

/** Names without the wildcards among them. */
export const exactNames = (names: readonly string[]): string[] =>
  names.filter((name) => wildcardBase(name) === null)

/** What files of a site are named by: its name, with a word that no name has in place of `*`. */
export const siteFileName = (name: string): string =>
  wildcardBase(name) === null ? name : `_wildcard${name.slice(1)}`
