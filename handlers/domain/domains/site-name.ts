import { invalid } from '../../errors.ts'
import { isPrivateSuffix, parseDomainName } from './domain-name.ts'
import { wildcardBase } from './wildcard-name.ts'

const MAX_LENGTH = 253

/**
 * The canonical form of a name that a site may have: a domain name, or a wildcard for all
 * names one label below one (see `parseDomainName`). Below a public suffix, of authorities
 * or of owners such as `github.io`, lies what belongs to others: no wildcard stands there.
 * Throws 400 naming `field`.
 */
export const parseSiteName = (input: string, field = 'domain_name'): string => {
  const base = wildcardBase(input)
  if (base === null) return parseDomainName(input, field)
  const refuse = (why: string) => invalid(field, `${field} is not usable: ${why}`)
  const above = parseDomainName(base, field)
  if (isPrivateSuffix(above))
    throw refuse(`${above} is a public suffix, below which names belong to others.`)
  if (above.length + '*.'.length > MAX_LENGTH)
    throw refuse(`it is longer than ${MAX_LENGTH} characters.`)
  return `*.${above}`
}
