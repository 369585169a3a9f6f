import type { AskOrigin, PageCacheContext } from '../address/page-context.ts'
import { type CacheRule, DEFAULT_CACHE_RULE } from '../config.ts'
import { isForwardingField } from '../fields/forwarding-fields.ts'
import { createSingleFlight } from '../fills/single-flight.ts'
import { createPurgeMarks } from '../purge/marks.ts'
import { createPurgeSequencer, type PurgeLog } from '../purge/purge-sequencer.ts'
import { createLayeredCache, type LayerSource } from '../stores/layered.ts'
import { createMemoryStore } from '../stores/memory/memory.ts'
import type { FillCoordinator, PurgeScope } from '../types.ts'
import { createPageCache } from './create-page-cache.ts'
import type { PageCache } from './page-cache.ts'

/** Where pages come from; the rest has defaults. */
export interface CacheBeforeOptions {
  /** Address of the origin, e.g. `https://origin.example.com`, or what answers in its place. */
  origin: string | ((request: Request) => Promise<Response>)
  /** How long a page is kept whose origin says nothing of it. Default: an hour. */
  ttlSecs?: number
  /** Memory for pages. Default: 64 MiB. */
  memoryBytes?: number
  /** What differs from `DEFAULT_CACHE_RULE`. */
  rule?: Partial<CacheRule>
  /** A layer below the memory, such as the Cache API. Default: none. */
  lower?: LayerSource
  /** Keeps purges where the pages of `lower` outlive the process. Default: nothing does. */
  log?: PurgeLog
  /**
   * Whether all requests come through a proxy that sets every forwarding field itself. Default: no; then
   * these fields are taken away, and the origin is told what the runtime knows.
   */
  isBehindProxy?: boolean
  /** Who asks for a page that several want. Default `createSingleFlight`; in Workers `createPolledFlight`. */
  coordinator?: FillCoordinator
  /** Keeps the runtime alive for what goes on behind a response. Default: nothing is needed. */
  background?(work: Promise<unknown>): void
}

/** The page cache before one origin. */
export interface CacheBefore {
  /**
   * Answers a request. `clientAddress` is the visitor's own, which the runtime knows: a response
   * that shows it is never stored. Rejects where the origin cannot be reached and no page stands in.
   */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** Makes pages new, e.g. `purgePath('example.com', '/news')`; settles when that will not be forgotten. */
  purge(scopes: readonly PurgeScope[]): Promise<void>
  cache: PageCache
}

const MEMORY_BYTES = 64 * 2 ** 20
const TTL_SECS = 3600
const nowMs = (): number => Date.now()

/** The path as people read it; null where it cannot be read. */
const pathOf = ({ pathname }: URL): string | null => {
  try {
    return decodeURI(pathname)
  } catch {
    return null
  }
}

const withoutForwarding = (request: Request): Request => {
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()]) if (isForwardingField(name)) headers.delete(name)
  return new Request(request, { headers })
}

/** Passes requests on to an address. `said`: whether forwarding fields are there already. */
const askAt = (origin: string, context: PageCacheContext, said: boolean): AskOrigin => {
  const base = new URL(origin).origin
  const { host, secure, clientAddress } = context
  return (request, as = 'visitor') => {
    const { pathname, search } = new URL(request.url)
    // Put together as text: taken for relative, the path `//name/…` would lead to another host.
    const asked = new Request(`${base}${pathname}${search}`, request)
    // fetch would decode the body and leave the field that says it is coded.
    asked.headers.set('accept-encoding', 'identity')
    if (!said) {
      asked.headers.set('x-forwarded-host', host)
      asked.headers.set('x-forwarded-proto', secure ? 'https' : 'http')
      if (as === 'visitor' && clientAddress !== undefined && clientAddress !== '')
        asked.headers.set('x-forwarded-for', clientAddress)
    }
    return fetch(asked, { redirect: 'manual' })
  }
}

/** Puts a page cache together before one origin, with memory for pages. */
export const cacheBefore = (options: CacheBeforeOptions): CacheBefore => {
  const { origin, background, isBehindProxy = false } = options
  const marks = createPurgeMarks()
  const layers = createLayeredCache({
    l1: createMemoryStore({ limitBytes: options.memoryBytes ?? MEMORY_BYTES }),
    l2: options.lower ?? null,
    marks,
    nowMs,
  })
  const cache = createPageCache({
    defaultTtlSecs: options.ttlSecs ?? TTL_SECS,
    layers,
    marks,
    coordinator: options.coordinator ?? createSingleFlight(),
    nowMs,
    ...(background ? { background } : {}),
  })
  const log = options.log ?? null
  const purges = createPurgeSequencer({
    ...{ marks, log, nowMs },
    // Whoever purges is told: the promise of `kept` rejects.
    onLogError: (error) =>
      Promise.reject(error instanceof Error ? error : new Error(String(error))),
  })
  const rule = { ...DEFAULT_CACHE_RULE, ...options.rule }

  return {
    cache,
    async handle(request, clientAddress) {
      const url = new URL(request.url)
      const path = pathOf(url)
      if (path === null) return new Response('The path cannot be read.\n', { status: 400 })
      const context: PageCacheContext = {
        host: url.hostname,
        primaryDomain: url.hostname,
        rule,
        secure: url.protocol === 'https:',
        clientAddress,
        isTrustedProxy: isBehindProxy,
        path,
      }
      const asked = isBehindProxy ? request : withoutForwarding(request)
      const ask = typeof origin === 'string' ? askAt(origin, context, isBehindProxy) : origin
      return cache.handle(asked, context, ask)
    },
    async purge(scopes) {
      purges.purge(scopes)
      await purges.kept()
    },
  }
}
