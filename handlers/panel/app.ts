import { Router } from 'itty-router'
import type { IRequest } from 'itty-router'
import { trimEndOf } from '../../edge-cache/fields/field-text.ts'
import { clientAddress } from '../domain/text/client-address.ts'
import { fail } from '../envelope.ts'
import { AppError, notFound } from '../errors.ts'
import { createAuditNames } from '../services/audit/names.ts'
import { createPanelHosts } from '../services/on-hosts/panel-hosts.ts'
import { createPanelNames } from '../services/panel-names.ts'
import { createServices } from '../services/services.ts'
import type { Trace } from './audit/trail.ts'
import { withAuditTrail } from './audit/trail.ts'
import type { PanelApp, PanelContext, PanelDeps } from './deps.ts'
import { authenticate } from './access/guard.ts'
import { assertForLocal, LOCAL_ADMIN } from './users/local-admin.ts'
import { authorizeRoute, changesSomething } from './access/policy.ts'
import type { Route } from './frame/route.ts'
import { allRoutes } from './routes.ts'
import { serveRoute } from './frame/serve-route.ts'

/** A path in exactly the form the table has: no doubled or trailing slash. */
const isPlainPath = (pathname: string): boolean =>
  !pathname.includes('//') && !pathname.endsWith('/')

/**
 * The panel's REST API. Every request meets, in this order: routing, the guard
 * (unless the route is open), the policy, the input's schemas, the handler. Without a valid token
 * everything but the paths of the open routes is 401, whatever path or method it names.
 */
export const createPanelApp = (deps: PanelDeps): PanelApp => {
  if (deps.jwtSecret.length < 32) throw new Error('jwtSecret must have at least 32 characters')
  const homeBase = trimEndOf(deps.config.homeBase, '/')
  const panelNames = createPanelNames(deps, deps.config.machineNames ?? [])
  const { judges, turns } = deps
  // What goes on behind an answer is nobody's request any more, and in nobody's turn; jobs say themselves whose they are.
  const background: PanelDeps['background'] = {
    run(name, work) {
      const unjudged = (): Promise<void> => judges.run(null, work)
      deps.background.run(name, () => turns?.run(null, unjudged) ?? unjudged())
    },
  }
  const services = createServices(
    { ...deps, host: createPanelHosts(deps), background, homeBase, panelNames },
    { setupToken: deps.config.setupToken ?? null },
  )
  const router = Router<IRequest, [PanelContext], Response | undefined>()

  const nameOf = createAuditNames(deps.store)
  /** Once, before the request is carried out: what it deletes has no name afterwards. */
  const nameParams = async (
    route: Route,
    params: Readonly<Record<string, string>>,
    trace: Trace,
  ): Promise<void> => {
    if (changesSomething(route)) trace.found ??= await nameOf(route.path, params)
  }

  const enter = async (
    route: Route & { open?: false },
    request: IRequest,
    ownOrigin: string,
    local: boolean,
    trace: Trace,
  ) => {
    const { params } = request
    if (local) {
      trace.caller = LOCAL_ADMIN
      await nameParams(route, params, trace)
      assertForLocal(route)
      return LOCAL_ADMIN
    }
    const options = route.changesState === undefined ? {} : { changesState: route.changesState }
    const caller = await authenticate(request, deps, ownOrigin, options)
    if (caller.role === 'admin') await panelNames.seen(ownOrigin)
    trace.caller = caller
    await nameParams(route, params, trace)
    authorizeRoute(caller, route)
    return caller
  }

  const serve = (route: Route, request: IRequest, context: PanelContext): Promise<Response> => {
    const ownOrigin = context.origin ?? new URL(request.url).origin
    const arrival = {
      request,
      clientAddress: clientAddress(
        context.clientAddress,
        request.headers.get('x-forwarded-for'),
        deps.config.trustedProxies ?? [],
      ),
      secure: context.secure,
      ownOrigin,
    }
    const { params } = request
    const { audit, jobs } = services
    return withAuditTrail(audit, { route, params, ...arrival }, nameOf, (trace) => {
      const letIn = (guarded: Route & { open?: false }) =>
        enter(guarded, request, ownOrigin, context.local === true, trace)
      return serveRoute(route, params, arrival, letIn, { jobs, judges }, (sent) => {
        trace.sent = sent
      })
    })
  }

  const routes = allRoutes(deps, services)
  const openPaths = new Set(routes.filter(({ open }) => open).map(({ path }) => path))
  for (const route of routes) {
    if (!route.open && route.job) services.jobs.register(route.job.kind, route.job.recover)
    const handler = (request: IRequest, context: PanelContext) => serve(route, request, context)
    const verb = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete'
    router[verb](route.path, handler)
    // RFC 9110, 9.3.2: HEAD is GET without the body, which is cut below.
    if (verb === 'get') router['head']?.(route.path, handler)
  }

  /** What no route took: 405 with `Allow` where another method would fit, else 404; 401 comes first but on open paths. */
  const missing = async (request: Request, context: PanelContext): Promise<never> => {
    const { origin, pathname } = new URL(request.url)
    if (!openPaths.has(pathname) && context.local !== true)
      await authenticate(request, deps, context.origin ?? origin)
    const allowed = isPlainPath(pathname)
      ? router.routes.filter(([, pattern]) => pattern.test(pathname)).map(([method]) => method)
      : []
    if (allowed.length === 0) throw notFound(`There is nothing at ${pathname}.`)
    throw new AppError(405, `${request.method} is not possible here.`, {
      headers: { allow: [...new Set(allowed)].join(', ') },
    })
  }

  const answer = async (request: Request, context: PanelContext): Promise<Response> => {
    try {
      const { pathname } = new URL(request.url)
      const response = isPlainPath(pathname) ? await router.fetch(request, context) : undefined
      return response ?? (await missing(request, context))
    } catch (error) {
      return fail(error, (fault) =>
        deps.log.error('request failed', {
          method: request.method,
          url: request.url,
          error: describe(fault),
        }),
      )
    }
  }

  const app = async (request: Request, context: PanelContext): Promise<Response> => {
    const response = await answer(request, context)
    if (request.method !== 'HEAD') return response
    await response.body?.cancel()
    return new Response(null, response)
  }
  return Object.assign(app, {
    settleOpenOperations: services.settleOpenOperations,
    settleAbandoned: services.settleAbandoned,
    dispatchEvents: () => services.events.dispatch(),
    async collectTraffic() {
      await services.bandwidth.collect()
      await services.cache.sample()
    },
    noteDatabaseSizes: () => services.databaseSizes.note(),
    collectFigures: () => services.figures.collect(),
    async probeHosts() {
      await services.hosts.probe()
      await services.moves.removeDueCopies()
    },
    bringFronts: () => services.fronts.bring(),
    async tellTrust() {
      await services.hosts.tellTrust()
    },
    rotateOwnKeys: () => services.hosts.rotateOwnKeys(),
    rotateCertificates: () => services.hosts.rotateCertificates(),
    sampleHost: () => services.metrics.sample(),
    keepSamples: () => services.metrics.flush(),
    renewCertificates: () => services.certificates.autoRenew(),
    goOnWithOrders: () => services.waitingOrders.goOn(),
    scheduledBackups: (signal?: AbortSignal) => services.schedules.runDue(signal),
    tellOverdueBackups: () => services.schedules.tellOverdue(),
    proveBackups: () => services.proofs.proveDue(),
    tellNotifications: () => services.notifications.turn(),
    lookForTroubles: () => services.notifications.look(),
    takeUpCron: () => services.cron.takeUp(),
    tickCron: () => services.cron.tick(),
    takePushes: () => services.pushes.take(),
    tellSftp: () => services.sftp.tellHost(),
    tellMail: () => services.mail.tellHost(),
    collectMailNews: () => services.mail.collectNews(),
    collectLogins: () => services.sftpLogins.collect(),
    databaseTool: services.databaseTool,
    checkDatabaseTool: () => services.databaseTool.check(),
    beginDatabaseTool: () => services.databaseTool.begin(),
    setupDone: () => services.auth.setupDone(),
  })
}

/** Stack and causes, for the log only. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack ?? error.message}${error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`}`
}
