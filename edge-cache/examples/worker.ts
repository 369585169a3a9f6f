import { createCacheApiStore } from '../index.ts'
import { inFrontOf } from './in-front-of.ts'

/** Variables of the Worker. */
interface Env {
  ORIGIN: string
  PURGE_TOKEN: string
}

interface Context {
  waitUntil(work: Promise<unknown>): void
}

let front: ReturnType<typeof inFrontOf> | null = null

/** Made at the first request: a Worker may not open a cache before. */
const frontOf = async ({ ORIGIN, PURGE_TOKEN }: Env, { waitUntil }: Context) => {
  const api = await caches.open('pages')
  return (front ??= inFrontOf({
    origin: ORIGIN,
    purgeToken: PURGE_TOKEN,
    lower: { name: 'Cache API', open: () => createCacheApiStore(api, { limitBytes: 2 ** 28 }) },
    // Cloudflare adds `cf-…` and `x-forwarded-…`, and lets nobody forge them.
    isBehindProxy: true,
    background: waitUntil,
  }))
}

/**
 * The page cache as a Worker before any origin. What one isolate purges is unknown to
 * the others: to tell all of them, keep the marks where all can read them.
 */
export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const handle = await frontOf(env, { waitUntil: (work) => context.waitUntil(work) })
    return handle(request, request.headers.get('cf-connecting-ip') ?? '')
  },
}
