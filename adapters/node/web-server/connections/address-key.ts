import { countedAddress } from '#handlers/domain/text/client-address.ts'

/** What connections are counted by: an IPv4 address, or the /64 of an IPv6 address. Empty when the peer is gone already. */
export const addressKey = (remoteAddress: string | undefined): string => {
  if (remoteAddress === undefined) return ''
  if (!remoteAddress.includes(':')) return remoteAddress
  // An IPv4 client of a dual-stack listener.
  if (remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.'))
    return remoteAddress.slice(7)
  return countedAddress(remoteAddress)
}
