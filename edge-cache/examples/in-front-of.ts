import { cacheBefore, type CacheBeforeOptions, purgePath } from '../index.ts'

/** Where the pages come from, and who may purge them. */
export interface FrontOptions extends CacheBeforeOptions {
  /** `PURGE /path` with `Authorization: Bearer <this>` makes a page new. */
  purgeToken: string
}

/** The page cache before any origin, as one fetch-style handler with a way to purge. */
export const inFrontOf = ({ purgeToken, ...options }: FrontOptions) => {
  const pages = cacheBefore(options)
  return async (request: Request, clientAddress: string): Promise<Response> => {
    if (request.method !== 'PURGE') return pages.handle(request, clientAddress)
    if (request.headers.get('authorization') !== `Bearer ${purgeToken}`)
      return new Response('PURGE needs the token.\n', { status: 403 })
    const { hostname, pathname } = new URL(request.url)
    await pages.purge(purgePath(hostname, pathname))
    return new Response(null, { status: 204 })
  }
}
