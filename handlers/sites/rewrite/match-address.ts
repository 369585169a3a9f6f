import ipaddr from 'ipaddr.js'

/** More than any address with its zone, or block with its mask. */
const MAX_LENGTH = 100

const addressOf = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  text.length <= MAX_LENGTH && ipaddr.isValid(text) ? ipaddr.process(text) : null

/** `10.1` and `10.1.0.0/255.255.0.0` as a block; null when it is none. */
const blockOf = (text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null => {
  const partial = /^\d{1,3}(?:\.\d{1,3}){0,2}\.?$/.exec(text)
  if (partial) {
    const parts = text.split('.').filter((part) => part !== '')
    const whole = addressOf([...parts, '0', '0', '0'].slice(0, 4).join('.'))
    return whole && [whole, parts.length * 8]
  }
  if (text.length > MAX_LENGTH) return null
  const [given = '', mask] = text.split('/')
  const address = addressOf(given)
  if (!address) return null
  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (mask === undefined) return [address, bits]
  const dotted = mask.includes('.') && ipaddr.IPv4.isValid(mask) ? ipaddr.IPv4.parse(mask) : null
  const length = dotted
    ? dotted.prefixLengthFromSubnetMask()
    : /^\d+$/.test(mask)
      ? Number(mask)
      : null
  return length === null || length > bits ? null : [address, length]
}

/** Whether `text` is an address, a block (`10.0.0.0/8`, with a net mask) or the beginning of one (`10.1`). */
export const isAddressBlock = (text: string): boolean => blockOf(text) !== null

/** Whether an address lies in a block; see `isAddressBlock`. */
export const matchesAddress = (client: string, text: string): boolean => {
  const address = addressOf(client)
  const block = blockOf(text)
  if (!address || !block || address.kind() !== block[0].kind()) return false
  return address.match(block as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])
}
