import ipaddr from 'ipaddr.js'
import { deviceName } from '../access/device-name.ts'

/** Providers give their customers other addresses within such networks from day to day. */
const NETWORK_BITS = { ipv4: 16, ipv6: 32 } as const

const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  const kind = parsed.kind()
  const bits = NETWORK_BITS[kind]
  const bytes = parsed.toByteArray().map((byte, index) => (index * 8 < bits ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}

/**
 * Where somebody logs in from, as far as it is compared: browser and system by the name that
 * the list of sessions shows, and the network, i.e. the first 16 bits of an IPv4 address or
 * 32 of IPv6. A login is from a new place where this pair was not there before.
 */
export const loginPlace = (address: string, userAgent: string): string =>
  `${deviceName(userAgent)} ${networkOf(address)}`
