import {
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPurgeMarks,
  createPurgeSequencer,
  createSingleFlight,
  DEFAULT_CACHE_RULE,
  purgePath,
  type LayerSource,
} from '../index.ts'

/** Where the pages come from, and who may purge them. */
export interface FrontOptions {
  /** E.g. `http://127.0.0.1:3000`. */
  origin: string
  /** `PURGE /path` with `Authorization: Bearer <this>` makes a page new. */
  purgeToken: string
  /** A layer below the memory, such as the Cache API. Default: none. */
  lower?: LayerSource
  /** Whether all requests come through a proxy whose forwarding fields are true. Default: no. */
  isBehindProxy?: boolean
  /** Keeps the runtime alive for what goes on behind a response. Default: nothing is needed. */
  background?(work: Promise<unknown>): void
}

/** Memory for pages. */
const LIMIT_BYTES = 64 * 2 ** 20
const nowMs = (): number => Date.now()

/** The path as people read it; null where it cannot be read. */
const pathOf = ({ pathname }: URL): string | null => {
  try {
    return decodeURI(pathname)
  } catch {
    return null
  }
}

/**
 * The page cache before any origin, as one fetch-style handler. `clientAddress` is the
 * visitor's own: a response that shows it is never stored.
 */
export const inFrontOf = (options: FrontOptions) => {
  const { origin, purgeToken, lower, isBehindProxy = false, background } = options
  const marks = createPurgeMarks()
  const layers = createLayeredCache({
    l1: createMemoryStore({ limitBytes: LIMIT_BYTES }),
    l2: lower ?? null,
    marks,
    nowMs,
  })
  const cache = createPageCache({
    defaultTtlSecs: 3600,
    layers,
    marks,
    coordinator: createSingleFlight(),
    nowMs,
    ...(background ? { background } : {}),
  })
  // A log of purges is needed where pages outlive the process.
  const purges = createPurgeSequencer({ marks, log: null, nowMs, onLogError: () => undefined })

  const askOrigin = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    // Put together as text: taken for relative, the path `//name/…` would lead to another host.
    const asked = new Request(`${new URL(origin).origin}${pathname}${search}`, request)
    // fetch would decode the body and leave the field that says it is coded.
    asked.headers.set('accept-encoding', 'identity')
    return fetch(asked, { redirect: 'manual' })
  }

  return async (request: Request, clientAddress: string): Promise<Response> => {
    const url = new URL(request.url)
    const path = pathOf(url)
    if (path === null) return new Response('The path cannot be read.\n', { status: 400 })
    if (request.method === 'PURGE') {
      if (request.headers.get('authorization') !== `Bearer ${purgeToken}`)
        return new Response('PURGE needs the token.\n', { status: 403 })
      purges.purge(purgePath(url.hostname, path))
      return new Response(null, { status: 204 })
    }
    const context = {
      host: url.hostname,
      primaryDomain: url.hostname,
      rule: DEFAULT_CACHE_RULE,
      secure: url.protocol === 'https:',
      clientAddress,
      isTrustedProxy: isBehindProxy,
      path,
    }
    return cache.handle(request, context, askOrigin)
  }
}
