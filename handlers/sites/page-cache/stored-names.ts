import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { exactNames } from '../../domain/domains/wildcard-name.ts'

/** Names of one site, found by a wildcard, under which pages are stored at a time. */
export const MAX_STORED_NAMES = 1000
/** Names of one site that are remembered for having been asked once; as many again may be. */
const MAX_SEEN = 500
/** A name that was not asked for so long gives its place to another. */
const IDLE_MS = 3_600_000

interface Site {
  /** By name, when it was asked last, in this order. */
  stored: Map<string, number>
  young: Set<string>
  old: Set<string>
}

/**
 * Under which names pages of sites are stored. Names that are written down always may;
 * of those that a wildcard stands for, which whoever asks makes up, a name may from the
 * second request on, and a site has so many of them at a time. A flood of names thus takes
 * places of the site's own names, and none of the room of others.
 */
export class StoredNames {
  readonly #sites = new Map<string, Site>()
  readonly #exact = new WeakMap<VirtualHostConfig, ReadonlySet<string> | null>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether pages may be stored for a request at one of the site's names; it is noted that the name was asked for. */
  ask(vhost: VirtualHostConfig, host: string): boolean {
    if (this.#isExact(vhost, host)) return true
    const site = this.#siteOf(vhost.domain)
    const now = this.#nowMs()
    if (site.stored.delete(host)) {
      site.stored.set(host, now)
      return true
    }
    if (!site.young.has(host) && !site.old.has(host)) {
      this.#see(site, host)
      return false
    }
    if (site.stored.size >= MAX_STORED_NAMES) {
      const [oldest] = site.stored
      if (oldest === undefined || now - oldest[1] < IDLE_MS) return false
      site.stored.delete(oldest[0])
    }
    site.stored.set(host, now)
    return true
  }

  /** The same without a note. */
  may(vhost: VirtualHostConfig, host: string): boolean {
    return this.#isExact(vhost, host) || this.#sites.get(vhost.domain)?.stored.has(host) === true
  }

  #isExact(vhost: VirtualHostConfig, host: string): boolean {
    if (vhost.domain === host) return true
    let names = this.#exact.get(vhost)
    if (names === undefined) {
      const all = [vhost.domain, ...vhost.aliases]
      const exact = exactNames(all)
      // Without a wildcard every name that leads here is written down.
      names = exact.length === all.length ? null : new Set(exact)
      this.#exact.set(vhost, names)
    }
    return names === null || names.has(host)
  }

  #siteOf(domain: string): Site {
    let site = this.#sites.get(domain)
    if (site === undefined)
      this.#sites.set(domain, (site = { stored: new Map(), young: new Set(), old: new Set() }))
    return site
  }

  #see(site: Site, host: string): void {
    if (site.young.size >= MAX_SEEN) {
      site.old = site.young
      site.young = new Set()
    }
    site.young.add(host)
  }
}
