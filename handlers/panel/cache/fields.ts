import { z } from 'zod'
import { hasControlCharacters } from '../../domain/text/control-characters.ts'
import { text } from '../frame/fields.ts'

const isCachePath = (path: string): boolean =>
  /^\/[^*]*\*?$/.test(path) && !hasControlCharacters(path)
/** A token of RFC 6265; a star stands only at its end, and not alone. */
const COOKIE_NAME = /^[!#$%&'+.^_`|~0-9A-Za-z-]+\*?$/
const MAX_TTL_SECS = 2 ** 31 - 1
const MAX_PATHS = 100
const MAX_NAMES = 100

/** How long a page is kept. */
export const cacheTtl = (field: string) =>
  z
    .int({ error: `${field} must be a whole number of seconds.` })
    .min(0, `${field} must not be negative.`)
    .max(MAX_TTL_SECS, `${field} must be at most ${MAX_TTL_SECS}.`)
    .nullable()
    .describe("Seconds; null: the server's.")

/** Paths that are never cached. */
export const cachePaths = (field: string) =>
  z
    .array(text(field, 2048), { error: `${field} must be a list of paths.` })
    .max(MAX_PATHS, `${field} must have at most ${MAX_PATHS} paths.`)
    .refine(
      (paths) => paths.every(isCachePath),
      `${field} must hold paths that begin with "/"; a "*" may stand only at the end of one.`,
    )
    .describe('Paths that are never cached, e.g. /cart/*.')

const names = (field: string, what: string, isName: (name: string) => boolean) =>
  z
    .array(text(field, 256), { error: `${field} must be a list of names.` })
    .max(MAX_NAMES, `${field} must have at most ${MAX_NAMES} names.`)
    .refine(
      (list) => list.every(isName),
      `${field} must hold names of ${what}; a "*" may stand only at the end of one.`,
    )
    .nullable()

/** Cookies whose owners get no page of the cache. */
export const bypassCookies = (field: string) =>
  names(field, 'cookies', (name) => COOKIE_NAME.test(name)).describe(
    'Cookies whose owners get no page of the cache; null: sessions of usual software. The list replaces those, so name every cookie by which the site knows its visitors.',
  )

/** What browsers send may hold more than RFC 6265 has it, such as `cart[1]`. */
const isSeenName = (name: string): boolean =>
  /^[^\s;,=*]{1,128}\*?$/.test(name) && !hasControlCharacters(name)

/** Further cookies of one kind. */
export const furtherCookies = (field: string) => names(field, 'cookies', isSeenName).unwrap()

/** Query parameters that no page depends on. */
export const ignoredParams = (field: string) =>
  names(
    field,
    'query parameters',
    (name) =>
      name !== '*' &&
      name !== '' &&
      !/[?&=#\s]/.test(name) &&
      !name.slice(0, -1).includes('*') &&
      !hasControlCharacters(name),
  ).describe("Query parameters that no page depends on, e.g. utm_*; null: the server's.")
