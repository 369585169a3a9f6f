import { wildcardBase } from '../../domain/domains/wildcard-name.ts'
import { isPrivateSuffix } from '../../domain/domains/domain-name.ts'
import { conflict, forbidden, invalid } from '../../errors.ts'
import type { DomainRow, DomainType } from '../../ports/store/records.ts'

/**
 * Throws 409 when `name` is taken, or lies above or below a domain of another
 * account: whoever holds a parent may set cookies for, and get certificates
 * that cover, what is below it. `accountId` null is an account that is about
 * to be made.
 */
export const assertNameIsFree = (
  name: string,
  related: readonly DomainRow[],
  accountId: number | null,
  field: string,
): void => {
  if (related.some((row) => row.domain_name === name)) {
    throw conflict(`${field} ${name} exists already.`, field)
  }
  const foreign = related.find((row) => row.account_id !== accountId)
  if (foreign === undefined) return
  const above = wildcardBase(foreign.domain_name) ?? foreign.domain_name
  const below = wildcardBase(name) ?? name
  const relation = below === above || below.endsWith(`.${above}`) ? 'a subdomain of' : 'a parent of'
  throw conflict(`${field} ${name} is ${relation} a domain that another account owns.`, field)
}

/**
 * A wildcard is a further name below a domain of its account, or a site of its own there:
 * throws 400 for another type of domain. `assertParent` looks whether there is such a one.
 */
export const assertWildcardType = (name: string, type: DomainType): void => {
  if (wildcardBase(name) === null || type === 'subdomain' || type === 'alias') return
  throw invalid(
    'domain_type',
    `domain_type of ${name} must be subdomain (a site of its own) or alias (a further name of a site).`,
  )
}

/** Throws 403 where others own names below `name`: only an administrator may host such a one. */
export const assertOwnable = (name: string, field: string, byAdministrator: boolean): void => {
  if (byAdministrator || !isPrivateSuffix(name)) return
  throw forbidden(
    `${field} ${name} is a public suffix: names below it belong to others. Add a name below it, or ask the administrator, who may add it.`,
  )
}

/** A subdomain lies below a domain of its account: throws 400. `related` as of `assertNameIsFree`, which comes first. */
export const assertParent = (
  name: string,
  related: readonly DomainRow[],
  username: string,
): void => {
  if (related.some((row) => name.endsWith(`.${row.domain_name}`))) return
  throw invalid(
    'domain_name',
    `domain_name ${name} is not below a domain of ${username}. Add its parent domain first, or add it as domain_type addon.`,
  )
}
