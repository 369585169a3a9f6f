import { hasIgnorableQuery } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { LearnedAt } from '../fast/fast-facts.ts'
import type { FastRequest } from '../fast/fast-path.ts'

/** What the page cache says of a request: has a query, has a cookie that bypasses it. */
export type RequestClass = '' | '?' | 'c'

/** What the page cache does with such requests, where it is not the same for all; null: answers come from it. */
export type ClassOfRequest = (
  request: Pick<FastRequest, 'hasBypassCookie'> & { query: string | null },
  host: VirtualHostConfig,
) => RequestClass | null

/** `isOn` false: the page cache is off. */
export const createRequestClass =
  (deps: {
    isOn: boolean
    /** `[cache] ignore_query_params`, for virtual hosts that do not say. */
    ignoreQueryParams: readonly string[]
    learnedAt?: LearnedAt
  }): ClassOfRequest =>
  (request, host) => {
    const { query } = request
    if (!deps.isOn || !host.cache.enable) return query === null ? '' : '?'
    if (host.cache.mode === 'http') return null
    if (query === null) return request.hasBypassCookie(host, deps.learnedAt) ? 'c' : ''
    const ignored = host.cache.ignore_query_params ?? deps.ignoreQueryParams
    return hasIgnorableQuery(`?${query}`, ignored) ? null : '?'
  }
