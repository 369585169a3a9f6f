import type { CacheRule } from '../config.ts'
import { isExcluded } from '../policy/policy.ts'
import type { WarmTarget } from '../address/warm-target.ts'

/** What must be known of a virtual host to warm its pages. */
export interface WarmHost {
  domain: string
  aliases: readonly string[]
  suspended: boolean
  cache: CacheRule
  /** Which schemes visitors come over, and whether the cache keeps them apart. */
  schemes: 'http' | 'https' | 'both'
  /** Whether mobile devices get pages of their own. */
  mobileVariant: boolean
}

/** The virtual hosts whose pages may be warmed, and the server's rules of addresses. */
export interface WarmHosts {
  /** The virtual host that has this name; null for a foreign one. */
  find(name: string): WarmHost | null
  /** In the order of the configuration. */
  all(): readonly WarmHost[]
  /** The one spelling of a path without query; null when no request can have it. */
  normalizePath(path: string): string | null
  /** Whether the server listens on this port. */
  isOwnPort(port: number): boolean
}

/** What a URL means here, or why it is no page that can be warmed. */
export type ResolvedTargets = { targets: WarmTarget[] } | { reason: string }

const MAX_LENGTH = 8192

/** Why no page of this path can be warmed; null when it can. */
export const whyNotWarmed = (host: WarmHost, path: string): string | null => {
  if (host.suspended) return `${host.domain} is suspended`
  if (!host.cache.enable) return `the page cache is off for ${host.domain}`
  if (isExcluded(path, host.cache.exclude)) {
    return `the path is excluded from the cache of ${host.domain}`
  }
  return null
}

/** The path at a host, once for each form in which it is stored; `secure` picks a scheme. */
export const targetsAt = (
  host: WarmHost,
  name: string,
  path: string,
  secure: boolean | null = null,
): WarmTarget[] => {
  const { schemes } = host
  const wanted =
    schemes === 'both' ? (secure === null ? [true, false] : [secure]) : [schemes === 'https']
  return wanted.flatMap((one): WarmTarget[] => {
    const target = { host: name, path, secure: one }
    return host.mobileVariant ? [target, { ...target, mobile: true }] : [target]
  })
}

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * The targets that a URL or bare path means, or why it means none. Only pages of
 * our own virtual hosts come out: nothing is ever connected to, so addresses of
 * loopback, of neighbours and of metadata services are foreign names like all
 * others. A bare path goes to `domain`, or to every virtual host when it is null.
 */
export const resolveWarmUrl = (
  text: string,
  domain: string | null,
  hosts: WarmHosts,
): ResolvedTargets => {
  if (text === '') return { reason: 'the URL is empty' }
  if (text.length > MAX_LENGTH) return { reason: `longer than ${MAX_LENGTH} characters` }
  if (/[\p{Cc}\\\s]/u.test(text)) {
    return { reason: 'holds a blank, a backslash or a control character' }
  }
  const bare = text.startsWith('/') && !text.startsWith('//')
  const url = bare ? null : parse(text)
  if (!bare && url === null) {
    return { reason: 'neither a path that begins with "/" nor a URL such as https://example.com/' }
  }
  if (url !== null) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      return { reason: 'only http and https URLs have pages here' }
    }
    if (url.username !== '' || url.password !== '')
      return { reason: 'holds a user name or password' }
  }
  const plain = (text.split('#', 1)[0] ?? '').slice(0)
  if (plain.includes('?')) return { reason: 'pages with a query are not cached' }
  // The path as it was written: a URL object would already have resolved its dots.
  const raw = bare ? plain : plain.replace(/^[a-z]+:\/*[^/]*/i, '')
  const path = hosts.normalizePath(raw === '' ? '/' : raw)
  if (path === null) return { reason: 'no path that a request can have' }

  if (url === null && domain === null) {
    const all = hosts.all().filter((host) => whyNotWarmed(host, path) === null)
    if (all.length === 0) return { reason: 'no virtual host caches this path' }
    return { targets: all.flatMap((host) => targetsAt(host, host.domain, path)) }
  }
  const name = (url?.hostname ?? domain ?? '').toLowerCase().replace(/\.$/, '')
  const host = hosts.find(name)
  if (host === null) return { reason: `${name} is no virtual host of this server` }
  if (url !== null && url.port !== '' && !hosts.isOwnPort(Number(url.port))) {
    return { reason: `this server does not listen on port ${url.port}` }
  }
  const problem = whyNotWarmed(host, path)
  if (problem !== null) return { reason: problem }
  return { targets: targetsAt(host, name, path, url === null ? null : url.protocol === 'https:') }
}
