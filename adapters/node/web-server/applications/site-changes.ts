import type { Effect } from '#handlers/domain/profiles/profile.ts'

/** A site's pages are purged no more often. */
const PAUSE_MS = 2000
/** What a request without a response of its own (a scheduled task) does may take so long. */
const LATER_MS = 10_000
/** Such requests come often, and seldom change something. */
const LATER_PAUSE_MS = 300_000

interface Site {
  purgedAtMs: number
  timer: NodeJS.Timeout | null
  laterAtMs: number
  laterTimer: NodeJS.Timeout | null
}

/**
 * The primary's part of changes: the first of a site purges its pages at once, those
 * of the next two seconds together when these are over, so that the last one always
 * counts and a site that changes without end costs little.
 */
export class SiteChanges {
  readonly #sites = new Map<string, Site>()
  readonly #purge: (site: string) => Promise<unknown>

  constructor(purge: (site: string) => Promise<unknown>) {
    this.#purge = purge
  }

  /** Resolves when the change is purged, or at once where that follows. Rejects with the purge. */
  async changed(domain: string, effect: Exclude<Effect, 'none'>): Promise<void> {
    const site = this.#siteOf(domain)
    if (effect === 'later') return this.#scheduleLater(domain, site)
    if (site.timer !== null) return
    const waitMs = site.purgedAtMs + PAUSE_MS - performance.now()
    if (waitMs <= 0) return this.#purgeNow(domain, site)
    site.timer = setTimeout(() => {
      // A purge that fails is logged by who makes it.
      this.#purgeNow(domain, site).catch(() => undefined)
    }, waitMs)
  }

  /** Purges at once what would have followed. */
  async flush(): Promise<void> {
    const due = [...this.#sites].filter(([, { timer, laterTimer }]) => timer ?? laterTimer)
    await Promise.allSettled(
      due.map(([domain, site]) => {
        if (site.laterTimer !== null) clearTimeout(site.laterTimer)
        site.laterTimer = null
        return this.#purgeNow(domain, site)
      }),
    )
  }

  #siteOf(domain: string): Site {
    let site = this.#sites.get(domain)
    if (site === undefined) {
      site = { purgedAtMs: -Infinity, timer: null, laterAtMs: -Infinity, laterTimer: null }
      this.#sites.set(domain, site)
    }
    return site
  }

  #scheduleLater(domain: string, site: Site): void {
    if (site.laterTimer !== null) return
    const now = performance.now()
    const waitMs = Math.max(LATER_MS, site.laterAtMs + LATER_PAUSE_MS - now)
    site.laterTimer = setTimeout(() => {
      site.laterTimer = null
      site.laterAtMs = performance.now()
      this.changed(domain, 'now').catch(() => undefined)
    }, waitMs)
  }

  async #purgeNow(domain: string, site: Site): Promise<void> {
    if (site.timer !== null) clearTimeout(site.timer)
    site.timer = null
    site.purgedAtMs = performance.now()
    await this.#purge(domain)
  }
}
