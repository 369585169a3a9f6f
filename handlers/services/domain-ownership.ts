import { conflict } from '../errors.ts'
import type { DomainRow } from '../ports/records.ts'

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
  const relation = name.endsWith(`.${foreign.domain_name}`) ? 'a subdomain of' : 'a parent of'
  throw conflict(`${field} ${name} is ${relation} a domain that another account owns.`, field)
}
