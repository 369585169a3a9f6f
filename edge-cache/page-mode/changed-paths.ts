import { isUnsafe } from '../http-mode/invalidation.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { purgePath } from '../purge/purge-scopes.ts'
import type { PurgeScope } from '../types.ts'

const WINDOW_MS = 3_600_000
/** Far below what marks may be in sum: one site's requests must not push out the marks of others. */
const ADDRESSES_PER_WINDOW = 500

/** Path of a reference in a response, where it leads to the same host; else null. */
const pathOnHost = (reference: string | null, base: URL): string | null => {
  if (reference === null) return null
  try {
    const url = new URL(reference, base)
    return url.host === base.host ? url.pathname : null
  } catch {
    return null
  }
}

/**
 * Paths that an unsafe request made invalid (RFC 9111, 4.4): its own, and those in
 * `Location` and `Content-Location` of the same host. None after an error, and none
 * for a safe method.
 */
export const changedPaths = (
  request: Request,
  context: Pick<PageCacheContext, 'path'>,
  response: Response,
): string[] => {
  if (!isUnsafe(request.method) || response.status < 200 || response.status > 399) return []
  const base = new URL(request.url)
  const named = ['location', 'content-location'].map((name) =>
    pathOnHost(response.headers.get(name), base),
  )
  return [...new Set([context.path, ...named.filter((path) => path !== null)])]
}

/**
 * Bounds what unsafe requests, which anybody can send to any address, leave in
 * purge marks. `isStored` is asked beyond that: an address without a page needs no
 * mark, but for a fill that is under way just then.
 */
export const createChangeBudget = (nowMs: () => number) => {
  const sites = new Map<string, { sinceMs: number; paths: Set<string> }>()
  return {
    /** The scopes to purge for these paths of the context's host. */
    async scopes(
      { host, primaryDomain }: Pick<PageCacheContext, 'host' | 'primaryDomain'>,
      paths: readonly string[],
      isStored: (path: string) => Promise<boolean>,
    ): Promise<PurgeScope[]> {
      const now = nowMs()
      const known = sites.get(primaryDomain)
      const own =
        known && now - known.sinceMs < WINDOW_MS
          ? known
          : { sinceMs: now, paths: new Set<string>() }
      sites.set(primaryDomain, own)
      const scopes: PurgeScope[] = []
      for (const path of paths) {
        const address = `${host}${path}`
        const isWithin = own.paths.has(address) || own.paths.size < ADDRESSES_PER_WINDOW
        if (isWithin) own.paths.add(address)
        else if (!(await isStored(path))) continue
        scopes.push(...purgePath(host, path))
      }
      return scopes
    },
  }
}
