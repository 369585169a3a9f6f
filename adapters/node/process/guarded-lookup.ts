import { lookup as resolveName } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges that lie on this machine, on its link, or stand for addresses of another kind. */
const REFUSED: readonly string[] = [
  'unspecified',
  'loopback',
  'linkLocal',
  'broadcast',
  'multicast',
  'reserved',
  'rfc6052',
  'rfc6145',
  '6to4',
  'teredo',
]

/** Networks that are no part of the internet. */
const NOT_PUBLIC: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat']
/** Where the internet's addresses of IPv6 lie; the library names not all that lie outside. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** Addresses that stand for those of IPv4 (RFC 4291), which nobody should have any more. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/** Where clouds tell a machine its secrets, beside 169.254.169.254; some lie among those of the internet. */
const METADATA: readonly string[] = [
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]

/** An address in its one spelling; what is none stays as it is. */
export const plainAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toNormalizedString() : address

const METADATA_PLAIN: ReadonlySet<string> = new Set(METADATA.map(plainAddress))

/** Whether clouds tell a machine its secrets there; `address` as `plainAddress` spells it. */
export const isMetadataAddress = (address: string): boolean => METADATA_PLAIN.has(address)

/** An address that a target may not have. */
class RefusedAddressError extends Error {
  constructor(address: string) {
    super(
      `${address} is an address of this machine or of its link. If that is meant, set allow_private = true in the target's section`,
    )
    this.name = 'RefusedAddressError'
  }
}

/** Throws `RefusedAddressError` for addresses of this machine and its link. */
export const checkAddress = (address: string): void => {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : null
  const isOdd = parsed instanceof ipaddr.IPv6 && parsed.match(IPV4_COMPATIBLE)
  if (isOdd || REFUSED.includes(parsed?.range() ?? 'reserved'))
    throw new RefusedAddressError(address)
}

/** Checks a host that is an address by itself; names are checked when they are resolved. */
export const checkHost = (host: string, allowPrivate: boolean): void => {
  const bare = host.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(bare) !== 0) checkAddress(bare)
}

/** Whether an address that `checkAddress` lets pass lies in the internet. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false
  if (isMetadataAddress(parsed.toNormalizedString())) return false
  return !NOT_PUBLIC.includes(parsed.range())
}

/** Throws for addresses that do not lie in the internet. */
const checkPublicAddress = (address: string): void => {
  checkAddress(address)
  if (!isPublicAddress(address)) throw new RefusedAddressError(address)
}

/** Whether an address lies in the internet, and nowhere near this machine. */
export const isInternetAddress = (address: string): boolean => {
  try {
    checkPublicAddress(address)
    return true
  } catch {
    return false
  }
}

/** As `checkHost`, for a host that must lie in the internet. */
export const checkPublicHost = (host: string): void => {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) checkPublicAddress(bare)
}

/** DNS of which every address is judged. */
export const judgedLookup =
  (check: (address: string) => void): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      try {
        for (const { address } of addresses) check(address)
      } catch (refusal) {
        return callback(refusal as Error, '', 0)
      }
      const [first] = addresses
      if (options.all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family ?? 0)
    })
  }

/**
 * DNS for a connection that is being made: what is checked is what is connected
 * to, so a name cannot change its address in between. One refused address
 * refuses the name.
 */
export const guardedLookup = (allowPrivate: boolean): LookupFunction =>
  judgedLookup(allowPrivate ? () => undefined : checkAddress)

/** The same for names that must lie in the internet. */
export const publicLookup: LookupFunction = judgedLookup(checkPublicAddress)
