import ipaddr from 'ipaddr.js'
import { invalid } from '../../errors.ts'
import { canonicalBlock } from '../site-settings/address-block.ts'

/** The widest block of IPv4 that may be let in. */
const WIDEST_FOUR = 16
/** Blocks of IPv6: what one customer of a provider has, and what one site has. */
const SIX_BITS = [128, 64, 48]

/** Ranges of IPv6 that stand for addresses of IPv4. */
const DRESSED = ['ipv4Mapped', 'rfc6145', 'rfc6052', '6to4', 'teredo']

const refuse = (why: string): Error => invalid('address', `address ${why}`)

const FORMS =
  'must be one address (203.0.113.7, 2001:db8::7) or a block of them (203.0.113.0/24, 2001:db8:1:2::/64).'

const checkFour = (address: ipaddr.IPv4, bits: number): void => {
  if (bits < WIDEST_FOUR)
    throw refuse(
      `lets in too many: a block of IPv4 has /${WIDEST_FOUR} to /32. Name the addresses that you use.`,
    )
  const [first = 0] = address.octets
  // 0.0.0.0/8 is nobody; from 224 on there are groups and what is kept for later.
  if (first === 0 || first >= 224)
    throw refuse('is none that a client can have. Name the one that the client comes from.')
}

/**
 * MariaDB compares the text of an IPv6 address, in which the longest row of zeros is left out.
 * A block is exact in it where zeros stand at its end alone, and two groups of them at most.
 */
const isTold = (address: ipaddr.IPv6, groups: number): boolean => {
  const block = address.parts.slice(0, groups)
  const end = block.findLastIndex((part) => part !== 0) + 1
  const row = block.slice(0, end).some((part, at) => part === 0 && block[at + 1] === 0)
  return groups - end <= 2 && !row
}

const checkSix = (address: ipaddr.IPv6, bits: number): void => {
  if (!SIX_BITS.includes(bits))
    throw refuse('is a block that cannot be let in: of IPv6 write one address, /64 or /48.')
  const range = address.range()
  if (range !== 'unicast' && range !== 'uniqueLocal' && range !== 'reserved')
    throw refuse(
      'is none that a client elsewhere can have. Name the one that the client comes from.',
    )
  if (bits < 128 && !isTold(address, bits / 16))
    throw refuse(
      'is a block with too many zeros for MariaDB to tell it. Name single addresses of it.',
    )
}

/**
 * An address or block from which databases may be reached, in its one spelling; a block of one
 * address is that address. 400 for anything else: all of the internet, more than a
 * /16 of IPv4 or a /48 of IPv6, bits behind the block, IPv4 in the clothes of IPv6.
 */
export const remoteAddress = (text: string): string => {
  if (!/^[0-9a-fA-F.:]{2,45}(\/\d{1,3})?$/.test(text)) throw refuse(FORMS)
  const block = canonicalBlock(text)
  if (block === null) throw refuse(FORMS)
  const [network = '', length] = block.split('/')
  const written = text.split('/')[0] ?? ''
  if (DRESSED.includes(ipaddr.parse(written).range()))
    throw refuse('is one of IPv4 in the clothes of IPv6. Write the IPv4 address itself.')
  const address = ipaddr.parse(network)
  const all = address.kind() === 'ipv4' ? 32 : 128
  const bits = length === undefined ? all : Number(length)
  if (address.kind() === 'ipv4') checkFour(address as ipaddr.IPv4, bits)
  else checkSix(address as ipaddr.IPv6, bits)
  if (ipaddr.process(written).toString() !== network)
    throw refuse(`has bits behind the block: write ${block}, or one address without "/${bits}".`)
  return bits === all ? network : block
}

/** Whether the text is an address as `remoteAddress` spells it. */
export const isRemoteAddress = (text: string): boolean => {
  try {
    return remoteAddress(text) === text
  } catch {
    return false
  }
}

/** The address with its bits, as PostgreSQL wants it. */
export const withBits = (address: string): string =>
  address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}`

/** Whether a client's address is one of those that are let in. */
export const isLetIn = (client: string, addresses: readonly string[]): boolean => {
  if (!ipaddr.isValid(client)) return false
  const parsed = ipaddr.process(client)
  return addresses.some((address) => {
    const [network, bits] = ipaddr.parseCIDR(withBits(address))
    return network.kind() === parsed.kind() && parsed.match([network, bits] as never)
  })
}
