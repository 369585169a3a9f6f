import { parseHostPort } from '../text/host-port.ts'

/** What access to a zone may look like; the same for API, wire and agent. */
export const DNS_ACCESS_PATTERNS = {
  name: /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
  zone: /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?){1,30}$/,
  key_name: /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$/,
  /** Base64, at least 128 bits. */
  secret: /^[A-Za-z0-9+/]{22,344}={0,2}$/,
} as const

/** Of the text that names one, in characters. */
const MAX_DNS_SERVER_LENGTH = 253
const DNS_PORT = 53

/** A DNS server as a person writes it, `host` or `host:port`; null for what is none. */
export const parseDnsServer = (text: string): { host: string; port: number } | null => {
  return text.length > MAX_DNS_SERVER_LENGTH ? null : parseHostPort(text, DNS_PORT)
}

/** Whether a name, also a wildcard, lies in a zone. */
export const isInZone = (name: string, zone: string): boolean =>
  name === zone || name.endsWith(`.${zone}`)

/** The access whose zone is the nearest to a name; null: none covers it. */
export const accessFor = <Access extends { zone: string }>(
  all: readonly Access[],
  name: string,
): Access | null =>
  all
    .filter(({ zone }) => isInZone(name, zone))
    .reduce<Access | null>(
      (best, one) => (best !== null && best.zone.length >= one.zone.length ? best : one),
      null,
    )
