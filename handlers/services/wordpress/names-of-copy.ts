import { networkNames } from '../../domain/wordpress/network-names.ts'
import { conflict, invalid } from '../../errors.ts'
import type { WordpressSurvey } from '../../ports/host/wordpress/wordpress-copy.ts'
import type { DomainRow } from '../../ports/store/records.ts'

/** Each is a domain of the account, which the web server is told of. */
const MOST_DOMAINS = 50

/** What a copy of a network needs beside its own domain. */
export interface NamesOfCopy {
  /** Names of sites, with the addresses that they have in the copy. */
  names: { name: string; url: string }[]
  /** Domains that are to be made, as aliases of the copy. */
  missing: string[]
}

/** Where a copy is to go. */
export interface PlaceOfNames {
  domain: string
  /** Document root, absolute. */
  root: string
  directory: string
  accountId: number
  /** Whether one domain is to stand for all of the names. */
  wildcard: boolean
  /** Domains at, above and below that of the copy. */
  related: readonly DomainRow[]
}

/**
 * Names for the sites of a network (see `networkNames`), and which domains are to be made for them. Those that lead to the
 * copy already are used; what leads elsewhere is left alone. 400 for a folder, 409 where there are too many names.
 */
export const namesOfCopy = (
  network: WordpressSurvey['network'],
  { domain, root, directory, accountId, wildcard, related }: PlaceOfNames,
): NamesOfCopy => {
  if (network === null || network.names.length === 0) return { names: [], missing: [] }
  if (directory !== '')
    throw invalid(
      'directory',
      'directory: the sites of this network have names of their own, so a copy of it goes into the document root of a domain.',
    )
  const rows = new Map(related.map((row) => [row.domain_name, row]))
  const leadsHere = (row: DomainRow | undefined): boolean =>
    row?.account_id === accountId && row.document_root === root
  const all = `*.${domain}`
  const made = networkNames(network, domain, (name) => {
    const row = rows.get(name)
    return row !== undefined && !(leadsHere(row) && row.domain_type === 'alias')
  })
  const hasWildcard = leadsHere(rows.get(all))
  if (wildcard && rows.has(all) && !hasWildcard)
    throw conflict(`${all} leads to another site. Choose another domain for the copy.`)
  const wanted = wildcard ? [all] : hasWildcard ? [] : [...made.values()]
  if (wanted.length > MOST_DOMAINS)
    throw conflict(
      `The sites of this network have ${made.size} names of their own, and ${MOST_DOMAINS} domains at most are made for a copy. Choose one wildcard domain for all of them (wildcard): ${all}.`,
    )
  const origin = (name: string): string => {
    const row = rows.get(name) ?? rows.get(all)
    return `${row?.ssl_status === 'active' && leadsHere(row) ? 'https' : 'http'}://${name}`
  }
  return {
    names: [...made].map(([name, fresh]) => ({ name, url: origin(fresh) })),
    missing: wanted.filter((name) => !rows.has(name)),
  }
}
