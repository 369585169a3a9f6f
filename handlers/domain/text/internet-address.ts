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

/** Whether an address lies on this machine or its link, or is none. */
export const isNearAddress = (address: string): boolean => {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : null
  const isOdd = parsed instanceof ipaddr.IPv6 && parsed.match(IPV4_COMPATIBLE)
  return isOdd || REFUSED.includes(parsed?.range() ?? 'reserved')
}

/** Whether an address that is not near lies in the internet. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false
  if (isMetadataAddress(parsed.toNormalizedString())) return false
  return !NOT_PUBLIC.includes(parsed.range())
}

/** Whether an address lies in the internet, and nowhere near this machine. */
export const isInternetAddress = (address: string): boolean =>
  !isNearAddress(address) && isPublicAddress(address)
