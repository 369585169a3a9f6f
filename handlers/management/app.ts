import { IttyRouter, type IRequestStrict } from 'itty-router'
import { AppError, invalid, isAppError, notFound } from '../errors.ts'
import type { Log } from '../ports/log.ts'
import { serveStatus } from './serve-status.ts'
import { carriesToken, requireOwnHost, tokenRequired } from './access.ts'
import { serveWarm } from './serve-warm.ts'
import type { ManagementPort } from './management-port.ts'
import { maskCacheConfig } from './mask-secrets.ts'
import { METRICS_CONTENT_TYPE } from './metrics-text.ts'
import { metricsText } from './metrics.ts'
import { readPurge } from './purge-input.ts'
import { statisticsView } from './statistics-view.ts'

export interface ManagementDeps {
  port: ManagementPort
  /** Bearer token; at least 16 characters, or nothing would be protected. */
  token: string
  /** Where the token is, said to who asks without it. Default: its file on a host. */
  tokenPlace?: string
  /** Further hosts of the listener, when it is not on loopback alone. */
  allowedHosts?: readonly string[]
  log: Pick<Log, 'error'>
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const json = (data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(data), { status, headers: { ...HEADERS, ...headers } })

/** `{error}`; a fault of ours is logged and answered with a fixed text. */
const failure = (error: unknown, log: ManagementDeps['log']): Response => {
  if (isAppError(error)) return json({ error: error.message }, error.status, error.headers)
  log.error('The management API failed.', { error })
  return json({ error: 'Internal server error. The cause is in the error log.' }, 500)
}

interface Route {
  method: 'GET' | 'POST'
  path: string
  /** Answered without a token. */
  open?: boolean
  /** A `Response` is sent as it is, anything else as JSON. `known`: whether the token was given. */
  answer(request: Request, known: boolean): unknown
}

/** A body would be ignored, and with it perhaps the limits of a purge. */
const refuseBody = async (request: Request): Promise<void> => {
  const reader = request.body?.getReader()
  if (!reader) return
  const { value, done } = await reader.read()
  await reader.cancel()
  if (!done && value.byteLength > 0) {
    throw invalid('body', 'A purge takes no body. Give domain, path or tag as query parameters.')
  }
}

const refuseQuery = (request: Request): void => {
  const [name] = new URL(request.url).searchParams.keys()
  if (name !== undefined) {
    throw invalid(name, `Unknown parameter "${name}". This endpoint takes none.`)
  }
}

const routes = (port: ManagementPort): Route[] => [
  { method: 'GET', path: '/health', open: true, answer: () => ({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/api/v1/status',
    open: true,
    answer: (_request, known) => serveStatus(port, known),
  },
  {
    method: 'GET',
    path: '/api/v1/cache/config',
    answer() {
      const { cache, virtual_hosts } = port.cacheConfig()
      return { cache: maskCacheConfig(cache), virtual_hosts }
    },
  },
  {
    method: 'GET',
    path: '/api/v1/cache/stats',
    answer: async () => ({
      ...statisticsView(await port.cacheStats()),
      ...(port.warm === undefined ? {} : { warm: port.warm.report() }),
    }),
  },
  {
    method: 'GET',
    path: '/api/v1/upstreams',
    answer: async () => ({ upstreams: await port.upstreams() }),
  },
  {
    method: 'POST',
    path: '/api/v1/cache/warm',
    answer: (request) => serveWarm(request, port.warm),
  },
  {
    method: 'GET',
    path: '/metrics',
    answer: async () => {
      const headers = { ...HEADERS, 'content-type': METRICS_CONTENT_TYPE }
      return new Response(await metricsText(port), { headers })
    },
  },
  {
    method: 'POST',
    path: '/api/v1/cache/purge',
    async answer(request) {
      await refuseBody(request)
      const query = new URL(request.url).searchParams
      const { scopes, ...asked } = readPurge(query, (domain) => port.namesOf(domain))
      return { purged: true, ...asked, ...(await port.purge(scopes)) }
    },
  },
]

/**
 * The web server's own API, `/api/v1/*` and `/health`: plain JSON, `{error}` on
 * failure. It belongs on loopback and unix sockets, never on the sites' ports.
 */
export const createManagementApp = (deps: ManagementDeps): ((r: Request) => Promise<Response>) => {
  if (deps.token.length < 16) {
    throw new Error(
      'The management token is shorter than 16 characters. Remove its file and restart.',
    )
  }
  const router = IttyRouter<IRequestStrict>()
  const dispatch = async (route: Route, request: Request): Promise<Response> => {
    const known = carriesToken(request, deps.token)
    if (!route.open && !known) throw tokenRequired(deps.tokenPlace)
    const allowed = route.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
    if (!allowed.includes(request.method)) {
      const allow = allowed.join(', ')
      throw new AppError(405, `${request.method} is not possible here. Use ${allow}.`, {
        headers: { allow },
      })
    }
    if (route.method === 'GET') refuseQuery(request)
    const answer = await route.answer(request, known)
    return answer instanceof Response ? answer : json(answer)
  }
  for (const route of routes(deps.port)) {
    router.all(route.path, (request) => dispatch(route, request))
  }
  router.all('*', (request) => {
    if (!carriesToken(request, deps.token)) throw tokenRequired(deps.tokenPlace)
    throw notFound('There is no such endpoint. The management API lies under /api/v1/.')
  })

  return async (request) => {
    const answer = async (): Promise<Response> => {
      try {
        requireOwnHost(request, deps.allowedHosts ?? [])
        return (await router.fetch(request)) as Response
      } catch (error) {
        return failure(error, deps.log)
      }
    }
    const response = await answer()
    if (request.method !== 'HEAD') return response
    return new Response(null, { status: response.status, headers: response.headers })
  }
}
