import ipaddr from 'ipaddr.js'
import { isRemoteAddress } from '#handlers/domain/databases/remote-address.ts'

const maskOf = (bits: number): string => ipaddr.IPv4.subnetMaskFromPrefixLength(bits).toString()

/**
 * What MariaDB keeps as host of users who may log in from an address: netmasks for IPv4, and
 * for IPv6, which it has none for, the beginning of the text, written out and with the zeros at
 * the end of the block left out. Each matches addresses of the block alone.
 */
export const remoteHosts = (address: string): string[] => {
  if (!isRemoteAddress(address)) throw new Error('not an address from which databases are reached')
  const [network = '', length] = address.split('/')
  if (length === undefined) return [network]
  if (!network.includes(':')) return [`${network}/${maskOf(Number(length))}`]
  const parts = ipaddr.IPv6.parse(network).parts.slice(0, Number(length) / 16)
  const text = (groups: readonly number[]): string =>
    groups.map((group) => `${group.toString(16)}:`).join('')
  const end = parts.findLastIndex((part) => part !== 0) + 1
  const whole = `${text(parts)}%`
  return end === parts.length ? [whole] : [whole, `${text(parts.slice(0, end))}:%`]
}
