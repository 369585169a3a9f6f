import { nameAtNetwork, networkNames } from '#handlers/domain/wordpress/network-names.ts'
import { conflict } from '#handlers/errors.ts'
import { moveOf, namesBeside, networkOf } from './network-of-copy.ts'
import type { Network, NetworkMove, NetworkSite } from './network-of-copy.ts'
import type { SurveyedSite } from './site-of-copy.ts'

const MOST_NAMED = 5
const idOf = ({ id, registered }: NetworkSite): string => `${id} ${registered}`
const shown = ({ domain, path }: NetworkSite): string => `${domain}${path}`

const list = (sites: readonly NetworkSite[]): string =>
  `${sites.slice(0, MOST_NAMED).map(shown).join(', ')}${sites.length > MOST_NAMED ? ' …' : ''}`

/** 409 where tables of the copy would take the place of those of other sites, or of none. */
const assertSameSites = (
  { prefix, network: copy }: SurveyedSite & { network: Network },
  live: Network,
  tables: readonly string[],
): void => {
  const ofCopy = new Map(copy.sites.map((site) => [site.id, site]))
  const known = new Set(copy.sites.map(idOf))
  const atLive = new Map(live.sites.map((site) => [site.id, site]))
  const hasAll = tables.includes(`${prefix}blogs`)
  const lacking = live.sites.filter((site) => !known.has(idOf(site)))
  if (hasAll && lacking.length > 0)
    throw conflict(
      `The network has sites that the copy has not: ${list(lacking)}. With the table ${prefix}blogs of the copy they would be gone. Choose the tables of the sites that are to go back (--tables), or make a new copy; sites that were deleted in the copy are deleted in the network first.`,
    )
  for (const table of tables) {
    const id = Number(/^([0-9]+)_/.exec(table.slice(prefix.length))?.[1] ?? 1)
    const site = ofCopy.get(id)
    const other = atLive.get(id)
    if (site === undefined || (other !== undefined && idOf(other) === idOf(site))) continue
    if (other === undefined && hasAll) continue
    throw conflict(
      other === undefined
        ? `The table ${table} is of a site that the network has not, ${shown(site)}. Push ${prefix}blogs and ${prefix}blogmeta as well, which make it one of its sites.`
        : `The table ${table} is of the site ${shown(site)} in the copy, and of ${shown(other)}, another one, in the network. Choose the tables of other sites.`,
    )
  }
}

/** A copy and its network, as they are compared. */
interface Both {
  copy: Network
  live: Network
  /** Names of the network, by those that a copy would give them now. */
  before: ReadonlyMap<string, string>
  /** Sites of the network, by names that they have in the copy. */
  partnersOf: ReadonlyMap<string, NetworkSite[]>
  /** Names that the network has. */
  taken: ReadonlySet<string>
}

const partnersIn = (copy: Network, live: Network): Map<string, NetworkSite[]> => {
  const atLive = new Map(live.sites.map((site) => [idOf(site), site]))
  const partners = new Map<string, NetworkSite[]>()
  for (const site of copy.sites) {
    const same = atLive.get(idOf(site))
    const name = site.domain.toLowerCase()
    if (same !== undefined) partners.set(name, [...(partners.get(name) ?? []), same])
  }
  return partners
}

/** The address that a name of the copy has in the network. */
const originOf = (name: string, { copy, live, before, partnersOf, taken }: Both): string => {
  const partners = partnersOf.get(name) ?? []
  const [first] = partners
  if (first !== undefined) {
    const other = partners.find((one) => one.domain.toLowerCase() !== first.domain.toLowerCase())
    if (other !== undefined)
      throw conflict(
        `The sites of ${name} are at ${first.domain} and at ${other.domain} in the network. Give them one name there, or make a new copy.`,
      )
    const { path } = networkOf(live)
    const folder = path !== '/' && first.path.startsWith(path) ? path.slice(0, -1) : ''
    return `${first.secure ? 'https' : 'http'}://${first.domain.toLowerCase()}${folder}`
  }
  const ids = new Set(
    copy.networks.flatMap((one) => (one.domain.toLowerCase() === name ? [one.id] : [])),
  )
  const network = live.networks.find(({ id }) => ids.has(id))?.domain.toLowerCase()
  const named = network ?? before.get(name)
  if (named !== undefined) return `http://${named}`
  const fresh = nameAtNetwork(name, networkOf(copy).domain, networkOf(live).domain)
  if (taken.has(fresh))
    throw conflict(
      `A site that was added in the copy, ${name}, would have the name ${fresh} in the network, where another one has it. Give it another name in the copy.`,
    )
  return `http://${fresh}`
}

/**
 * How the network of a copy goes back to where it came from. Sites are the same where they have one number and were
 * made at one moment; the address is that of the network. What was added in the copy gets a name below the network's.
 * 409 where sites that the copy has not would be gone, or names do not fit.
 */
export const wayBack = (
  copy: SurveyedSite,
  live: SurveyedSite,
  tables: readonly string[],
  ownUrl: string,
): NetworkMove | null => {
  if (copy.network === null && live.network === null) return null
  if (copy.network === null || live.network === null)
    throw conflict(
      `${live.network === null ? 'The copy is a network of sites, and the site is none' : 'The site is a network of sites, and the copy is none'}: their tables do not fit each other. Push the files alone, or make a new copy.`,
    )
  const { network } = copy
  assertSameSites({ ...copy, network }, live.network, tables)
  const { domain, path: folder } = networkOf(live.network)
  const names = namesBeside(live.network)
  const forward = networkNames({ domain, names }, networkOf(network).domain)
  const both: Both = {
    ...{ copy: network, live: live.network, taken: new Set([domain, ...names]) },
    before: new Map([...forward].map(([from, to]) => [to, from])),
    partnersOf: partnersIn(network, live.network),
  }
  const origins = new Map(namesBeside(network).map((name) => [name, originOf(name, both)]))
  return moveOf(network, [copy.home, copy.siteurl, ownUrl], {
    ...{ url: live.home, folder, origins },
  })
}
