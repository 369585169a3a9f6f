import { type PageCache, preferredCoding } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { isChallenge } from '#handlers/sites/acme-challenge.ts'
import { UNKNOWN_HOST_PAGE } from '#handlers/sites/responses/error-page.ts'
import { isHiddenPath } from '#handlers/sites/paths/path-rules.ts'
import { rootOf } from '#handlers/sites/paths/resolve-path.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { GOOD_MS, MAX_RENEWALS, RENEW_MS, type FileRequest } from './file-fast-path.ts'
import { FastFailure } from './fast-failure.ts'
import type { HttpClock } from '../http-clock.ts'
import type { ClassOfRequest } from '../head/request-class.ts'
import type { WholeResponse } from '../write/write-file.ts'

/** Fields of responses that are for one client or one path, or that we could not repeat. */
const SINGULAR = new Set(['age', 'date', 'set-cookie', 'trailer', 'etag', 'last-modified', 'link'])

/** Answers what bots ask all day: names that no site has, and paths where a site has nothing. */
export interface MissingFastPath {
  /**
   * What to answer a plain GET or HEAD with; null sends the request the slow path.
   * `isPlain`: the path was asked for in just this spelling, without a query.
   */
  find(request: FileRequest, path: string, isPlain: boolean, secure: boolean): FastFailure | null
  /** Counts that a site's one was given. */
  count(host: string, failure: FastFailure): void
  /** Whether the response to such a request, which the site has just made, is worth being remembered. */
  wants(request: FileRequest, secure: boolean, vhost: VirtualHostConfig): boolean
  /** Keeps our own 404 page as the site gave it where nothing was; `judgedAtMs` is a moment before it was asked. */
  remember(
    request: FileRequest,
    secure: boolean,
    vhost: VirtualHostConfig,
    judgedAtMs: number,
    answer: WholeResponse,
  ): void
}

interface Known {
  failure: FastFailure
  judgedAtMs: number
  renewals: number
}

/** What a script or an application answers is found out the slow path. */
const isStatic = ({ php, proxy }: VirtualHostConfig): boolean => !php.enable && proxy === null

/** The part of a path that decides: where the first directory is missing, all below it is. */
const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/**
 * The 404 of a site is one for all of its paths, as long as the site has no rules, no
 * page of its own for it, and nothing at the path. The first two were judged by the slow
 * way within the second, of the third the disk is asked each time. Everything that the
 * virtual host table says is asked for every request.
 */
export const createMissingFastPath = (deps: {
  hosts: () => VirtualHostTable
  /** Null: the page cache is off. */
  cache: Pick<PageCache, 'countRepeated'> | null
  classOf: ClassOfRequest
  /** Whether the rules of a virtual host are known to be none. */
  isUnruled(vhost: VirtualHostConfig): boolean
  /** Whether anything is at a path below a home; null where that must not be asked now. */
  isThere(home: string, path: string): boolean | null
  clock: HttpClock
}): MissingFastPath => {
  const { hosts, cache, classOf, clock } = deps
  const unknownHost = new FastFailure({
    fields: [...UNKNOWN_HOST_PAGE.fields, ['server', 'Berth']],
    body: Buffer.from(UNKNOWN_HOST_PAGE.body),
  })
  const known = new WeakMap<VirtualHostConfig, Map<string, Known>>()
  /** Where it lies; null: the slow path has to answer. */
  const placeOf = (
    request: FileRequest,
    secure: boolean,
    vhost: VirtualHostConfig,
  ): string | null => {
    const kind = classOf(request, vhost)
    if (kind === null) return null
    return `${secure ? 's' : ''}${kind}${preferredCoding(request.acceptEncoding) ?? ''}`
  }
  const isMissing = (vhost: VirtualHostConfig, path: string): boolean => {
    if (path === '/' || isChallenge(path)) return false
    // Whatever is there is not looked for.
    if (isHiddenPath(path)) return true
    // What is missing below the document root may be in a folder elsewhere.
    if (vhost.folders !== undefined) return false
    // Rules may lie anywhere on the way.
    const decides = vhost.htaccess ? firstSegment(path) : path
    return deps.isThere(vhost.home ?? vhost.root, rootOf(vhost) + decides) === false
  }

  return {
    find: (request, path, isPlain, secure) => {
      const vhost = hosts().find(request.host)
      if (vhost === null) {
        const isOther = request.host === '' || isChallenge(path) || hosts().isCaught(request.host)
        return isOther ? null : unknownHost
      }
      if (vhost.suspended || vhost.over_bandwidth || !isPlain || !isStatic(vhost)) return null
      if (vhost.redirect_https && !secure) return null
      const places = known.get(vhost)
      if (places === undefined) return null
      const place = placeOf(request, secure, vhost)
      const found = place === null ? undefined : places.get(place)
      if (found === undefined) return null
      const ageMs = clock.nowMs - found.judgedAtMs
      if (ageMs < 0 || ageMs >= GOOD_MS || !deps.isUnruled(vhost)) return null
      if (!isMissing(vhost, path)) return null
      if (ageMs < RENEW_MS || found.renewals >= MAX_RENEWALS) return found.failure
      found.renewals++
      return null
    },
    count: (host, { cacheStatus }) => {
      const vhost = hosts().find(host)
      if (cache !== null && cacheStatus !== null && vhost?.cache.enable === true)
        cache.countRepeated(vhost.domain, cacheStatus)
    },
    wants: (request, secure, vhost) => {
      if (hosts().find(request.host) !== vhost || !deps.isUnruled(vhost)) return false
      if (!isStatic(vhost)) return false
      // Which answers are not stored is not the same for all of its paths.
      if (vhost.cache.exclude.length > 0) return false
      const place = placeOf(request, secure, vhost)
      if (place === null) return false
      const found = known.get(vhost)?.get(place)
      return found === undefined || clock.nowMs - found.judgedAtMs >= RENEW_MS
    },
    remember: (request, secure, vhost, judgedAtMs, answer) => {
      if (answer.fields.some(([name]) => SINGULAR.has(name))) return
      const failure = new FastFailure(answer)
      if (failure.cacheStatus !== null && /; (?:hit|stored)/.test(failure.cacheStatus)) return
      const place = placeOf(request, secure, vhost)
      if (place === null || hosts().find(request.host) !== vhost) return
      let places = known.get(vhost)
      if (places === undefined) known.set(vhost, (places = new Map()))
      places.set(place, { failure, judgedAtMs, renewals: 0 })
    },
  }
}
