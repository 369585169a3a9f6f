import { Resolver } from 'node:dns/promises'
import type { CaaRecord } from '#handlers/domain/certificates/caa.ts'
import type { DnsProvider } from '#handlers/domain/certificates/dns-access.ts'
import { isInternetAddress } from '#handlers/domain/text/internet-address.ts'
import { codeOf } from '../../../layout/error-code.ts'

/** How the DNS is asked; the defaults are what the world does. */
export interface DnsOptions {
  /** Servers to ask instead of the system's, `address:port`. */
  resolvers?: readonly string[]
  /** Port of servers that are asked for a zone of theirs. Default: 53. */
  port?: number
  /** Where the API of a provider is, in place of its own address: never a tenant's word. */
  providers?: Partial<Record<DnsProvider, string>>
  /** Until a record is given up. Default: 120000. */
  limitMs?: number
  /** Between two looks. Default: 2000. */
  pauseMs?: number
}

const ASK = { timeout: 3000, tries: 1 } as const
const MAX_SERVERS = 20
/** What resolvers say of what is not there, as against: nothing could be known. */
const NOT_THERE = new Set(['ENODATA', 'ENOTFOUND'])

/** What of the DNS is asked before and during an order. */
export interface LookUp {
  /** Addresses with port of the servers of the zone that a name lies in; those that may not be asked are left out. */
  serversOf(name: string): Promise<string[]>
  /** Whether the server shows the text; null: it gives no answer that counts. */
  shows(server: string, name: string, text: string): Promise<boolean | null>
  /** The name that a record of type CNAME leads on to; null: there is none, or nothing can be known. */
  aliasOf(name: string): Promise<string | null>
  /** The records that count for a name: its own, or those of the nearest name above it (RFC 8659, 3). */
  caaOf(name: string): Promise<CaaRecord[]>
}

/** Of the nearest zone; a domain of the top level is nobody's here. */
const serverNames = async (asked: Resolver, name: string): Promise<string[]> => {
  const labels = name.split('.')
  for (let at = 0; at < labels.length - 1; at += 1) {
    const found = await asked.resolveNs(labels.slice(at).join('.')).catch(() => [])
    if (found.length > 0) return found
  }
  return []
}

export const createLookUp = (options: DnsOptions, mayBeLocal: boolean): LookUp => {
  const resolver = (servers: readonly string[] | undefined): Resolver => {
    const made = new Resolver(ASK)
    if (servers !== undefined) made.setServers([...servers])
    return made
  }
  return {
    async aliasOf(name) {
      const asked = resolver(options.resolvers)
      const [alias] = await asked.resolveCname(name).catch(() => [])
      return alias?.toLowerCase().replace(/\.$/, '') ?? null
    },
    async serversOf(name) {
      const asked = resolver(options.resolvers)
      const names = (await serverNames(asked, name)).slice(0, MAX_SERVERS)
      const found = await Promise.all(
        names.flatMap((name) => [
          asked.resolve4(name).catch(() => []),
          asked.resolve6(name).catch(() => []),
        ]),
      )
      const port = options.port ?? 53
      return [...new Set(found.flat())]
        .filter((address) => mayBeLocal || isInternetAddress(address))
        .slice(0, MAX_SERVERS)
        .map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`))
    },
    async shows(server, name, text) {
      try {
        const records = await resolver([server]).resolveTxt(name)
        return records.some((parts) => parts.join('') === text)
      } catch (error) {
        return NOT_THERE.has(codeOf(error)) ? false : null
      }
    },
    async caaOf(name) {
      const asked = resolver(options.resolvers)
      const labels = name.split('.')
      for (const at of labels.keys()) {
        try {
          const records = await asked.resolveCaa(labels.slice(at).join('.'))
          if (records.length > 0) return records.map((record) => ({ ...record }))
        } catch (error) {
          // What cannot be known here is the authority's to judge.
          if (!NOT_THERE.has(codeOf(error))) return []
        }
      }
      return []
    },
  }
}
