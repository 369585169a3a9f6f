import { z } from 'zod'
import { assertSiteName } from '#handlers/domain/wordpress/network-names.ts'
import { conflict } from '#handlers/errors.ts'

/** Each is asked for by a process of its own. */
const MOST_LOOKED_AT = 10
/** The runner cuts them at 300 characters; what is longer than a name is refused by it then. */
const name = z.string().max(600)
/** A network of sites as the runner tells it; the network that the site's own address is of comes first. */
export const networkSchema = z.object({
  networks: z
    .array(z.object({ id: z.number().int().nonnegative(), domain: name, path: name }))
    .min(1)
    .max(100),
  sites: z
    .array(
      z.object({
        id: z.number().int().nonnegative(),
        domain: name,
        path: name,
        /** When it was made: with the number it tells a site from another one that came in its place. */
        registered: z.string().max(40),
        /** Whether its pages come by TLS. */
        secure: z.boolean(),
      }),
    )
    .max(2000),
  /** Names of visitors that a plugin maps to sites. */
  mapped: z.array(name).max(2000),
  subdomains: z.boolean(),
})

/** A network of sites. */
export type Network = z.output<typeof networkSchema>
/** One of its sites. */
export type NetworkSite = Network['sites'][number]

/** Name and folder of a network, as its tables have them. */
export const networkOf = ({ networks }: Network): { domain: string; path: string } => {
  const { domain = '', path = '/' } = networks[0] ?? {}
  return { domain: domain.toLowerCase(), path }
}

/** The names that its sites have beside the network's own, in lower case, as its tables have them. */
export const namesBeside = (network: Network): string[] => {
  const { domain } = networkOf(network)
  const all = [...network.networks, ...network.sites].map((one) => one.domain)
  const names = new Set([...all, ...network.mapped].map((one) => one.toLowerCase()))
  names.delete(domain)
  return [...names]
}

/** What comes instead of names and folders where a network goes to another place. */
export interface NetworkMove {
  /** By the old one, in lower case. */
  names: Record<string, string>
  /** The folder that the network was in, and the one that it is in. */
  from: string
  to: string
  /** Addresses without a slash at their end, by `host` or `host/folder`. */
  hosts: Record<string, string>
}

const bareUrl = (url: string): string => url.replace(/\/$/, '')
const withoutScheme = (url: string): string => bareUrl(url).replace(/^https?:\/\//, '')
const hostOf = (url: string): string => new URL(url).hostname

/** What `host` and `host/folder` are called in `NetworkMove`: names in lower case, folders as they are. */
const hostKey = (address: string): string => address.replace(/^[^/]*/, (host) => host.toLowerCase())

/** Where a network goes to. */
export interface NewNetworkPlace {
  /** Its new address. */
  url: string
  /** The folder of its sites, with slashes at both ends. */
  folder: string
  /** Addresses that come instead of the names beside its own. */
  origins: ReadonlyMap<string, string>
}

/**
 * How a network moves. 409 where one of its names is none, or has no other one.
 *
 * @param own addresses of its main site, all of which become the new one
 */
export const moveOf = (
  network: Network,
  own: readonly string[],
  { url, folder: to, origins }: NewNetworkPlace,
): NetworkMove => {
  const { domain, path: from } = networkOf(network)
  const beside = namesBeside(network)
  for (const one of [domain, ...beside]) assertSiteName(one)
  const unknown = beside.find((one) => !origins.has(one))
  if (unknown !== undefined)
    throw conflict(`The network has a further name, ${unknown}, since this was begun. Try again.`)
  const folder = bareUrl(from)
  const inFolder = new Set(
    network.sites.flatMap((one) => (one.path.startsWith(from) ? [one.domain.toLowerCase()] : [])),
  )
  const hosts = beside.flatMap((one): [string, string][] => {
    const origin = bareUrl(origins.get(one) ?? '')
    const isInFolder = folder !== '' && inFolder.has(one)
    return [[one, origin], ...(isInFolder ? [[`${one}${folder}`, origin] as [string, string]] : [])]
  })
  const main = [...own.map(withoutScheme), `${domain}${folder}`].filter((one) => one !== '')
  return {
    names: Object.fromEntries([
      [domain, hostOf(url)],
      ...beside.map((one): [string, string] => [one, hostOf(origins.get(one) ?? url)]),
    ]),
    ...{ from, to },
    hosts: Object.fromEntries([
      ...hosts,
      ...main.map((one): [string, string] => [hostKey(one), bareUrl(url)]),
    ]),
  }
}

/** Where sites with names of their own are after a move, a few of them. */
export const placesOf = (
  network: Network,
  { from, to, hosts }: NetworkMove,
): { id: number; url: string }[] => {
  const { domain } = networkOf(network)
  return network.sites
    .filter((one) => one.domain.toLowerCase() !== domain)
    .slice(0, MOST_LOOKED_AT)
    .map(({ id, domain: host, path }) => {
      const rest = path.startsWith(from) ? `${to}${path.slice(from.length)}` : path
      return { id, url: `${new URL(hosts[host.toLowerCase()] ?? '').origin}${rest}` }
    })
}
