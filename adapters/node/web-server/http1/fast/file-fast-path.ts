import { type PageCache, preferredCoding } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { isChallenge } from '#handlers/sites/acme-challenge.ts'
import type { WholeFile } from '#handlers/sites/site-context.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { FileMemory } from './file-memory.ts'
import { FastFile } from './fast-file.ts'
import type { LearnedAt } from './fast-facts.ts'
import type { FastRequest } from './fast-path.ts'
import type { HttpClock } from '../http-clock.ts'
import { createRequestClass } from '../head/request-class.ts'

/** As long a response is given again after it, and the rules, were judged. */
export const GOOD_MS = 1000
/** From this age on the next look-ups come to nothing, so that few requests go the slow path and no others have to. */
export const RENEW_MS = 750
/** More than one: HEAD and conditional requests renew nothing. */
export const MAX_RENEWALS = 4

/** What follows the first `?` of a request target; null without one. */
export const queryOf = (target: string): string | null => {
  const mark = target.indexOf('?')
  return mark === -1 ? null : target.slice(mark + 1)
}

/** A request for a file: what the fast path must know of it, and its query, null without one. */
export interface FileRequest extends Pick<
  FastRequest,
  'host' | 'hasBypassCookie' | 'acceptEncoding'
> {
  query: string | null
}

/** Gives answers with small files again, for at most a second after they were judged. */
export interface FileFastPath {
  /** What to answer a plain GET or HEAD with; null sends the request the slow path. */
  find(request: FileRequest, path: string, secure: boolean): FastFile | null
  /** Counts that it was given. */
  count(file: FastFile): void
  /**
   * Keeps the response to a plain GET without conditions that was the same for every
   * client: `file` is what the site told of it, `judgedAtMs` a moment before it was asked.
   */
  remember(
    request: FileRequest,
    secure: boolean,
    file: WholeFile,
    judgedAtMs: number,
    answer: { fields: readonly (readonly [string, string])[]; body: Buffer },
  ): void
}

/** Fields of responses that are for one client, or that we could not repeat. */
const SINGULAR = new Set(['age', 'date', 'set-cookie', 'trailer'])

/** Where answers to each class lie, without and with TLS. */
const SHELVES = [
  { '': 0, '?': 1, c: 2 },
  { '': 3, '?': 4, c: 5 },
] as const
const SHELF_COUNT = 6

/**
 * Where answers lie that are the same in all codings, or those to clients who prefer
 * this one. How a file is sent depends on nothing else that a client says of codings.
 */
const FLOORS = { all: 0, plain: 1, gzip: 2, br: 3 } as const
const floorOf = (shelf: number, floor: keyof typeof FLOORS): number =>
  shelf + SHELF_COUNT * FLOORS[floor]
const preferred = ({ acceptEncoding }: FileRequest): keyof typeof FLOORS =>
  preferredCoding(acceptEncoding) ?? 'plain'

const variesByCoding = (fields: readonly (readonly [string, string])[]): boolean =>
  fields.some(([name, value]) => name === 'vary' && /accept-encoding/i.test(value))

/**
 * Like the fast path of pages this serves only what the virtual host table, asked
 * for every request, still allows, under rules that are known and look at nothing
 * of the client. An entry belongs to one virtual host as it was configured, one
 * of its names, one scheme, one path, and one thing that the page cache says of
 * such requests. Everything else was judged by the slow path within the second.
 */
export const createFileFastPath = (deps: {
  hosts: () => VirtualHostTable
  /** Null: the page cache is off. */
  cache: Pick<PageCache, 'countRepeated'> | null
  /** See `SiteRules.fastEdition`. */
  editionOf: (host: VirtualHostConfig, path: string, withQuery: boolean) => string | null
  /** `[cache] ignore_query_params`, for virtual hosts that do not say. */
  ignoreQueryParams: readonly string[]
  /** Default: nothing was learned. */
  learnedAt?: LearnedAt
  /** Whether responses may be kept under a name of a virtual host. Default: under all. */
  mayKeep?: (host: VirtualHostConfig, name: string) => boolean
  clock: HttpClock
  /** About the most that all entries may take, bytes. */
  limitBytes: number
}): FileFastPath => {
  const { hosts, cache, editionOf, clock } = deps
  const memory = new FileMemory(deps.limitBytes)
  const classOf = createRequestClass({
    isOn: cache !== null,
    ignoreQueryParams: deps.ignoreQueryParams,
    ...(deps.learnedAt ? { learnedAt: deps.learnedAt } : {}),
  })

  return {
    find: (request, path, secure) => {
      const host = hosts().find(request.host)
      if (host === null || host.suspended || host.over_bandwidth) return null
      if (host.redirect_https && !secure) return null
      const kind = classOf(request, host)
      if (kind === null) return null
      const shelf = SHELVES[secure ? 1 : 0][kind]
      let place = floorOf(shelf, preferred(request))
      let file = memory.get(place, request.host, path)
      if (file === null) {
        place = floorOf(shelf, 'all')
        file = memory.get(place, request.host, path)
      }
      if (file === null) return null
      if (file.vhost !== host) {
        memory.delete(place, request.host, path)
        return null
      }
      const ageMs = clock.nowMs - file.judgedAtMs
      if (ageMs < 0 || ageMs >= GOOD_MS) return null
      if (editionOf(host, path, request.query !== null) !== file.edition) return null
      if (ageMs < RENEW_MS || file.renewals >= MAX_RENEWALS) return file
      file.renewals++
      return null
    },
    count: ({ vhost, cacheStatus }) => {
      if (cache !== null && cacheStatus !== null && vhost.cache.enable)
        cache.countRepeated(vhost.domain, cacheStatus)
    },
    remember: (request, secure, { vhost, path, edition }, judgedAtMs, { fields, body }) => {
      if (isChallenge(path)) return
      if (hosts().find(request.host) !== vhost) return
      if (deps.mayKeep?.(vhost, request.host) === false) return
      if (fields.some(([name]) => SINGULAR.has(name))) return
      const kind = classOf(request, vhost)
      if (kind === null || editionOf(vhost, path, request.query !== null) !== edition) return
      const shelf = SHELVES[secure ? 1 : 0][kind]
      const own = floorOf(shelf, preferred(request))
      const all = floorOf(shelf, 'all')
      const isOwn = variesByCoding(fields)
      const place = isOwn ? own : all
      // Found first, it would hide the new one.
      if (!isOwn) memory.delete(own, request.host, path)
      const before = memory.get(place, request.host, path)
      // Slow clients may hold the body of the same file already.
      const kept = before?.body.equals(body) === true ? before.body : body
      const sent = { vhost, edition, judgedAtMs, fields, body: kept }
      memory.put(place, request.host, path, new FastFile(sent), clock.nowMs)
    },
  }
}
