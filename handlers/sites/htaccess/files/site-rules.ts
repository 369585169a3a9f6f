import { hasBypassCookie } from '../../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../../domain/config/config-types.ts'
import type { Log } from '../../../ports/log.ts'
import type { Dependency } from '../../rewrite/variables.ts'
import type { RuleFiles } from '../../rule-files.ts'
import { encodePath } from '../../paths/request-path.ts'
import type { SiteFiles } from '../../site-files.ts'
import type { SiteCall } from '../../site-call.ts'
import { makePlan } from '../make-plan.ts'
import { createPageVariants } from '../page-variants.ts'
import { samePlan, type Plan } from '../plan.ts'
import type { PlanTrace } from '../plan-trace.ts'
import { explainPlan } from '../explain-plan.ts'
import { createRuleStore, RECHECK_MS } from './rule-store.ts'
import { createSharedRechecks } from '../shared-rechecks.ts'

/** A request's plan, and whether its response is the one that everybody gets. */
export interface Judgement {
  plan: Plan
  shared: boolean
}

/** The sites' own rules: `.htaccess` files and the keys `rewrites` and `rules`. */
export interface SiteRules {
  /** Whether a virtual host may have any. */
  applies(vhost: VirtualHostConfig): boolean
  /** Rejects with `OriginError` 503 when the site's rules cost more than its share. */
  judge(request: Request, call: SiteCall): Promise<Judgement>
  plan(request: Request, call: SiteCall): Promise<Plan>
  /**
   * As `plan`, by the files as they are now, telling `trace` what the rules do; `draft` stands
   * in place of the `.htaccess` of the document root (null: it says what it says). Answers the
   * texts that rules of the plan stand in too, by source.
   */
  explain(
    request: Request,
    call: SiteCall,
    asked: { trace: PlanTrace; draft: string | null },
  ): Promise<{ plan: Plan; textOf(source: string): Promise<string | null> }>
  /**
   * A request for a path may have changed files with rules (an application that writes
   * its own); resolves when what changed is known everywhere, or soon will be. Never
   * rejects. `file`: the path within the document root; null: it names none.
   */
  recheck(vhost: VirtualHostConfig, file: string | null): Promise<void>
  /** Files with rules of the virtual host changed: nothing counts any more without being looked at. */
  doubt(vhost: VirtualHostConfig): void
  /**
   * Whether a virtual host is known to have no rules for what lies in its root itself, nor
   * for what would lie in directories that are not there.
   */
  hasNone(this: void, vhost: VirtualHostConfig): boolean
  /**
   * Edition of the rules for a plain GET without query, cookies that count and
   * credentials, where it is known and no rule looks at more of the client; null
   * where the rules must be asked. `withQuery`: the request has a query, so no rule
   * may look at that either; default false.
   */
  fastEdition(
    this: void,
    vhost: VirtualHostConfig,
    path: string,
    withQuery?: boolean,
  ): string | null
}

/** What a path's rules came to, good as long as no rules of the virtual host change. */
interface Verdict {
  edition: string
  looksAtQuery: boolean
  version: number
  paths: readonly string[]
  checkedAtMs: number
  checking: boolean
}

/** Of one virtual host. */
const MAX_VERDICTS = 5000
/** Longer paths are asked for by nobody twice, but for who would fill the memory with them. */
const MAX_PATH_LENGTH = 1024
/** Text of paths over all virtual hosts, beyond which all verdicts are forgotten and made anew. */
const MAX_TEXT_LENGTH = 16 * 2 ** 20
/** What a verdict takes beside its path, about, in characters. */
const VERDICT_LENGTH = 256
/** Known to be the same for every request on the fast path. */
const SAME_WHEN_HOT: ReadonlySet<Dependency> = new Set(['none', 'authorization', 'query'])

/** A common browser without anything of its own; as the request that fills shared pages. */
const NEUTRAL = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
}

const applies: SiteRules['applies'] = (vhost) =>
  vhost.htaccess || vhost.rewrites.length > 0 || vhost.rules !== undefined

/** Rules of the sites of one process. */
export const createSiteRules = (deps: {
  files: SiteFiles
  ruleFiles: RuleFiles
  /** Told that files with rules of a virtual host changed, for other processes. Default: there are none. */
  changed?(vhost: VirtualHostConfig): Promise<void>
  log: Log
  nowMs: () => number
}): SiteRules => {
  const { nowMs } = deps
  const store = createRuleStore({ files: deps.ruleFiles, log: deps.log, nowMs })
  const planDeps = { ...deps, store }
  let verdicts = new WeakMap<VirtualHostConfig, Map<string, Verdict>>()
  let textLength = 0

  const remember = (vhost: VirtualHostConfig, path: string, plan: Plan, version: number): void => {
    if (path.length > MAX_PATH_LENGTH) return
    if (textLength > MAX_TEXT_LENGTH) {
      verdicts = new WeakMap()
      textLength = 0
    }
    let known = verdicts.get(vhost)
    if (!known) verdicts.set(vhost, (known = new Map()))
    if (known.size >= MAX_VERDICTS) known.clear()
    const { edition, paths } = plan
    if (!known.has(path)) {
      textLength += paths.reduce((sum, one) => sum + one.length, path.length + VERDICT_LENGTH)
    }
    const looksAtQuery = plan.dependencies.has('query')
    known.set(path, {
      ...{ edition, looksAtQuery, version, paths },
      ...{ checkedAtMs: nowMs(), checking: false },
    })
  }
  const recheck = async (vhost: VirtualHostConfig, verdict: Verdict): Promise<void> => {
    verdict.checking = true
    const startedMs = nowMs()
    try {
      for (const path of verdict.paths) await store.chain(vhost, path)
      verdict.checkedAtMs = startedMs
    } catch {
      // The next request asks the rules itself, and answers for what is wrong.
    }
    verdict.checking = false
  }
  const recheckShared = createSharedRechecks(async (vhost, files) => {
    try {
      if (await store.recheck(vhost, files)) await deps.changed?.(vhost)
    } catch {
      // The account's files wait too long; each request looks itself within a second.
    }
  })
  const variants = createPageVariants()
  const plan: SiteRules['plan'] = async (request, call) => {
    const made = await makePlan(request, call, planDeps)
    // A page is filled as the variant that was looked up, whatever the request that fills it says.
    return call.plan === undefined ? made : { ...made, variant: call.plan.variant }
  }

  /** What everybody without cookies, credentials and a known address would get. */
  const neutralPlan = ({ host, ...call }: SiteCall, mine: Plan): Promise<Plan> => {
    const { target, context } = call
    const bare = mine.dependencies.has('query') ? { ...target, query: null } : target
    // In its usual spelling: all spellings of a path have one page.
    const rawTarget = encodePath(target.path)
    const connection = { clientAddress: '0.0.0.0', clientPort: 0, protocol: 'HTTP/1.1' as const }
    const headers = new Headers({ ...NEUTRAL, host })
    return makePlan(
      { method: 'GET', headers },
      { ...call, host, target: bare, context: { ...context, ...connection, rawTarget } },
      planDeps,
    )
  }

  return {
    applies,
    plan,
    explain: (request, call, asked) => explainPlan(request, call, { ...planDeps, ...asked }),
    hasNone: (vhost) =>
      !applies(vhost) ||
      (vhost.rewrites.length === 0 && vhost.rules === undefined && store.isBare(vhost)),
    async judge(request, call) {
      const { vhost, target } = call
      const version = store.version(vhost)
      const mine = await plan(request, call)
      if (mine.answer !== null) return { plan: mine, shared: false }
      if (mine.uncached || !variants.admits(vhost, mine, request.headers)) {
        return { plan: mine, shared: false }
      }
      const depends = [...mine.dependencies].filter((one) => one !== 'none')
      if (depends.length > 0 && !samePlan(mine, await neutralPlan(call, mine))) {
        return { plan: mine, shared: false }
      }
      const shared = { ...mine, edition: variants.editionOf(mine) }
      // The fast path knows no cookies but those that keep their owners from the whole site's pages.
      const onFastPath =
        depends.every((one) => SAME_WHEN_HOT.has(one)) &&
        mine.varyCookies.every((name) => hasBypassCookie(`${name}=1`, vhost.cache.bypass_cookies))
      // What never looks at the query is decided for all queries at once.
      const forAll = target.query === null || !mine.dependencies.has('query')
      if (onFastPath && forAll && store.version(vhost) === version) {
        remember(vhost, target.path, shared, version)
      }
      return { plan: shared, shared: true }
    },
    async recheck(vhost, file) {
      if (vhost.htaccess) await recheckShared(vhost, file ?? '/')
    },
    doubt: (vhost) => store.doubt(vhost),
    fastEdition(vhost, path, withQuery = false) {
      if (!applies(vhost)) return ''
      const verdict = verdicts.get(vhost)?.get(path)
      if (!verdict || verdict.version !== store.version(vhost)) return null
      if (withQuery && verdict.looksAtQuery) return null
      const ageMs = nowMs() - verdict.checkedAtMs
      if (ageMs < RECHECK_MS) return verdict.edition
      if (ageMs >= 2 * RECHECK_MS) return null
      if (!verdict.checking) void recheck(vhost, verdict)
      return verdict.edition
    },
  }
}
