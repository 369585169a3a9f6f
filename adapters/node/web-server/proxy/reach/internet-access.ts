import { Resolver, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isInternetAddress, plainAddress } from '#handlers/domain/text/internet-address.ts'
import { isOwnAddress } from '../../../process/own-address.ts'

/** What a name leads to is asked again after so long. */
const KEPT_MS = 10_000
/** What has no address, or one that is refused. */
const FAILED_MS = 2000
const MOST_NAMES = 1000
/** Questions under way of one worker: name servers of owners may be slow on purpose. */
const MOST_UNDER_WAY = 64
const ASK = { timeout: 1500, tries: 2 }

/** A name whose addresses nobody may be led to. */
class OutsideInternetError extends Error {
  constructor(name: string) {
    super(`${name} leads to an address that is none of the internet, or to this machine itself`)
    this.name = 'OutsideInternetError'
  }
}

/** Whether a connection for somebody who chose where it leads may go there. */
const isReachable = (address: string): boolean =>
  isInternetAddress(address) && !isOwnAddress(plainAddress(address))

interface Known {
  untilMs: number
  addresses: Promise<LookupAddress[]>
}

/** The internet, as those may reach it who chose where a connection leads. */
export interface InternetAccess {
  lookup: LookupFunction
  /** Whether a connection may have that address; bare addresses are looked up by nobody. */
  allows(address: string): boolean
}

/** `servers`: name servers instead of the machine's. `isAllowed`: by default `isReachable`. */
export interface InternetAccessOptions {
  servers?: readonly string[]
  isAllowed?: (address: string) => boolean
}

/**
 * DNS for connections to names that owners of sites chose. What is judged is what is connected to,
 * so a name cannot change its address in between; one refused address refuses the name. Asks name
 * servers itself: the system's way holds one of the few threads by which a worker also opens files,
 * for as long as somebody's name server likes, and knows the machine's own names (/etc/hosts).
 */
export const createInternetAccess = (options: InternetAccessOptions = {}): InternetAccess => {
  const { isAllowed = isReachable } = options
  const resolver = new Resolver(ASK)
  if (options.servers !== undefined) resolver.setServers(options.servers)
  const known = new Map<string, Known>()
  let underWay = 0

  const ask = (name: string, family: 4 | 6): Promise<LookupAddress[]> =>
    new Promise((resolve) => {
      const told = (error: Error | null, addresses: string[]): void =>
        resolve(error === null ? addresses.map((address) => ({ address, family })) : [])
      if (family === 4) resolver.resolve4(name, told)
      else resolver.resolve6(name, told)
    })
  const addressesOf = async (name: string): Promise<LookupAddress[]> => {
    if (underWay >= MOST_UNDER_WAY) throw new Error('too many names are being looked up')
    underWay++
    try {
      const found = (await Promise.all([ask(name, 4), ask(name, 6)])).flat()
      if (found.length === 0) throw new Error(`${name} has no address`)
      if (!found.every(({ address }) => isAllowed(address))) throw new OutsideInternetError(name)
      return found
    } finally {
      underWay--
    }
  }
  const lookUp = (name: string): Promise<LookupAddress[]> => {
    const nowMs = performance.now()
    const before = known.get(name)
    if (before !== undefined && nowMs < before.untilMs) return before.addresses
    if (known.size >= MOST_NAMES) known.clear()
    const now: Known = { untilMs: Infinity, addresses: addressesOf(name) }
    const until = (keptMs: number) => (): void => {
      now.untilMs = performance.now() + keptMs
    }
    now.addresses.then(until(KEPT_MS), until(FAILED_MS))
    known.set(name, now)
    return now.addresses
  }

  const lookup: LookupFunction = (hostname, { all, family }, callback) => {
    lookUp(hostname).then(
      (found) => {
        const fit = found.filter((one) => !family || one.family === Number(family))
        const usable = fit.length > 0 ? fit : found
        if (all === true) return callback(null, usable)
        callback(null, usable[0]?.address ?? '', usable[0]?.family ?? 0)
      },
      (error: unknown) => callback(error as Error, '', 0),
    )
  }
  return { lookup, allows: isAllowed }
}
