import { HeavyHitters, type Tally } from './heavy-hitters.ts'

/** A GET or HEAD at a site that was not answered from the cache. */
export interface Observation {
  /** Primary domain. */
  site: string
  /** As in `Cache-Status`, or why the response could not be stored; `[a-z-]`. */
  reason: string
  /** Null where it does not matter: of files, which are no pages. */
  path: string | null
  /** Names of the cookies that kept it from the cache; never their values. */
  cookies: readonly string[]
  /** Whether it went past the cache for a query of nothing but click ids. */
  clickIdsOnly: boolean
}

/** What was seen at a site. */
export interface SiteObservations {
  /** Requests by reason. */
  reasons: Tally[]
  /** Requests kept from the cache by a query of nothing but click ids. */
  clickIdsOnly: number
  /** Requests that cookies of this name kept from the cache. */
  cookies: Tally[]
  /** Paths not served from the cache, with the latest reason. */
  pages: Tally[]
}

const MAX_REASONS = 32
const SLOTS = 64
const MAX_COOKIE_NAME = 128
const MAX_PATH = 200
/** Of a site beside what it has seen. */
const SITE_BYTES = 600

/** What was seen at one site, in bounded room (at most about 80 KiB) whatever visitors send. */
export class SiteTally {
  readonly #reasons = new HeavyHitters(MAX_REASONS)
  readonly #cookies = new HeavyHitters(SLOTS)
  readonly #pages = new HeavyHitters(SLOTS)
  #clickIdsOnly = 0

  /** One request. Names of cookies over 128 characters are skipped, paths cut at 200. */
  note({ reason, path, cookies, clickIdsOnly }: Omit<Observation, 'site'>): void {
    this.#reasons.add(reason)
    if (clickIdsOnly) this.#clickIdsOnly++
    for (const name of cookies) if (name.length <= MAX_COOKIE_NAME) this.#cookies.add(name)
    if (path !== null) this.#pages.add(path.slice(0, MAX_PATH), 1, reason)
  }

  /** What another tally saw of the same site. */
  add({ reasons, clickIdsOnly, cookies, pages }: SiteObservations): void {
    for (const [reason, count] of reasons) this.#reasons.add(reason, count)
    this.#clickIdsOnly += clickIdsOnly
    for (const [name, count] of cookies) this.#cookies.add(name, count)
    // Those that come often last, so that they do not lose their place to rare ones.
    for (const [path, count, note] of pages.toReversed()) this.#pages.add(path, count, note)
  }

  /** What it holds in memory, rather too high. */
  get sizeBytes(): number {
    return SITE_BYTES + this.#reasons.sizeBytes + this.#cookies.sizeBytes + this.#pages.sizeBytes
  }

  /** Lets go of all cookies and pages but those that came most often. Of reasons there are few. */
  keep(most: number): void {
    this.#cookies.keep(most)
    this.#pages.keep(most)
  }

  /** All lists with what came most often first. */
  read(): SiteObservations {
    return {
      reasons: this.#reasons.read(),
      clickIdsOnly: this.#clickIdsOnly,
      cookies: this.#cookies.read(),
      pages: this.#pages.read(),
    }
  }
}

/** How many cookies and pages each site keeps where there is no room for more. */
const FEWER = [32, 16, 8, 4, 2, 1, 0]

/**
 * What was seen at all sites, in room that they share: where it is full, all keep
 * fewer of their cookies and pages, those that came most often, so that no site, and
 * nobody with many, takes from others what they need to see.
 */
export class SiteTallies {
  readonly #maxBytes: number
  #sites = new Map<string, SiteTally>()
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What all hold in memory, rather too high. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** One request at one site. */
  note({ site, ...seen }: Observation): void {
    this.#change(site, (tally) => tally.note(seen))
  }

  /** What another process saw of a site. */
  add(site: string, seen: SiteObservations): void {
    this.#change(site, (tally) => tally.add(seen))
  }

  /** Null for a site of which nothing was seen. */
  read(site: string): SiteObservations | null {
    return this.#sites.get(site)?.read() ?? null
  }

  /** Every site lets go of all cookies and pages but those that came most often. */
  keep(most: number): void {
    for (const tally of this.#sites.values()) tally.keep(most)
    this.#measure()
  }

  /** Everything, by primary domain, which is then gone. */
  take(): Record<string, SiteObservations> {
    const taken = this.#sites
    this.#sites = new Map()
    this.#sizeBytes = 0
    return Object.fromEntries([...taken].map(([site, tally]) => [site, tally.read()]))
  }

  #change(site: string, work: (tally: SiteTally) => void): void {
    const known = this.#sites.get(site)
    const tally = known ?? new SiteTally()
    const before = known?.sizeBytes ?? 0
    work(tally)
    this.#sites.set(site, tally)
    this.#sizeBytes += tally.sizeBytes - before
    if (this.#sizeBytes > this.#maxBytes) this.#makeRoom()
  }

  /** A part at once, so that it is not done for every visitor. */
  #makeRoom(): void {
    const enough = this.#maxBytes * 0.75
    for (const most of FEWER) {
      this.keep(most)
      if (this.#sizeBytes <= enough) return
    }
    // More sites than there is room for at all: they begin anew.
    this.#sites.clear()
    this.#sizeBytes = 0
  }

  #measure(): void {
    this.#sizeBytes = 0
    for (const tally of this.#sites.values()) this.#sizeBytes += tally.sizeBytes
  }
}

/** Observations by site, to be taken every few seconds. */
export interface Observations {
  /** One request; cheap enough for every one. */
  note(observation: Observation): void
  /** What was seen since the last call, by primary domain. */
  take(): Record<string, SiteObservations>
}

/** Of one worker, between two reports. */
const MAX_UNREPORTED_BYTES = 4 * 2 ** 20

/** What one worker saw and has not reported yet. */
export const createObservations = (): Observations => {
  const tallies = new SiteTallies(MAX_UNREPORTED_BYTES)
  return {
    note: (observation) => tallies.note(observation),
    take: () => tallies.take(),
  }
}
