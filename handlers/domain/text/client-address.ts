import ipaddr from 'ipaddr.js'

const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  ipaddr.isValid(text.trim()) ? ipaddr.process(text.trim()) : null

const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6, proxies: readonly string[]): boolean =>
  proxies.some((block) => {
    try {
      const [range, bits] = ipaddr.parseCIDR(
        block.includes('/') ? block : `${block}/${block.includes(':') ? 128 : 32}`,
      )
      return range.kind() === address.kind() && address.match([range, bits] as never)
    } catch {
      return false
    }
  })

/** Whether an address lies in one of these CIDR blocks. */
export const isTrustedAddress = (address: string, proxies: readonly string[]): boolean => {
  if (proxies.length === 0) return false
  const parsed = parseAddress(address)
  return parsed !== null && isTrusted(parsed, proxies)
}

/**
 * The client's address: the socket's, unless the socket belongs to a trusted
 * proxy; then the last address in `X-Forwarded-For` that is not itself one.
 * Everything left of that could have been written by the client.
 */
export const clientAddress = (
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string => {
  let current = parseAddress(socketAddress)
  if (current === null) return socketAddress
  const hops = (forwardedFor ?? '').split(',').filter((hop) => hop.trim() !== '')
  while (hops.length > 0 && isTrusted(current, trustedProxies)) {
    const next = parseAddress(hops.pop() ?? '')
    if (next === null) break
    current = next
  }
  return current.toString()
}

/** What brute force is counted by: an IPv4 address, or the /64 that one IPv6 customer has. */
export const countedAddress = (address: string): string => {
  const parsed = parseAddress(address)
  if (parsed === null || parsed.kind() === 'ipv4') return address
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** What connections are counted by: an IPv4 address, or the /64 of an IPv6 address. Empty when the peer is gone already. */
export const addressKey = (remoteAddress: string | undefined): string => {
  if (remoteAddress === undefined) return ''
  if (!remoteAddress.includes(':')) return remoteAddress
  // An IPv4 client of a dual-stack listener.
  if (remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.'))
    return remoteAddress.slice(7)
  return countedAddress(remoteAddress)
}
