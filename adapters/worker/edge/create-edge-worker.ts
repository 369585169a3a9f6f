import { waitUntil } from 'cloudflare:workers'
import type { PageRefresh } from '#edge-cache/index.ts'
import { createManagementApp } from '#handlers/management/app.ts'
import { errorPage, unknownHostPage } from '#handlers/sites/responses/error-page.ts'
import product from '../../../package.json' with { type: 'json' }
import { createWorkerLog } from '../worker-log.ts'
import { parseCacheSettings } from './cache-settings.ts'
import type { EdgeEnv } from './env.ts'
import { createIsolatePages } from './isolate-pages.ts'
import { createEdgePort } from './management/edge-port.ts'
import { createEdgeWarm } from './management/edge-warm.ts'
import type { MarksPort } from './marks/page-marks.ts'
import { parseEdgeSites } from './sites/parse-edge-sites.ts'
import { serveSite, type SiteDeps } from './sites/serve-site.ts'

type Handle = (request: Request) => Promise<Response>

/** Of all isolates the one place: it is made near whoever asks first. */
const MARKS = 'marks'
const MIN_TOKEN_LENGTH = 16
const TOKEN_PLACE = 'It is the secret MANAGEMENT_TOKEN of this Worker.'

/** Lower case, without port and final dot. */
const hostOf = (request: Request): string => new URL(request.url).hostname.replace(/\.$/, '')

const compose = (env: EdgeEnv): Handle => {
  const log = createWorkerLog()
  const managementHost = env.MANAGEMENT_HOST?.trim().toLowerCase() || null
  const sites = parseEdgeSites({ ...env }, managementHost)
  const { config, problem } = parseCacheSettings(env.CACHE)
  for (const fault of [...sites.problems, ...(problem === null ? [] : [problem])])
    log.error('A variable of this Worker is wrong and was left out.', { fault })

  const onFault = (message: string, error: unknown): void =>
    log.warn(message, { error: error instanceof Error ? causes(error) : String(error) })
  const background = (work: Promise<unknown>): void => waitUntil(work)
  // One for each call: such an object belongs to the request that made it. Its type loses tuples.
  const marks = (): MarksPort => env.MARKS.getByName(MARKS) as unknown as MarksPort
  const pages = createIsolatePages({ config, marks, background, onFault })
  const token = env.MANAGEMENT_TOKEN ?? ''
  const isManaged = managementHost !== null && token.length >= MIN_TOKEN_LENGTH
  const deps: SiteDeps = {
    pages,
    token: isManaged ? token : null,
    assets: env.ASSETS ?? null,
    bound: (name) => Reflect.get(env, name) as Fetcher,
    onFault,
  }
  const serve = async (request: Request, refresh?: PageRefresh): Promise<Response> => {
    const host = hostOf(request)
    const site = sites.find(host)
    if (site === null) return unknownHostPage(request.method)
    return serveSite(request, site, host, deps, refresh)
  }

  if (managementHost !== null && !isManaged)
    log.error('There is no management API: MANAGEMENT_TOKEN needs at least 16 characters.')
  const warm = createEdgeWarm({ config, sites, ask: serve, background })
  const port = createEdgePort({ config, sites, pages, marks, warm, version: product.version })
  const manage = isManaged
    ? createManagementApp({
        port,
        token,
        tokenPlace: TOKEN_PLACE,
        allowedHosts: [managementHost],
        log,
      })
    : null

  return async (request) => {
    try {
      if (managementHost === null || hostOf(request) !== managementHost) return await serve(request)
      return manage === null ? errorPage(request.method, 404) : await manage(request)
    } catch (error) {
      onFault('A request could not be answered.', error)
      return errorPage(request.method, 500, { 'cache-control': 'no-store' })
    }
  }
}

const causes = (error: Error): string =>
  error.cause === undefined ? String(error) : `${error} because of ${String(error.cause)}`

/** What the runtime calls. */
export interface EdgeWorker {
  fetch(request: Request, env: EdgeEnv): Promise<Response>
}

/** Sites before their origins, with the page cache and its management API. */
export const createEdgeWorker = (): EdgeWorker => {
  let handle: Handle | null = null
  return { fetch: (request, env) => (handle ??= compose(env))(request) }
}
