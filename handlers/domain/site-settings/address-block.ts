import ipaddr from 'ipaddr.js'

/** One spelling of an address or block (`10.0.0.0/8`, `2001:db8::/32`); null when it is none. */
export const canonicalBlock = (text: string): string | null => {
  const [address = '', bits, ...more] = text.trim().split('/')
  if (more.length > 0 || address.includes('%')) return null
  const isFour = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!isFour && !(address.includes(':') && ipaddr.IPv6.isValid(address))) return null
  const parsed = ipaddr.process(address)
  if (bits === undefined) return parsed.toString()
  // Of an IPv4 address in IPv6 clothes nobody can say which bits are meant.
  if (!/^\d{1,3}$/.test(bits) || (!isFour && parsed.kind() === 'ipv4')) return null
  if (Number(bits) > (isFour ? 32 : 128)) return null
  const block = `${parsed.toString()}/${Number(bits)}`
  const network = isFour
    ? ipaddr.IPv4.networkAddressFromCIDR(block)
    : ipaddr.IPv6.networkAddressFromCIDR(block)
  return `${network.toString()}/${Number(bits)}`
}
