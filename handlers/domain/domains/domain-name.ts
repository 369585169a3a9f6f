import { parse } from 'tldts'
import { invalid } from '../../errors.ts'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const MAX_LENGTH = 253

/** A-label form of a Unicode name (UTS 46), or null when it is no host name. */
const toAscii = (name: string): string | null => {
  // The URL parser would read these as other parts of a URL, or drop them silently.
  if (/[\s/\\?#@:%[\]<>^|"`{}\u00ad\u200b-\u200f\u2060\ufeff]/u.test(name)) return null
  try {
    return new URL(`http://${name}/`).hostname
  } catch {
    return null
  }
}

/**
 * The canonical form of a domain name: lower case, A-labels, no trailing dot.
 * Refused are addresses, wildcards, single labels, public suffixes such as
 * `co.uk`, names over 253 octets and labels over 63 (RFC 1035 2.3.4).
 * Throws 400 naming `field`.
 */
export const parseDomainName = (input: string, field = 'domain_name'): string => {
  const refuse = (why: string) => invalid(field, `${field} is not usable: ${why}`)
  if (input.length > 1024) throw refuse(`it is longer than ${MAX_LENGTH} characters.`)
  const bare = input.endsWith('.') ? input.slice(0, -1) : input
  if (bare.includes('*'))
    throw refuse('a "*" may stand only for the first label of a further name of a site.')
  const name = bare === '' || bare !== bare.trim() ? null : toAscii(bare)
  if (name === null) throw refuse('write a name such as example.com.')
  if (name.length > MAX_LENGTH) throw refuse(`it is longer than ${MAX_LENGTH} characters.`)
  const parsed = parse(name)
  if (parsed.isIp) throw refuse('it is an IP address, not a name.')
  const labels = name.split('.')
  for (const label of labels) {
    if (!LABEL.test(label)) {
      throw refuse(
        `"${label}" must be 1-63 letters, digits and hyphens, with no hyphen at either end.`,
      )
    }
  }
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) {
    throw refuse('it needs a top-level domain, as in example.com.')
  }
  if (parsed.domain === null) throw refuse('it is a public suffix that nobody can own.')
  return name
}

/**
 * Whether names directly below `name` belong to different owners, as those below
 * `github.io` do: whoever served it could set cookies for all of them.
 */
export const isPrivateSuffix = (name: string): boolean =>
  parse(name, { allowPrivateDomains: true }).domain === null

/** The names above `name` that could be somebody's domain, nearest first; the top-level domain is left out. */
export const parentDomains = (name: string): string[] => {
  const labels = name.split('.')
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'))
}

/** The automatic alias of a domain, or null where `www.` makes no sense. */
export const wwwAlias = (name: string): string | null =>
  name.startsWith('www.') || name.length > MAX_LENGTH - 4 ? null : `www.${name}`
