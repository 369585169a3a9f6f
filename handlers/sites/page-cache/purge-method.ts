import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { Log } from '../../ports/log.ts'
import { errorPage } from '../responses/error-page.ts'
import { isMisdirected } from '../names/misdirected.ts'
import { parseHost } from '../names/request-host.ts'
import { normalizeTarget } from '../paths/request-path.ts'
import type { SiteContext, SiteHandler } from '../site-context.ts'
import { scopesOfRequest } from './purge-request.ts'
import type { PurgeSite } from './site-purges.ts'
import type { VirtualHostTable } from '../names/virtual-host-table.ts'

/** Who may purge by the method PURGE. */
export interface PurgeRights {
  /**
   * Whether a process of the site's own account holds the other end of the connection now.
   * When it resolves, the request's signal tells of a connection that was gone before.
   */
  isOwner(vhost: VirtualHostConfig, context: SiteContext): Promise<boolean>
  /** Whether it is the token of the management API. */
  isToken(token: string): Promise<boolean>
}

/** Requests of one site that are carried out at once, and how many more a second. */
const BURST = 500
const PER_SEC = 100

/** Fields that a front server adds: what comes through one says nothing of who asks. */
const FORWARDED = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'],
  'cf-connecting-ip',
]

/** What a GET begins with that stands for PURGE of the rest, where a virtual host says so. */
const PURGE_PATH = '/purge/'

const createRate = (nowMs: () => number) => {
  const left = new Map<string, { count: number; atMs: number }>()
  /** Takes one; false when there is none. */
  return (domain: string): boolean => {
    const now = nowMs()
    const known = left.get(domain) ?? { count: BURST, atMs: now }
    const count = Math.min(BURST, known.count + ((now - known.atMs) * PER_SEC) / 1000)
    left.set(domain, { count: count < 1 ? count : count - 1, atMs: now })
    return count >= 1
  }
}

const plain = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(`${text}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      // Plugins read the response from a socket of their own.
      'content-length': String(text.length + 1),
      'cache-control': 'no-store',
      server: 'Berth',
      ...headers,
    },
  })

/**
 * Carries out PURGE before anything else of the site is asked: no redirect to https, no
 * rules, no password, no script. It is for processes of the site's own account on this
 * machine and for the token of the management API; everybody else gets 405 and changes
 * nothing. So it is with GET of `/purge/<path>` at virtual hosts with `purge_path`.
 * Virtual hosts without the page cache take it for any other method.
 */
export const withPurgeMethod = (
  site: SiteHandler,
  deps: {
    hosts: () => VirtualHostTable
    rights: PurgeRights
    purgeSite: PurgeSite
    log: Log
    nowMs: () => number
  },
): SiteHandler => {
  const { rights, log } = deps
  const isWithinRate = createRate(deps.nowMs)

  const mayPurge = async (
    { headers, signal }: Request,
    vhost: VirtualHostConfig,
    context: SiteContext,
  ): Promise<boolean> => {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if (token !== undefined) return rights.isToken(token)
    if (FORWARDED.some((name) => headers.has(name))) return false
    // Of a connection that was reset somebody else may have the port, and was judged.
    return (await rights.isOwner(vhost, context)) && !signal.aborted
  }

  return async (request, context) => {
    const isByPath = request.method === 'GET' && context.rawTarget.startsWith(PURGE_PATH)
    if (request.method !== 'PURGE' && !isByPath) return site(request, context)
    const name = parseHost(request.headers.get('host') ?? '')?.name
    const table = deps.hosts()
    const vhost = name === undefined ? null : table.find(name)
    const target = normalizeTarget(context.rawTarget)
    if (vhost === null || target === null || !vhost.cache.enable) return site(request, context)
    if (isByPath && !(vhost.cache.purge_path && target.path.startsWith(PURGE_PATH)))
      return site(request, context)
    if (vhost.suspended || vhost.over_bandwidth) return site(request, context)
    if (isMisdirected(table, vhost, context.serverName)) return site(request, context)
    try {
      if (!(await mayPurge(request, vhost, context))) {
        const headers = { allow: 'GET, HEAD, POST', 'cache-control': 'no-store', server: 'Berth' }
        return errorPage(request.method, 405, headers)
      }
      if (!isWithinRate(vhost.domain)) return plain(429, 'Too many.', { 'retry-after': '1' })
      const path = isByPath ? target.path.slice(PURGE_PATH.length - 1) : target.path
      const scopes = scopesOfRequest(request.headers, path, vhost)
      if (scopes.length > 0) await deps.purgeSite(vhost.domain, scopes)
      return plain(200, 'Purged.')
    } catch (error) {
      log.error('a purge failed', { domain: vhost.domain, error: String(error) })
      return errorPage(request.method, 500, { 'cache-control': 'no-store', server: 'Berth' })
    }
  }
}
