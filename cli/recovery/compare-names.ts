import { promises as dns } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { printable } from '../terminal/printable.ts'

/** Where the name of a site leads. */
export interface NameFinding {
  domain: string
  /** Addresses; empty when it has none, or no answer came. */
  leads_to: string[]
  /** Whether one of them is of this machine. */
  here: boolean
}

const AT_ONCE = 16
const TIMEOUT_MS = 3000

const ownAddresses = (withLocal: boolean): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => withLocal || !(internal || address.startsWith('fe80:')))
    .map(({ address }) => address)

const addressesOf = async (domain: string): Promise<string[]> => {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  const none = (): string[] => []
  const found = await Promise.all([
    resolver.resolve4(domain).catch(none),
    resolver.resolve6(domain).catch(none),
  ])
  return found.flat()
}

/** Asks the machine's name servers where the sites' names lead, some at a time. */
export const compareNames = async (domains: readonly string[]): Promise<NameFinding[]> => {
  const own = new Set(ownAddresses(true))
  const findings: NameFinding[] = []
  for (let first = 0; first < domains.length; first += AT_ONCE)
    findings.push(
      ...(await Promise.all(
        domains.slice(first, first + AT_ONCE).map(async (domain) => {
          const leads_to = await addressesOf(domain)
          return { domain, leads_to, here: leads_to.some((address) => own.has(address)) }
        }),
      )),
    )
  return findings
}

/** Prints which records have to change for the names to lead here. */
export const showNames = (names: readonly NameFinding[]): void => {
  const elsewhere = names.filter(({ here }) => !here)
  if (elsewhere.length === 0) return
  const own = ownAddresses(false).map(printable).join(', ')
  console.log(
    `When it is to take over, change these DNS records (A, AAAA) to this host's addresses${own === '' ? '' : ` (${own}, or those that lead to them)`}:`,
  )
  for (const { domain, leads_to } of elsewhere)
    console.log(
      `  ${printable(domain)}: ${leads_to.length === 0 ? 'leads nowhere' : `leads to ${leads_to.join(', ')}`}`,
    )
}
