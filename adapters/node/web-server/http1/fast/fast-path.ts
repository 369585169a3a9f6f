import {
  boundedMemo,
  type CacheEntry,
  isExcluded,
  type PageAddress,
  type PageCache,
  type PageVariant,
  sameOrNewAddress,
} from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { editionAtPort } from '#handlers/sites/names/shown-host.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { CookieJudge, LearnedAt } from './fast-facts.ts'

/** What the fast path must know of a request beside its path. */
export interface FastRequest {
  /** Lower case, without port. */
  host: string
  /** The port that the client named with it; null: none. */
  port: number | null
  /** Value of Accept-Encoding; null when there is none. */
  acceptEncoding: string | null
  /** Which variant the client gets where a virtual host has several. */
  device(): Exclude<PageVariant, null>
  /** Whether a cookie of the request keeps its owner from the cache of a virtual host. */
  hasBypassCookie: CookieJudge
}

/** What the fast path must know of a connection. */
export type FastConnection = Pick<SiteContext, 'secure' | 'serverPort'>

/** Finds pages that can be answered without asking anything but the first cache layer. */
export interface FastPath {
  /**
   * A live entry for `path` at the requested virtual host, in the client's coding;
   * null sends the request the slow path. `known` keeps the page's address for the
   * next time.
   */
  find(
    request: FastRequest,
    path: string,
    connection: FastConnection,
    known?: { page: PageAddress | null } | null,
  ): CacheEntry | null
}

/** Paths on which verdicts are remembered per virtual host with exclusions. */
const PATHS = { maxTexts: 1000, maxLength: 256 }

/**
 * The fast path serves only what the virtual host table, asked for every request,
 * still allows: a known host, not suspended, cache on, no pending redirect to
 * https, path not excluded. So a reload closes a site on open connections too.
 */
export const createFastPath = (deps: {
  hosts: () => VirtualHostTable
  cache: PageCache | null
  /** Edition of the site's own rules that stored pages for a path must have; null: the rules must be asked. Default: there are no rules. */
  editionOf?: (host: VirtualHostConfig, path: string) => string | null
  /** See `portInKey`. Default: pages do not know of ports. */
  portInKey?: (asked: number | null, connection: FastConnection) => string
  /** `[cache] mobile_variant`, for virtual hosts that do not say. */
  mobileVariant: boolean
  /** Default: nothing was learned. */
  learnedAt?: LearnedAt
}): FastPath => {
  const { cache, hosts } = deps
  /** The edition that was put together last: requests of one kind come one after the other. */
  let last = { rules: '', port: '', edition: '' }
  const editionAt = (rules: string, port: string): string => {
    if (port === '') return rules
    if (last.port !== port || last.rules !== rules)
      last = { rules, port, edition: editionAtPort(rules, port) }
    return last.edition
  }
  const exclusions = new WeakMap<VirtualHostConfig, (path: string) => boolean>()
  const isExcludedAt = (host: VirtualHostConfig, path: string): boolean => {
    const patterns = host.cache.exclude
    if (patterns.length === 0) return false
    let isExcludedHere = exclusions.get(host)
    if (isExcludedHere === undefined)
      exclusions.set(
        host,
        (isExcludedHere = boundedMemo((one) => isExcluded(one, patterns), PATHS)),
      )
    return isExcludedHere(path)
  }
  if (cache === null) return { find: () => null }
  return {
    find: (request, path, connection, known = null) => {
      const { secure } = connection
      const host = hosts().find(request.host)
      if (host === null || host.suspended || host.over_bandwidth || !host.cache.enable) return null
      // Its rules look at more of a request than this way does.
      if (host.cache.mode === 'http') return null
      if (host.redirect_https && !secure) return null
      if (isExcludedAt(host, path)) return null
      if (request.hasBypassCookie(host, deps.learnedAt)) return null
      const variant = (host.cache.mobile_variant ?? deps.mobileVariant) ? request.device() : null
      const rules = deps.editionOf ? deps.editionOf(host, path) : ''
      if (rules === null) return null
      const edition = editionAt(rules, deps.portInKey?.(request.port, connection) ?? '')
      const kept = known === null ? null : known.page
      const page = sameOrNewAddress(kept, request.host, path, secure, variant, edition)
      if (known !== null && page !== kept) known.page = page
      return cache.lookupAt(page, request.acceptEncoding, host.domain)
    },
  }
}
