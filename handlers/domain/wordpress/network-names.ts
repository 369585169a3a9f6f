import { invalid, conflict } from '../../errors.ts'

const MOST_LABEL = 59
const MOST_NAME = 253
const MOST_SHOWN = 80
/** As the Host header of a request has it; nothing that a pattern or a statement would read as more. */
const HOST = /^(?!.*\.\.)[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** One line for people, of a text that the account's database holds. */
const shown = (text: string): string =>
  [...text.slice(0, MOST_SHOWN)].map((char) => (/[\x21-\x7e]/.test(char) ? char : '?')).join('')

/** 409 for the name of a site of a network that no browser asks for: in other letters, with a port, or none at all. */
export const assertSiteName = (name: string): void => {
  if (HOST.test(name)) return
  throw conflict(
    `A site of this network has the name "${shown(name)}", which no visitor can ask for. Correct it in the network's administration (Sites, Edit) or in the table of its sites, and try again.`,
  )
}

/** The label of a name below a copy's domain: what it has before the network's own, or all of it. */
const labelOf = (name: string, base: string): string => {
  const before = name.endsWith(`.${base}`) ? name.slice(0, -base.length - 1) : name
  // Joined to others it would be no longer what it says it is.
  const joined = before.includes('.')
    ? before.replace(/^xn--/, 'idn-').replaceAll('.', '-')
    : before
  let end = Math.min(joined.length, MOST_LABEL)
  while (joined[end - 1] === '-') end--
  return joined.slice(0, end)
}

/** The name that names of sites are below: a network at `www.` has them beside that. */
const baseOf = (domain: string): string => domain.replace(/^www\./, '')

/**
 * Names for the sites of a network in a copy, each one label below the copy's domain, so that one
 * wildcard stands for all of them: `shop.example.org` of `example.org` becomes `shop.<copy>`,
 * `brand.test` becomes `brand-test.<copy>`. What two would have, or somebody has, gets a number.
 * 409 for a name that is none, 400 where the copy's domain is too long.
 *
 * @param names of sites beside the network's own, in lower case
 */
export const networkNames = (
  network: { domain: string; names: readonly string[] },
  copy: string,
  isTaken: (name: string) => boolean = () => false,
): Map<string, string> => {
  const given = new Set<string>()
  const next = new Map<string, number>()
  const base = baseOf(network.domain)
  const made = new Map<string, string>()
  for (const name of network.names) {
    assertSiteName(name)
    const label = labelOf(name, base)
    const numbered = (n: number) => `${label}${n === 1 ? '' : `-${n}`}.${copy}`
    let n = next.get(label) ?? 1
    while (given.has(numbered(n)) || isTaken(numbered(n))) n++
    const fresh = numbered(n)
    if (fresh.length > MOST_NAME)
      throw invalid('domain', `domain is too long for the names of its sites, such as ${fresh}.`)
    given.add(fresh)
    next.set(label, n + 1)
    made.set(name, fresh)
  }
  return made
}

/** The name that a site gets which was added in a copy: what it has before the copy's domain, below the network's; else as it is. */
export const nameAtNetwork = (name: string, copy: string, network: string): string =>
  name.endsWith(`.${copy}`) ? `${name.slice(0, -copy.length - 1)}.${baseOf(network)}` : name
