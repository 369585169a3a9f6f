import type { DomainRow } from '../../ports/store/records.ts'

/** A domain with a virtual host of its own, and the domains that are further names of it. */
export interface Site {
  domain: DomainRow
  aliases: DomainRow[]
}

const rank = (row: DomainRow): number => (row.domain_type === 'primary' ? 0 : 1)

/**
 * The domain that an alias with this document root is another name of: the
 * primary where it fits, else the oldest, so that a newer domain with the same
 * root never takes an alias over. Null when the root is nobody's.
 */
export const siteOfRoot = (
  rows: readonly DomainRow[],
  accountId: number,
  root: string,
): DomainRow | null =>
  rows
    .filter(
      (row) =>
        row.account_id === accountId && row.document_root === root && row.domain_type !== 'alias',
    )
    .sort((a, b) => rank(a) - rank(b) || a.id - b.id)[0] ?? null

/** Domains as sites. An alias whose root no domain of its account has stands for itself. */
export const foldAliases = (rows: readonly DomainRow[]): Site[] => {
  const sites = new Map<number, Site>()
  const parentOf = (row: DomainRow): DomainRow =>
    row.domain_type === 'alias' ? (siteOfRoot(rows, row.account_id, row.document_root) ?? row) : row
  for (const row of rows) {
    const parent = parentOf(row)
    const site = sites.get(parent.id) ?? { domain: parent, aliases: [] }
    if (row !== parent) site.aliases.push(row)
    sites.set(parent.id, site)
  }
  return [...sites.values()]
}
