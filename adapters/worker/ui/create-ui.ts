import { Server } from '#built-ui/index.js'
import { manifest } from '#built-ui/manifest.js'
import type { WorkerUi } from '../create-panel-worker.ts'
import type { Env } from '../env.ts'

/** The bindings of the API, and the files of the UI. */
export interface UiEnv extends Env {
  /** Static assets: `build/client`. */
  ASSETS: Fetcher
}

/** Their names hold a hash of what is in them. */
const IMMUTABLE = `/${manifest.appPath}/immutable/`
const FOR_EVER = 'public, max-age=31536000, immutable'

const isFile = (pathname: string): boolean =>
  pathname.startsWith(`/${manifest.appPath}/`) || manifest.assets.has(pathname.slice(1))

/**
 * The built UI: files from the Worker's static assets, pages by Kit's own server, which finds the API as
 * `publishPanel` leaves it.
 */
export const createUi = (): WorkerUi<UiEnv> => {
  const server = new Server(manifest)
  let isReady = false
  return async (request, { ASSETS }, clientAddress) => {
    const { pathname } = new URL(request.url)
    if (isFile(pathname) && (request.method === 'GET' || request.method === 'HEAD')) {
      const found = await ASSETS.fetch(request)
      if (!found.ok || !pathname.startsWith(IMMUTABLE)) return found
      const kept = new Response(found.body, found)
      kept.headers.set('cache-control', FOR_EVER)
      return kept
    }
    // Not a promise that requests share: one of an ended request never settles in a Worker.
    if (!isReady) await server.init({ env: {} })
    isReady = true
    return server.respond(request, { getClientAddress: () => clientAddress })
  }
}
