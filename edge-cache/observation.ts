import { HeavyHitters, type Tally } from './heavy-hitters.ts'

/** A GET or HEAD at a site that was not answered from the cache. */
export interface Observation {
  /** Primary domain. */
  site: string
  /** As in `Cache-Status`, or why the answer could not be stored; `[a-z-]`. */
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
const MAX_PATH = 512

/** What was seen at one site, in bounded room (at most about 50 KiB) whatever visitors send. */
export class SiteTally {
  readonly #reasons = new HeavyHitters(MAX_REASONS)
  readonly #cookies = new HeavyHitters(SLOTS)
  readonly #pages = new HeavyHitters(SLOTS)
  #clickIdsOnly = 0

  note({ reason, path, cookies, clickIdsOnly }: Omit<Observation, 'site'>): void {
    this.#reasons.add(reason)
    if (clickIdsOnly) this.#clickIdsOnly++
    for (const name of cookies) if (name.length <= MAX_COOKIE_NAME) this.#cookies.add(name)
    if (path !== null) this.#pages.add(path.slice(0, MAX_PATH), 1, reason)
  }

  add({ reasons, clickIdsOnly, cookies, pages }: SiteObservations): void {
    for (const [reason, count] of reasons) this.#reasons.add(reason, count)
    this.#clickIdsOnly += clickIdsOnly
    for (const [name, count] of cookies) this.#cookies.add(name, count)
    // Those that come often last, so that they do not lose their place to rare ones.
    for (const [path, count, note] of pages.toReversed()) this.#pages.add(path, count, note)
  }

  read(): SiteObservations {
    return {
      reasons: this.#reasons.read(),
      clickIdsOnly: this.#clickIdsOnly,
      cookies: this.#cookies.read(),
      pages: this.#pages.read(),
    }
  }
}

/** Observations by site, to be taken every few seconds. */
export interface Observations {
  note(observation: Observation): void
  /** What was seen since the last call, by primary domain. */
  take(): Record<string, SiteObservations>
}

/** Sites are those of the configuration, so there is a bound. */
export const createObservations = (): Observations => {
  let sites = new Map<string, SiteTally>()
  return {
    note({ site, ...seen }) {
      let own = sites.get(site)
      if (own === undefined) sites.set(site, (own = new SiteTally()))
      own.note(seen)
    },
    take() {
      const taken = sites
      sites = new Map()
      return Object.fromEntries([...taken].map(([site, tally]) => [site, tally.read()]))
    },
  }
}
