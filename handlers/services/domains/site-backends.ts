import { MAX_BACKENDS } from '../../domain/site-settings/backends/backend-schema.ts'
import { invalid, notFound } from '../../errors.ts'
import type { BackendServer, SiteBackend } from '../../ports/host/site-settings.ts'
import type { UpstreamState } from '../../ports/host/web/upstream-state.ts'
import { DOMAIN_NOT_FOUND } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { RewriteSite } from './rewrite-site.ts'

/**
 * Whether a server gets requests: of all workers, of some (each finds out for itself), of none;
 * `unknown` of a single one that is not asked after its health, and while the web server does not run.
 */
export type ServerState = 'up' | 'partly' | 'down' | 'unknown'

/** A server with how it fares. */
export interface ServerView extends BackendServer {
  state: ServerState
  /** Since the workers of the web server started. */
  requests: number
  failures: number
}

/** A backend with how it fares; `missing`: of an application that is not there, or is no program. */
export interface BackendView extends Omit<SiteBackend, 'servers'> {
  state: ServerState | 'missing'
  servers: ServerView[]
}

/** What answers paths of a site in place of its files. Rejects with 404 for a domain that is not there. */
export interface SiteBackends {
  /** In the order in which they were added. */
  list(domainId: number): Promise<BackendView[]>
  /**
   * Adds one, or puts it in place of the one that its path has. Served so when it resolves, without a
   * page from before. 400 bad value, 409 an alias, or the account is not active. Whether an
   * `internal` one may be set is for the caller to say.
   */
  put(domainId: number, backend: SiteBackend): Promise<BackendView[]>
  /** 404 where the path has none. */
  remove(domainId: number, path: string): Promise<BackendView[]>
}

const stateOf = ({ workers, up }: UpstreamState): ServerState =>
  up === 0 ? 'down' : up < workers ? 'partly' : 'up'

const togetherOf = (states: readonly ServerState[]): ServerState => {
  if (states.every((one) => one === states[0])) return states[0] ?? 'unknown'
  return 'partly'
}

export const createSiteBackends = ({
  store,
  host,
  log,
  rewrite,
}: Pick<ServiceDeps, 'store' | 'host' | 'log'> & { rewrite: RewriteSite }): SiteBackends => {
  const statesOf = async (domain: string): Promise<Map<string, UpstreamState>> => {
    try {
      const all = await host.webServer.upstreams({ domain })
      return new Map(all.map((one) => [one.upstream, one]))
    } catch (error) {
      // What is set is worth more than how it fares.
      log.warn('the web server does not tell of backends', { domain, error: String(error) })
      return new Map()
    }
  }
  const programs = async (accountId: number): Promise<Set<string>> => {
    const { rows } = await store.listApplications({ accountId })
    return new Set(rows.filter((one) => one.start_command !== null).map(({ name }) => name))
  }

  const view = async (id: number, backends: readonly SiteBackend[]): Promise<BackendView[]> => {
    const domain = await store.domainById(id)
    if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
    if (backends.length === 0) return []
    const [states, known] = await Promise.all([
      statesOf(domain.domain_name),
      programs(domain.account_id),
    ])
    return backends.map((backend) => {
      const servers = backend.servers.map((server): ServerView => {
        const found = states.get(server.url)
        return {
          ...server,
          state: found === undefined ? 'unknown' : stateOf(found),
          requests: found?.requests ?? 0,
          failures: found?.failures ?? 0,
        }
      })
      const isMissing = backend.application !== null && !known.has(backend.application)
      return {
        ...backend,
        servers,
        state: isMissing ? 'missing' : togetherOf(servers.map(({ state }) => state)),
      }
    })
  }

  return {
    async list(id) {
      return view(id, (await store.siteSettings(id))?.backends ?? [])
    },
    async put(id, backend) {
      const { backends } = await rewrite(id, async (before, account) => {
        const { application, path } = backend
        if (application !== null && !(await programs(account.id)).has(application))
          throw invalid(
            'application',
            `application ${application} is none of the account's programs.`,
          )
        const at = before.backends.findIndex((one) => one.path === path)
        if (at === -1 && before.backends.length >= MAX_BACKENDS)
          throw invalid('path', `path: a site has ${MAX_BACKENDS} backends at most.`)
        return {
          ...before,
          backends: at === -1 ? [...before.backends, backend] : before.backends.with(at, backend),
        }
      })
      return view(id, backends)
    },
    async remove(id, path) {
      const { backends } = await rewrite(id, (before) => {
        if (!before.backends.some((one) => one.path === path))
          throw notFound(`No backend answers ${path}.`)
        return { ...before, backends: before.backends.filter((one) => one.path !== path) }
      })
      return view(id, backends)
    },
  }
}
