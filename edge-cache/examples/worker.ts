import { waitUntil } from 'cloudflare:workers'
import { createCacheApiStore, createPolledFlight } from '../index.ts'
import { inFrontOf } from './in-front-of.ts'

/** Variables of the Worker. */
interface Env {
  ORIGIN: string
  PURGE_TOKEN: string
}

let front: ReturnType<typeof inFrontOf> | null = null

/** Made at the first request: a Worker may not open a cache before. */
const frontOf = async ({ ORIGIN, PURGE_TOKEN }: Env) => {
  const api = await caches.open('pages')
  // Of the request that is under way when it is called.
  const background = (work: Promise<unknown>): void => waitUntil(work)
  return (front ??= inFrontOf({
    origin: ORIGIN,
    purgeToken: PURGE_TOKEN,
    lower: { name: 'Cache API', open: () => createCacheApiStore(api, { limitBytes: 2 ** 28 }) },
    coordinator: createPolledFlight({ background }),
    background,
  }))
}

/**
 * The page cache as a Worker before one origin. What one isolate purges is unknown to the others;
 * `adapters/worker/edge` keeps the marks where all of them ask.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const handle = await frontOf(env)
    return handle(request, request.headers.get('cf-connecting-ip') ?? '')
  },
}
