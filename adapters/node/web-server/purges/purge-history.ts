import { hasControlCharacters } from '#handlers/domain/text/control-characters.ts'
import type { PurgeScope } from '#edge-cache/index.ts'
import type { NotedPurge } from '#handlers/ports/host/cache/page-cache.ts'
import { describedScopes } from './described-scopes.ts'

/** Purges that are kept of each site. */
const KEPT = 50
const MAX_CAUSE = 128
/** What repeats itself within this is one purge that was made several times. */
const SAME_MS = 60_000

const isSame = (one: NotedPurge, other: NotedPurge): boolean =>
  one.cause === other.cause &&
  one.scope === other.scope &&
  one.count === other.count &&
  one.items.join('\n') === other.items.join('\n')

/**
 * The last purges of each site since the web server's start, with what caused them.
 * A cause is a word, and after a colon who or what it was:
 *
 * - `panel:<user>`, `token:<user>`: through the panel's API
 * - `files:<user>`: what was written in the panel's file manager
 * - `cli`: `berth cache purge` or the management API
 * - `rules`: the site's configuration changed
 * - `php`: a response field of the site's own PHP
 * - `purge-method`: a PURGE request of the site's account
 * - `script`: a script file that made pages is another one now
 * - `unsafe-request`: a POST or the like that succeeded
 * - `profile`, `profile:<application>`: a request that is known to change pages of the application
 * - `unknown`
 */
export class PurgeHistory {
  readonly #nowMs: () => number
  readonly #siteOf: (host: string) => string | null
  readonly #sites = new Map<string, NotedPurge[]>()
  /** Purges of everything. */
  #ofAll: NotedPurge[] = []

  /** `siteOf`: the primary domain of the virtual host that answers to a name; null for none. */
  constructor(deps: { nowMs(): number; siteOf(host: string): string | null }) {
    this.#nowMs = deps.nowMs
    this.#siteOf = deps.siteOf
  }

  note(scopes: readonly PurgeScope[], cause = 'unknown'): void {
    const at = { at_ms: this.#nowMs(), times: 1 }
    const told = hasControlCharacters(cause) ? 'unknown' : cause.slice(0, MAX_CAUSE)
    if (scopes.some(({ kind }) => kind === 'all')) {
      const purge: NotedPurge = { ...at, scope: 'all', items: [], count: 1, cause: told }
      this.#ofAll = this.#added(this.#ofAll, purge)
      return
    }
    for (const [site, what] of describedScopes(scopes, this.#siteOf)) {
      const made = what.scope === 'scripts' ? 'script' : told
      const before = this.#sites.get(site) ?? []
      this.#sites.set(site, this.#added(before, { ...at, ...what, cause: made }))
    }
  }

  /** Latest first. */
  read(site: string): NotedPurge[] {
    return [...(this.#sites.get(site) ?? []), ...this.#ofAll]
      .sort((a, b) => b.at_ms - a.at_ms)
      .slice(0, KEPT)
  }

  #added(all: NotedPurge[], purge: NotedPurge): NotedPurge[] {
    const last = all.at(-1)
    if (last !== undefined && isSame(last, purge) && purge.at_ms - last.at_ms < SAME_MS)
      return [...all.slice(0, -1), { ...purge, times: last.times + 1 }]
    return [...all, purge].slice(-KEPT)
  }
}
