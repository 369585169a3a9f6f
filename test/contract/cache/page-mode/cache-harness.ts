import {
  type BodyEncoder,
  type CacheRule,
  type CacheStore,
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPurgeMarks,
  createPurgeSequencer,
  createSingleFlight,
  DEFAULT_CACHE_RULE,
  type FillCoordinator,
  type LayerSource,
  type LearnedCookies,
  type PageCacheContext,
  type PageCacheDeps,
  type PurgeScope,
} from '#edge-cache/index.ts'

/** An origin's answer for one path; the request is what the origin saw. */
export type Origin = (request: Request) => Response | Promise<Response>

export const html = (body: BodyInit | null, headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } })

export interface AskOptions {
  method?: string
  headers?: Record<string, string>
  rule?: Partial<CacheRule>
  secure?: boolean
  schemeMatters?: boolean
  primaryDomain?: string
  signal?: AbortSignal
  clientAddress?: string
  isTrustedProxy?: boolean
  learned?: LearnedCookies
}

/** Lower layers that both page caches of a test share, as the workers of one host do. */
export interface LowerLayer {
  source: LayerSource
  dispose(): Promise<void>
}

/** What runs `work` with a lower layer of its own. */
export const withLower =
  (createLower: () => Promise<LowerLayer>, work: (lower: LowerLayer) => Promise<void>) =>
  async (): Promise<void> => {
    const lower = await createLower()
    try {
      await work(lower)
    } finally {
      await lower.dispose()
    }
  }

export interface Harness {
  /** Requests that reached the origin, in order. */
  seen: Request[]
  origin: Origin
  nowMs: number
  ask(url: string, options?: AskOptions): Promise<Response>
  /** Body and `X-Cache` of a GET. */
  get(url: string, options?: AskOptions): Promise<{ body: string; xCache: string | null }>
  purge(scopes: PurgeScope[]): void
  /** Settles when nothing is done in the background any more. */
  idle(): Promise<void>
  cache: ReturnType<typeof createPageCache>
  layers: ReturnType<typeof createLayeredCache>
  marks: ReturnType<typeof createPurgeMarks>
}

/** A page cache with a scripted origin and a clock of its own: one worker. */
export const createHarness = (
  options: {
    l2?: LayerSource | null
    l1?: boolean
    coordinator?: FillCoordinator
    maxEntryBytes?: number
    followMs?: number
    enabled?: boolean
    encoder?: BodyEncoder
    page?: Partial<PageCacheDeps>
  } = {},
): Harness => {
  const marks = createPurgeMarks()
  const nowMs = (): number => harness.nowMs
  const layers = createLayeredCache({
    l1: options.l1 === false ? null : createMemoryStore({ limitBytes: 8 * 2 ** 20 }),
    l2: options.l2 ?? null,
    marks,
    nowMs,
  })
  const { maxEntryBytes, followMs, enabled, encoder } = options
  const running = new Set<Promise<unknown>>()
  const cache = createPageCache({
    defaultTtlSecs: 3600,
    layers,
    marks,
    coordinator: options.coordinator ?? createSingleFlight(),
    nowMs,
    ...(maxEntryBytes === undefined ? {} : { maxEntryBytes }),
    ...(followMs === undefined ? {} : { followMs }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(encoder ? { encoder } : {}),
    ...options.page,
    background(work) {
      running.add(work)
      void work.finally(() => running.delete(work))
    },
  })
  const sequencer = createPurgeSequencer({ marks, log: null, nowMs, onLogError: () => undefined })
  const harness: Harness = {
    seen: [],
    origin: () => html('hello'),
    nowMs: 1_700_000_000_000,
    async ask(url, { method = 'GET', headers = {}, signal, ...over } = {}) {
      const { hostname, pathname, protocol } = new URL(url)
      const context: PageCacheContext = {
        host: hostname,
        primaryDomain: over.primaryDomain ?? hostname,
        rule: { ...DEFAULT_CACHE_RULE, ...over.rule },
        secure: over.secure ?? protocol === 'https:',
        path: decodeURI(pathname),
        ...(over.learned ? { learned: over.learned } : {}),
        ...(over.schemeMatters === undefined ? {} : { schemeMatters: over.schemeMatters }),
        ...(over.clientAddress === undefined ? {} : { clientAddress: over.clientAddress }),
        ...(over.isTrustedProxy === undefined ? {} : { isTrustedProxy: over.isTrustedProxy }),
      }
      const request = new Request(url, { method, headers, ...(signal ? { signal } : {}) })
      return cache.handle(request, context, async (asked) => {
        harness.seen.push(asked)
        return harness.origin(asked)
      })
    },
    async get(url, over) {
      const response = await harness.ask(url, over)
      return { body: await response.text(), xCache: response.headers.get('x-cache') }
    },
    purge: (scopes) => void sequencer.purge(scopes),
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
    cache,
    layers,
    marks,
  }
  return harness
}

/** A promise and the function that fulfils it. */
export const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** A body whose pieces come when they are sent. */
export const pieces = (): {
  stream: ReadableStream<Uint8Array>
  send(text: string): void
  end(): void
  breakOff(): void
  cancelled: Promise<void>
} => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const cancel = gate()
  const stream = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own
    },
    cancel() {
      cancel.open()
    },
  })
  return {
    stream,
    send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    breakOff: () => controller?.error(new Error('connection lost')),
    cancelled: cancel.opened,
  }
}

/** A lower layer that keeps everything in a map; `store` may be broken on purpose. */
export const mapLayer = (): { source: LayerSource; store: CacheStore; opened: () => number } => {
  const store = createMemoryStore({ limitBytes: 64 * 2 ** 20 })
  let opened = 0
  return {
    store,
    opened: () => opened,
    source: {
      name: 'map',
      open: () => {
        opened++
        return store
      },
    },
  }
}
