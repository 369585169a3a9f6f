import type { LinkConfig } from './config-types.ts'
import ipaddr from 'ipaddr.js'

/** A parsed `listen` entry. */
export interface ListenAddress {
  /** Literal without brackets. */
  host: string
  port: number
  family: 4 | 6
  loopback: boolean
}

/** Parses `127.0.0.1:80`, `[::1]:80` or `localhost:80`; null when it is none of them. Port 0 lets the system choose. */
export const parseListenAddress = (text: string): ListenAddress | null => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/i.exec(text.trim())
  if (!match) return null
  const port = Number(match[3])
  if (port > 65_535) return null
  const host = match[1] ?? (match[2] === 'localhost' ? '127.0.0.1' : (match[2] ?? ''))
  const isSix = match[1] !== undefined
  if (isSix ? !ipaddr.IPv6.isValid(host) : !ipaddr.IPv4.isValidFourPartDecimal(host)) return null
  const loopback = ipaddr.parse(host).range() === 'loopback'
  return { host, port, family: isSix ? 6 : 4, loopback }
}

/** Whether panels on other machines have any way to this one's agent. */
export const hasLink = ({ link }: { link: LinkConfig }): boolean =>
  link.listen.length > 0 || link.tunnel_group !== null
