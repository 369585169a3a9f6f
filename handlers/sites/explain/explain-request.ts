import { readTestAddress } from '../../domain/site-test/test-rules.ts'
import type { SiteTest, SiteTestResult } from '../../ports/host/web/site-test.ts'
import { isChallenge } from '../acme-challenge.ts'
import { createSiteGuards, isGuarded } from '../guard/site-guard.ts'
import type { SiteRules } from '../htaccess/files/site-rules.ts'
import { parseHost } from '../names/request-host.ts'
import { withoutForwarding } from '../origins/forwarding-fields.ts'
import { createSiteOrigin } from '../origins/site-origin.ts'
import { withoutPanelSession } from '../origins/without-panel-session.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteContext } from '../site-context.ts'
import { createSiteEntrance } from '../site-entrance.ts'
import { isRuled, type SiteHandlerDeps } from '../site-handler.ts'
import { dryOrigins, type DryOrigins } from './dry-origins.ts'
import { fillTexts } from './fill-texts.ts'
import { recordTrace, type TraceRecorder } from './record-trace.ts'

/** What an explainer is made of: what the sites' handler is made of. */
export type ExplainerDeps = Pick<
  SiteHandlerDeps,
  | 'hosts'
  | 'httpsPort'
  | 'files'
  | 'verifyPassword'
  | 'clientOf'
  | 'isTrustedProxy'
  | 'turns'
  | 'held'
> & { rules: SiteRules }

/** `not-there`: no site of that name; `not-of-site`: the address is another site's, or none. */
export type Explained = SiteTestResult | 'not-there' | 'not-of-site'

/** Thinks a request through. Rejects with `OriginError` 503 when the site's rules cost more than its share. */
export type ExplainRequest = (test: SiteTest) => Promise<Explained>

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

const requestOf = (test: SiteTest, host: string, target: string): Request => {
  const headers = new Headers(test.headers)
  headers.set('host', host)
  const url = `http://${host}${target}`
  return new Request(URL.canParse(url) ? url : `http://${host}/`, { method: test.method, headers })
}

/**
 * What the sites' handler would answer, and why: the same entrance, guard, rules and origin,
 * but for scripts and applications, which are named and not asked, and the page cache, which
 * is passed by. Nothing is counted or logged; the rules' cost is the site's.
 */
export const createExplainer = (deps: ExplainerDeps): ExplainRequest => {
  const { rules, hosts } = deps

  /** The response of what comes before the origin; null: the site answers. */
  const before = async (
    request: Request,
    call: SiteCall,
    test: SiteTest,
    recorder: TraceRecorder,
    { files }: DryOrigins,
  ): Promise<Response | null> => {
    const { vhost, target } = call
    const guards = createSiteGuards({
      files,
      verifyPassword: deps.verifyPassword ?? (async () => false),
      clientOf: deps.clientOf,
      stopped: ({ rule, status, headers }) => {
        const location =
          headers['location'] === undefined ? null : recorder.cut(headers['location'])
        recorder.add({ kind: 'guard', rule, status, location })
      },
    })
    const guarded = isGuarded(vhost) && !isChallenge(target.path)
    const stopped = guarded ? await guards.stop(request, call) : null
    if (stopped !== null) return stopped
    if (!isRuled(call, rules)) return null
    const { trace, steps, cut } = recorder
    const explained = await rules.explain(request, call, { trace, draft: test.draft })
    call.plan = explained.plan
    await fillTexts(steps, vhost.rewrites, explained, cut)
    return isGuarded(vhost) ? guards.stopRewritten(request, call, explained.plan.target) : null
  }

  return async (test) => {
    const address = readTestAddress(test.url)
    const { name, port } = parseHost(address?.host ?? '') ?? { name: '', port: null }
    const table = hosts()
    const site = table.find(test.domain)
    if (site === null) return 'not-there'
    if (address === null || (table.find(name) ?? table.answering(name)) !== site)
      return 'not-of-site'
    const { secure, host, target } = address
    const context: SiteContext = {
      ...{ clientAddress: test.clientAddress, clientPort: 50_000 },
      ...{ serverAddress: '127.0.0.1', serverPort: port ?? (secure ? 443 : 80) },
      ...{ secure, protocol: 'HTTP/1.1', rawTarget: target },
    }
    const { turns } = deps
    if (turns) context.turn = (part) => turns.enter(site.domain, test.method, target, part)
    const asked = withoutPanelSession(requestOf(test, host, target))
    const isTrusted = deps.isTrustedProxy?.(test.clientAddress) === true
    const request = isTrusted ? asked : withoutForwarding(asked)
    const recorder = recordTrace()
    const { steps, add, cut } = recorder
    const origins = dryOrigins(deps.files)
    const finish = (response: Response): SiteTestResult => {
      void response.body?.cancel()
      const outcome = origins.outcome(response)
      return { steps, outcome: { ...outcome, location: outcome.location && cut(outcome.location) } }
    }
    const call = createSiteEntrance(deps)(request, context)
    if (!('vhost' in call)) {
      const location = call.headers.get('location')
      add({ kind: 'entrance', status: call.status, location: location && cut(location) })
      return finish(call)
    }
    if (deps.held?.holds(site, call.target.path, isRuled(call, rules)) === true) {
      add({ kind: 'held', status: 503 })
      return finish(new Response(null, { status: 503 }))
    }
    const early = await before(request, call, test, recorder, origins)
    if (early !== null) return finish(early)
    const origin = createSiteOrigin({ ...origins, log: SILENT })
    return finish(await origin(request, call))
  }
}
