import type { PurgeScope } from '../types.ts'
import type { HttpCall } from './http-entry.ts'
import { uriTag } from './uri-tag.ts'

/** Methods that change nothing (RFC 9110, 9.2.1, and the registry of methods). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY'])

/** Whether the method may change something; one that is not known may (RFC 9110, 9.2.1). */
export const isUnsafe = (method: string): boolean => !SAFE.has(method.toUpperCase())

/** Path in the spelling of keys, as well as it can be known here. */
const spelledOut = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const absolute = (reference: string, base: URL): URL | null => {
  try {
    return new URL(reference, base)
  } catch {
    return null
  }
}

/**
 * What an unsafe request that succeeded (2xx, 3xx) invalidates: its own address,
 * and those in Location and Content-Location where they have the same origin, so
 * that no site can empty another's cache (RFC 9111, 4.4). Empty after an error.
 */
export const invalidated = (call: HttpCall, response: Response): PurgeScope[] => {
  const { context, key, query, request } = call
  if (response.status < 200 || response.status > 399) return []
  const tags = new Set([uriTag(key.host, context.path, query)])
  const own = new URL(request.url)
  for (const name of ['location', 'content-location']) {
    const target = response.headers.get(name)
    const url = target === null ? null : absolute(target, own)
    if (url?.host !== own.host || url.protocol !== own.protocol) continue
    const itsQuery = url.search === '' ? null : url.search.slice(1)
    for (const path of [url.pathname, spelledOut(url.pathname)]) {
      tags.add(uriTag(key.host, path, itsQuery))
    }
  }
  return [...tags].map((tag) => ({ kind: 'tag', tag }))
}

/**
 * Sends invalidations on in batches: what comes while one is under way goes
 * together in the next, so that many unsafe requests cost the purge sequence
 * little. The promise settles when the invalidation is in force.
 */
export const createInvalidator = (
  purge: (scopes: readonly PurgeScope[]) => Promise<void>,
): ((scopes: readonly PurgeScope[]) => Promise<void>) => {
  let waiting = new Map<string, PurgeScope>()
  let under: Promise<void> | null = null
  let following: Promise<void> | null = null

  const run = (): Promise<void> => {
    const batch = [...waiting.values()]
    waiting = new Map()
    following = null
    // Somebody else's batch has taken them along.
    if (batch.length === 0) return under ?? Promise.resolve()
    const work = purge(batch)
    under = work
    const done = (): void => {
      if (under === work) under = null
    }
    work.then(done, done)
    return work
  }
  return (scopes) => {
    if (scopes.length === 0) return Promise.resolve()
    for (const scope of scopes) waiting.set(JSON.stringify(scope), scope)
    if (under === null) return run()
    following ??= under.then(run, run)
    return following
  }
}
