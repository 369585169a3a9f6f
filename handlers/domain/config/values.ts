import { z } from 'zod'
import { parseSizeBytes } from '../../../edge-cache/config.ts'
import { isPrivateSuffix } from '../domains/domain-name.ts'
import { wildcardBase } from '../domains/wildcard-name.ts'
import { endsInNumber } from '../text/ends-in-number.ts'

/** One line, not empty. */
export const text = z
  .string()
  .min(1, 'must not be empty. Give it a value or remove the key.')
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line. Remove the line break.')
/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number): z.ZodInt => z.int().min(min).max(max)
/** A size as text, such as "256M"; what counts is its text. */
export const size = text.refine(
  (value) => parseSizeBytes(value) !== null,
  'is not a size. Write a number with a unit, such as "256M" or "2G".',
)
/** A size as a number of bytes or as text; becomes bytes. */
export const sizeBytes = z
  .union([z.int().min(0), size])
  .transform((value) => (typeof value === 'number' ? value : (parseSizeBytes(value) ?? 0)))
/** Such as "8.2". */
export const phpVersion = text.regex(/^\d{1,2}\.\d{1,2}$/, 'is not a PHP version. Write "8.2".')

/** Processes of one PHP master. */
export const phpChildren = whole(1, 1000)
/** In the words of php.ini. */
export const phpMemory = text.regex(/^\d{1,9}[KMG]?$/i, 'is not a PHP memory limit. Write "256M".')
/** A name that caching ignores. */
export const queryParameter = text.refine(
  (value) => !/[?&=#\s]/.test(value) && value !== '*' && !value.slice(0, -1).includes('*'),
  'is not the name of a query parameter. Write "fbclid"; a "*" may stand only at the end of a name, as in "utm_*".',
)
/** The name of a cookie (RFC 6265, 4.1.1), or the beginning of names. */
export const cookieName = text.refine(
  (value) => /^[^\s;,=*]{1,128}\*?$/.test(value),
  'is not the name of a cookie. Write "theme"; a "*" may stand only at the end of a name, as in "cart_*".',
)
const NO_HOST_NAME =
  'is not a host name. Use letters, digits, hyphens and dots; international names in their xn-- form.'
const isHostName = (value: string): boolean =>
  value.length <= 253 && /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(value)
/** RFC 1123, in lower case. */
export const hostName = text
  .transform((value) => value.toLowerCase())
  .refine(isHostName, NO_HOST_NAME)
/** RFC 1123, in lower case, or such a name behind `*.`, which stands for one label. */
const nameOrWildcard = text
  .transform((value) => value.toLowerCase())
  .refine((value) => isHostName(wildcardBase(value) ?? value), NO_HOST_NAME)
  .refine((value) => {
    const base = wildcardBase(value)
    return base === null || (base.includes('.') && !isPrivateSuffix(base))
  }, 'stands for names that belong to others. Put "*." before a name of your own, as in "*.example.com".')
/** A name that a site may have. Addresses are nobody's: they belong to the machine, and its panel. */
export const siteName = nameOrWildcard.refine(
  (value) => !endsInNumber(value),
  'is an address of a machine. No site answers at a bare address; give it a name.',
)
