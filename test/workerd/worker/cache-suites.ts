import { type CacheApi, createCacheApiStore, createMemoryStore } from '#edge-cache/index.ts'
import { runCases, type ContractCase } from '#test/contract/cache/page-mode/cache-case.ts'
import { mapLayer, type LowerLayer } from '#test/contract/cache/page-mode/cache-harness.ts'
import { cacheStoreContract } from '#test/contract/cache/cache-store.ts'
import { httpCacheContract } from '#test/contract/cache/http-mode/http-cache.ts'
import { managementContract } from '#test/contract/cache/management.ts'
import { pageCacheContract } from '#test/contract/cache/page-mode/page-cache.ts'
import { rfcContract } from '#test/contract/cache/rfc9111/rfc9111.ts'
import { warmContract } from '#test/contract/cache/warm.ts'

const nothing = (): Promise<void> => Promise.resolve()
const defaultCache = (): CacheApi => caches.default

const memoryBelow = (): Promise<LowerLayer> =>
  Promise.resolve({ source: mapLayer().source, dispose: nothing })
const cacheApiBelow = (): Promise<LowerLayer> => {
  const namespace = crypto.randomUUID()
  const open = () => createCacheApiStore(defaultCache(), { limitBytes: 16 * 2 ** 20, namespace })
  return Promise.resolve({ source: { name: 'cache-api', open }, dispose: nothing })
}

/** Every suite of the page cache that runs inside workerd, by name. */
const SUITES: Record<string, () => ContractCase[]> = {
  'store: memory': () =>
    cacheStoreContract((options) =>
      Promise.resolve({ store: createMemoryStore(options), dispose: nothing }),
    ),
  'store: Cache API': () =>
    cacheStoreContract((options) =>
      Promise.resolve({
        store: createCacheApiStore(defaultCache(), {
          ...options,
          namespace: crypto.randomUUID(),
        }),
        dispose: nothing,
      }),
    ),
  'page cache: memory': () => pageCacheContract(memoryBelow),
  'page cache: Cache API': () => pageCacheContract(cacheApiBelow),
  'http cache: memory': () => httpCacheContract(memoryBelow),
  'http cache: Cache API': () => httpCacheContract(cacheApiBelow),
  'shared cache: memory': () => rfcContract(memoryBelow),
  'shared cache: Cache API': () => rfcContract(cacheApiBelow),
  'warm queue': () => warmContract(),
  management: () => managementContract(),
}

/** `GET /` lists the suites with their cases; `GET /?suite=&case=` runs one and answers its error or null. */
export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const suite = SUITES[query.get('suite') ?? '']
    if (suite === undefined) {
      const all = Object.entries(SUITES).map(([name, cases]) => ({
        name,
        cases: cases().map((one) => one.name),
      }))
      return Response.json(all)
    }
    const wanted = suite()[Number(query.get('case'))]
    if (wanted === undefined) return Response.json({ error: 'There is no such case.' })
    const [result] = await runCases([wanted])
    return Response.json({ error: result?.error ?? null })
  },
}
