import { trimEndOf } from '#edge-cache/fields/field-text.ts'

/** The part of an absolute path below `home`, without slashes at its ends; null for a path elsewhere or with `..`. */
export const belowHome = (home: string, absolute: string): string | null => {
  if (!absolute.startsWith(`${home}/`)) return null
  const parts = trimEndOf(absolute.slice(home.length + 1), '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/')
}
