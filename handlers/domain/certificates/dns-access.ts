import type { DnsAccessChange } from '../../ports/host/dns-access.ts'
import { parseHostPort } from '../text/host-port.ts'

/** What access to a zone may look like; the same for API, wire and agent. */
export const DNS_ACCESS_PATTERNS = {
  name: /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
  zone: /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?){1,30}$/,
  key_name: /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$/,
  /** Base64, at least 128 bits. */
  secret: /^[A-Za-z0-9+/]{22,344}={0,2}$/,
  /** Of a provider, as it goes into a header. */
  token: /^[A-Za-z0-9_-]{20,200}$/,
  /** Where CNAME records lead to. */
  target: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){1,30}$/,
  /** What an acme-dns gives for its headers. */
  given: /^[\x21-\x7e]{8,200}$/,
} as const

/**
 * How records are set: by updates to a server (RFC 2136), by the API of a provider, or by an acme-dns,
 * to which a CNAME record leads.
 */
export const DNS_ACCESS_KINDS = ['rfc2136', 'cloudflare', 'desec', 'acme-dns'] as const
/** One of them; its names are those of API, command and files. */
export type DnsAccessKind = (typeof DNS_ACCESS_KINDS)[number]

/** Kinds of access whose zone lies with a provider. */
export type DnsProvider = Exclude<DnsAccessKind, 'rfc2136' | 'acme-dns'>

/** Whether a provider is asked, with a token. */
export const isProvider = (kind: DnsAccessKind): kind is DnsProvider =>
  kind !== 'rfc2136' && kind !== 'acme-dns'

interface Opened {
  kind: DnsAccessKind
  server: string | null
  key_name: string | null
  secret: string | null
}

type Unfitting = [keyof Opened, string] | null

const unfittingServer = ({ server, key_name, secret }: Opened): Unfitting => {
  if (server === null) return ['server', 'server is needed with kind rfc2136.']
  if (parseDnsServer(server) === null)
    return ['server', 'server must be the primary server of the zone, as "host" or "host:port".']
  if (key_name === null) return ['key_name', 'key_name is needed with kind rfc2136.']
  return secret !== null && DNS_ACCESS_PATTERNS.secret.test(secret)
    ? null
    : ['secret', 'secret must be the secret of the key in base64.']
}

const unfittingAcmeDns = ({ server, key_name, secret }: Opened): Unfitting => {
  if (parseAcmeDns(server ?? '') === null)
    return ['server', 'server must be the address of an acme-dns, e.g. https://auth.example.com.']
  if (key_name !== null) return ['key_name', 'key_name goes with kind rfc2136 alone.']
  return secret === null ? null : ['secret', 'secret must not be sent: the acme-dns makes one.']
}

/** The field that does not fit the kind, and why; null: all do. */
export const unfittingField = (access: Opened): Unfitting => {
  if (access.kind === 'rfc2136') return unfittingServer(access)
  if (access.kind === 'acme-dns') return unfittingAcmeDns(access)
  if (access.server !== null) return ['server', 'server goes with kinds rfc2136 and acme-dns.']
  if (access.key_name !== null) return ['key_name', 'key_name goes with kind rfc2136 alone.']
  return access.secret !== null && DNS_ACCESS_PATTERNS.token.test(access.secret)
    ? null
    : ['secret', 'secret must be the API token, 20 to 200 of A-Z, a-z, 0-9, - and _.']
}

/** What an access will be; the field that cannot be changed, or does not fit its kind, is told. */
export const changedAccess = <Access extends Opened>(
  access: Access,
  { server, key_name, secret }: DnsAccessChange,
): Access | { unfitting: [keyof Opened, string] } => {
  if (access.kind === 'acme-dns')
    return {
      unfitting: [
        'server',
        'server and secret of an acme-dns stay as they were registered. Add a new one, and remove this one.',
      ],
    }
  const changed = {
    ...access,
    ...(server === undefined ? {} : { server }),
    ...(key_name === undefined ? {} : { key_name }),
    ...(secret === undefined ? {} : { secret }),
  }
  const unfitting = unfittingField(changed)
  return unfitting === null ? changed : { unfitting }
}

/** Of the text that names one, in characters. */
const MAX_DNS_SERVER_LENGTH = 253
const DNS_PORT = 53

/** A DNS server as a person writes it, `host` or `host:port`; null for what is none. */
export const parseDnsServer = (text: string): { host: string; port: number } | null => {
  return text.length > MAX_DNS_SERVER_LENGTH ? null : parseHostPort(text, DNS_PORT)
}

/** Of the address of an acme-dns, in characters. */
const MAX_ACME_DNS_LENGTH = 253

/** Where the API of an acme-dns is, without a slash at its end; null for what is no such address. */
export const parseAcmeDns = (text: string): URL | null => {
  if (text.length > MAX_ACME_DNS_LENGTH || !/^https?:\/\/[^\s?#@\\]+$/.test(text)) return null
  const url = URL.canParse(text) ? new URL(text) : null
  return url === null || url.username !== '' || url.hostname === '' ? null : url
}

/** Whether a name, also a wildcard, lies in a zone. */
export const isInZone = (name: string, zone: string): boolean =>
  name === zone || name.endsWith(`.${zone}`)

/** How far an access goes: all names in a zone, or with `target` that record alone. */
interface Reach {
  zone: string
  target: string | null
}

/** The access that may set the record of a name, of several that of the nearest zone; null: none covers it. */
export const accessFor = <Access extends Reach>(
  all: readonly Access[],
  name: string,
): Access | null =>
  all
    .filter(({ zone, target }) => (target === null ? isInZone(name, zone) : name === target))
    .reduce<Access | null>(
      (best, one) =>
        best !== null && (best.target ?? best.zone).length >= (one.target ?? one.zone).length
          ? best
          : one,
      null,
    )
