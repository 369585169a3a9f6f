import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { parseHost } from '../names/request-host.ts'
import type { NormalTarget } from '../paths/request-path.ts'
import { configuredPage } from '../responses/configured-page.ts'
import type { RuleFiles } from '../rule-files.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteFiles } from '../site-files.ts'
import { compileGuard } from './compiled-guard.ts'
import type { CountedRequest, RequestMeter } from './request-meter.ts'
import type { GuardAnswer, GuardedRequest } from './guard-types.ts'
import { isHotlinkable, judgeGuard, judgeRewritten, protectionOf } from './judge-guard.ts'

/** What stands before sites whose settings say so. */
export interface SiteGuards {
  /** The answer in place of the site; null: it has a say. Only for virtual hosts with a guard. */
  stop(request: Request, call: SiteCall): Promise<Response | null>
  /** The same for what the site's own rules made of the request. */
  stopRewritten(request: Request, call: SiteCall, target: NormalTarget): Promise<Response | null>
  /** Says to caches on the way who may keep the response; one from the cache may not count for a limit. */
  mark(response: Response, call: SiteCall): void
}

/** Whether requests of a virtual host must be looked at one by one, whatever is stored of its pages. */
export const isGuarded = ({ guard }: VirtualHostConfig): boolean =>
  guard !== undefined && compileGuard(guard).isActive

/** Whether requests of a virtual host are counted. */
export const isLimited = ({ guard }: VirtualHostConfig): boolean =>
  guard !== undefined && compileGuard(guard).isLimited

/** Segments, decoded where they can be, without what stands for others. */
const settled = (path: string): string => {
  let text = path
  try {
    text = decodeURIComponent(path)
  } catch {
    // Bytes that are no UTF-8: they are in no name of a protected path.
  }
  const segments: string[] = []
  for (const segment of text.split(/[/\\]/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  const isFolder = segments.length > 0 && text.endsWith('/')
  return `/${segments.join('/')}${isFolder ? '/' : ''}`
}

/** The path as files, and applications that read escapes for themselves, would take it. */
export const guardedPath = ({ file, path }: NormalTarget): string =>
  file === null ? settled(path) : file.replace(/\/{2,}/g, '/')

/** A response that only some may see, as caches on the way are told of it. */
const asPrivate = (headers: Headers): void => {
  const words = (headers.get('cache-control') ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && !/^(?:public$|s-maxage\b|proxy-revalidate$)/i.test(word))
  if (!words.some((word) => /^(?:private|no-store)\b/i.test(word))) words.unshift('private')
  headers.set('cache-control', words.join(', '))
}

export const guardedRequestOf = (
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  { vhost, host, target, context }: Pick<SiteCall, 'vhost' | 'host' | 'target' | 'context'>,
  clientAddress: string,
): GuardedRequest | null =>
  vhost.guard === undefined
    ? null
    : {
        ...{ method, headers, vhost, guard: vhost.guard, host },
        port: parseHost(headers.get('host') ?? '')?.port ?? null,
        secure: context.secure,
        clientAddress,
        path: guardedPath(target),
        query: target.query,
        isOurs: context.refresh !== undefined || context.sample === true,
      }

export const createSiteGuards = (deps: {
  files: SiteFiles
  verifyPassword: RuleFiles['verifyPassword']
  /** Who asks, by what a trusted proxy says of it. Default: whoever the connection is with. */
  clientOf?: ((socketAddress: string, forwardedFor: string | null) => string) | undefined
  /** Default: nobody asks too often. */
  meter?: RequestMeter | undefined
  /** Told which setting answers. Default: nobody is. */
  stopped?: ((answer: GuardAnswer) => void) | undefined
}): SiteGuards => {
  const { clientOf, meter } = deps
  const counted = new WeakMap<SiteCall, CountedRequest>()
  const asking = (request: Request, call: SiteCall): GuardedRequest | null => {
    const { clientAddress } = call.context
    const client = clientOf?.(clientAddress, request.headers.get('x-forwarded-for'))
    return guardedRequestOf(request, call, client ?? clientAddress)
  }
  const respond = async (
    request: Request,
    call: SiteCall,
    answer: GuardAnswer | null,
  ): Promise<Response | null> => {
    if (answer === null) return null
    const { vhost } = call
    call.ours = true
    deps.stopped?.(answer)
    const { status, headers } = answer
    const response =
      status < 400
        ? new Response(null, { status, headers: { ...headers, 'content-length': '0' } })
        : await configuredPage(deps.files, request, vhost, status, headers)
    for (const [name, value] of Object.entries(vhost.headers)) response.headers.set(name, value)
    return response
  }
  return {
    async stop(request, call) {
      const asked = asking(request, call)
      if (asked === null) return null
      const count = ({ vhost, path, clientAddress }: GuardedRequest): number | null => {
        const taken = meter?.take(vhost, path, clientAddress, false)
        if (typeof taken === 'number') return taken
        if (taken !== undefined) counted.set(call, taken)
        return null
      }
      return respond(request, call, await judgeGuard(asked, deps.verifyPassword, count))
    },
    async stopRewritten(request, call, target) {
      const asked = asking(request, call)
      if (asked === null) return null
      const path = guardedPath(target)
      if (path === asked.path) return null
      return respond(request, call, await judgeRewritten(asked, path, deps.verifyPassword))
    },
    mark({ headers }, call) {
      const { vhost, target, plan } = call
      if (vhost.guard === undefined) return
      const own = headers.get('x-cache') === 'HIT' ? counted.get(call) : undefined
      if (own !== undefined) meter?.wasHit(own)
      const guard = compileGuard(vhost.guard)
      const path = guardedPath(target)
      const isForSome =
        guard.allow.length > 0 ||
        vhost.guard.maintenance.enabled ||
        protectionOf(guard, path) !== null ||
        (plan !== undefined && protectionOf(guard, guardedPath(plan.target)) !== null)
      if (isForSome) asPrivate(headers)
      if (isHotlinkable(guard, path)) headers.append('vary', 'Referer')
    },
  }
}
