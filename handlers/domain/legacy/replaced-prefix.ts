import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import { isPathPrefix } from '../upstreams/path-prefix.ts'
import type { LegacyProxy } from './types.ts'

/** What is told of an application that has a path elsewhere in another way than `replace_prefix` can say. */
export const NOT_LED_BACK =
  'The application has these paths elsewhere, and its redirects lead there. Where both paths end with a slash, or neither does, they are led back.'

const isPlain = (path: string): boolean => isPathPrefix(path) && /^[\x21-\x7e]+$/.test(path)

/**
 * `replace_prefix` of an application that has a path of the site elsewhere: where both end with a slash,
 * or both do not, so that what follows the one is put behind the other. Nothing where they are alike,
 * or where they cannot be said so.
 *
 * @param plain whether one may end with a slash alone: both are texts then
 */
export const replacedPrefix = (
  from: string,
  to: string,
  { plain = false }: { plain?: boolean } = {},
): Pick<LegacyProxy, 'replacePrefix'> => {
  const [here, there] = [from, to].map((path) => trimEndOf(path, '/') || '/')
  if (here === undefined || there === undefined || !isPlain(here) || !isPlain(there)) return {}
  if (from.endsWith('/') !== to.endsWith('/'))
    return plain && isPlain(from) && isPlain(to) ? { replacePrefix: { from, to, plain } } : {}
  if (here === there) return {}
  return { replacePrefix: { from: here, to: there } }
}
