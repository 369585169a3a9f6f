import { nextRound } from '../../../edge-cache/index.ts'
import { textOf } from '../../domain/config/site/site-texts.ts'
import { isTooDeep } from '../paths/path-rules.ts'
import { applicationAt, passesOn } from '../origins/proxy-origin.ts'
import { isUnseen, rootOf } from '../paths/resolve-path.ts'
import { isCacheVariable, noCacheWords } from '../rewrite/cache-flags.ts'
import { PatternLimit } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import { runRules, type RewriteEffects } from '../rewrite/run-rules.ts'
import type { Dependency } from '../rewrite/variables.ts'
import type { RuleFiles } from '../rule-files.ts'
import type { SiteCall } from '../site-call.ts'
import type { SiteFiles } from '../site-files.ts'
import { responseOfAccess } from './access/access-response.ts'
import {
  redirectedEnvironment,
  setConditionalEnvironment,
  setPlainEnvironment,
} from './environment.ts'
import { decideHeaders } from './decide-headers.ts'
import { createFileTest } from './file-test.ts'
import { findRedirect } from './find-redirect.ts'
import { effectiveRules, isRewriting } from './files/merge-rewrite.ts'
import { ownChain } from './files/own-rules.ts'
import { mergeSettings } from './files/merge-settings.ts'
import { phpSettingsOf } from './php-settings.ts'
import type { Plan } from './plan.ts'
import type { PlanEnd, PlanTrace } from './plan-trace.ts'
import { statusResponse, targetOf, uriOf, type Answer, type Step } from './plan-step.ts'
import type { RuleStore } from './files/rule-store.ts'
import type { Settings } from './files/settings.ts'
import { locateScript, settlePath } from './settle-path.ts'
import { rewritesOf } from './vhost-rewrites.ts'

export interface PlanDeps {
  store: RuleStore
  files: SiteFiles
  ruleFiles: RuleFiles
  nowMs: () => number
  /** Who wants to know what the rules do. Default: nobody. */
  trace?: PlanTrace
}

/** Internal redirects of one request, as Apache limits them. */
const MAX_ROUNDS = 10
/** Steps of patterns, and of texts filled in, for one request: some ten milliseconds. */
const STEPS = 400_000
/** Steps after which others have their turn: some milliseconds. */
const STEPS_AT_ONCE = 50_000

/** Whether `CacheDisable` names the path or what lies above it. */
const isCacheOff = (settings: Settings | null, path: string): boolean =>
  settings?.uncached.some((prefix) => path.startsWith(prefix)) === true

/**
 * Takes a request through the rules: those of the virtual host, then those of the
 * directories, in Apache's order (variables, access, rewriting, redirects), again
 * for each address they lead to, at most ten times.
 */
export const makePlan = async (
  request: Pick<Request, 'method' | 'headers'>,
  call: Pick<SiteCall, 'vhost' | 'host' | 'target' | 'context'>,
  deps: PlanDeps,
): Promise<Plan> => {
  const { vhost, context, host } = call
  const { store, files, ruleFiles, trace } = deps
  context.turn?.('rules')
  // A site whose share is used up does no more work.
  store.charge(vhost, 0)
  const budget = { left: STEPS }
  let charged = 0
  /** Requests that wait for each other's files use the same share. */
  const charge = (): void => {
    const used = STEPS - budget.left
    const more = used - charged
    charged = used
    store.charge(vhost, more)
  }
  let restedAt = 0
  /** Where nothing is waited for, all rounds would be one turn of the event loop. */
  const rest = async (): Promise<void> => {
    const used = STEPS - budget.left
    if (used - restedAt < STEPS_AT_ONCE) return
    restedAt = used
    await nextRound()
    context.turn?.('rules')
  }
  const dependencies = new Set<Dependency>()
  const editions = new Set<string>()
  const paths: string[] = []
  const verdicts: boolean[] = []
  const effects: RewriteEffects = {
    ...{ cookies: [], type: null, handler: null },
    cache: noCacheWords(),
  }
  let { target } = call
  let settings: Settings | null = null
  let rewritten = false
  let missing = false
  let backend = null as string | null
  /** Header rules that wait for the response; `mixed`: some of them also ask who is asking. */
  let answering = false
  let mixed = false

  const rules: RuleRequest = {
    method: request.method,
    headers: request.headers,
    context,
    vhost,
    host,
    uri: uriOf(target),
    query: target.query ?? '',
    filename: '',
    pathInfo: '',
    env: new Map(),
    user: '',
    nowMs: deps.nowMs(),
    budget,
    inner: false,
    testFile: createFileTest(files, vhost),
    trace,
  }
  const end = (why: PlanEnd, status: number): Answer => {
    trace?.ended(why, status)
    return statusResponse(status)
  }

  const rewrite = async (list: Parameters<typeof runRules>[0]): Promise<Step | null> => {
    const before = rules.uri
    context.turn?.('rules')
    const result = await runRules(list, rules, effects)
    if (result.kind === 'status') return { kind: 'answer', answer: statusResponse(result.status) }
    if (result.kind === 'text') {
      const { name } = result
      const text = textOf(vhost, name)
      const answer = text ? { ...statusResponse(text.status), text: name } : statusResponse(500)
      return { kind: 'answer', answer }
    }
    if (result.kind === 'redirect') {
      const { status, location } = result
      return { kind: 'answer', answer: { status, location, realm: null } }
    }
    if (result.kind === 'unchanged' || result.kind === 'pass') {
      if (result.kind === 'pass') effects.type = null
      return result.kind === 'pass' ? result : null
    }
    rules.query = result.query
    if (result.path === before) {
      if (!result.final) return null
      return { kind: 'go', path: before, query: result.query, rewriting: false, inner: false }
    }
    // A type is for the file that the rule stood for, not for the one it leads to.
    if (list.directory !== null) effects.type = null
    const { path, query, final } = result
    trace?.onward('rules', path, query)
    return { kind: 'go', path, query, rewriting: !final, inner: false }
  }
  /** Which header rules hold, now that all variables are set. */
  const settleHeaders = async (merged: Settings): Promise<void> => {
    const told = await decideHeaders(merged, rules, verdicts)
    answering ||= told.answering
    mixed ||= told.mixed
  }
  /** What somebody is answered who may not see it; null: he may. */
  const judgeAccess = async (merged: Settings): Promise<Answer | null> => {
    await setConditionalEnvironment(merged, rules)
    const refused = await responseOfAccess(merged, rules, ruleFiles)
    if (refused) trace?.shutOut(refused)
    return refused
  }
  const round = async (rewriting: boolean): Promise<Step> => {
    const step = await walk(rewriting)
    if (settings !== null) await settleHeaders(settings)
    return step
  }
  const walk = async (rewriting: boolean): Promise<Step> => {
    const passes = passesOn(vhost, target.path)
    const script = passes ? rules.uri : await locateScript(rules, files)
    rules.filename = `${rootOf(vhost)}${script}`
    paths.push(script)
    const chain = passes ? ownChain(vhost) : await store.chain(vhost, script, context)
    // Others had their turns while files were looked at.
    context.turn?.('rules')
    charge()
    await rest()
    trace?.round(rules.uri, rules.query, script, chain)
    for (const { hash, rules: parsed, failure } of chain) {
      editions.add(hash)
      parsed?.dependencies.forEach((one) => dependencies.add(one))
      if (failure !== null) return { kind: 'answer', answer: statusResponse(failure) }
    }
    if (chain.length === 0 && settings === null && !rewritten)
      return { kind: 'stay', missing: false }
    const name = script.slice(script.lastIndexOf('/') + 1)
    const merged = await mergeSettings(chain, name, rules, verdicts)
    settings = merged
    await rest()
    const refused = await judgeAccess(merged)
    if (refused) return { kind: 'answer', answer: refused }
    let next: Step | null = null
    if (rewriting && merged.rewrite && isRewriting(merged.rewrite)) {
      const { directory, base } = merged.rewrite
      const address = { uri: rules.uri, filename: rules.filename }
      next = await rewrite({ rules: effectiveRules(merged.rewrite), directory, base })
      // A path that an application was given by name is no rule's to give away.
      if (next?.kind === 'pass' && (applicationAt(vhost, target.path)?.paths ?? null) !== null)
        next = null
      Object.assign(rules, address)
      if (next?.kind === 'answer') return next
    } else if (merged.rewrite) trace?.notRewriting(rewriting ? 'off' : 'ended')
    const redirect = findRedirect(merged, rules)
    if (redirect) return { kind: 'answer', answer: { ...redirect, realm: null } }
    setPlainEnvironment(merged, rules)
    if (next !== null) return next
    if (passes) return { kind: 'stay', missing: false }
    const settled = await settlePath(merged, rules, files)
    if (settled.kind === 'go')
      trace?.onward(settled.inner ? 'index' : 'stand-in', settled.path, settled.query)
    return settled
  }

  /** Headers that the host gives all its responses, for what its `rewrites` answer or pass on. */
  const takeOwnSettings = async (): Promise<void> => {
    if (vhost.rules === undefined) return
    settings = await mergeSettings(ownChain(vhost), '', rules, verdicts)
    await settleHeaders(settings)
  }

  /** Who may see it is asked of the host's own rules before a request leaves, as for every other. */
  const passByHost = async (step: Extract<Step, { kind: 'pass' }>): Promise<Answer | null> => {
    await takeOwnSettings()
    return (settings === null ? null : await judgeAccess(settings)) ?? passTo(step)
  }

  const passTo = (step: Extract<Step, { kind: 'pass' }>): Answer | null => {
    backend = step.backend
    if (step.path === null) {
      rewritten = step.query !== (call.target.query ?? '') || target !== call.target
      target = { ...target, query: step.query || null }
      return null
    }
    const changed = targetOf(step.path, step.query)
    if (changed === null) return end('bad-address', 400)
    target = changed
    rewritten = true
    return null
  }

  const run = async (): Promise<Answer | null> => {
    const own = rewritesOf(vhost)
    if (own !== null) {
      own.dependencies.forEach((one) => dependencies.add(one))
      rules.filename = rules.uri
      trace?.own(rules.uri, rules.query)
      const step = await rewrite({ rules: own.rules, directory: null, base: '/' })
      if (step?.kind === 'answer') {
        await takeOwnSettings()
        return step.answer
      }
      if (step?.kind === 'pass') return passByHost(step)
      if (step?.kind === 'go') {
        const changed = targetOf(step.path, step.query)
        if (changed === null) return end('bad-address', 400)
        rewritten = changed.path !== target.path
        target = changed
        rules.uri = uriOf(changed)
      }
    }
    let rewriting = true
    for (let rounds = 0; ; rounds++) {
      const file = target.file ?? target.path
      const passes = passesOn(vhost, target.path)
      if (!passes && isTooDeep(file)) return end('too-deep', 404)
      const step: Step =
        vhost.htaccess || vhost.rules !== undefined
          ? await round(rewriting)
          : { kind: 'stay', missing: false }
      // Rules may lead away from a hidden file, and say nothing else of it.
      if (step.kind === 'pass') return passTo(step)
      const leadsAway = step.kind === 'go' || (step.kind === 'answer' && step.answer.status < 400)
      if (!passes && !leadsAway && (await isUnseen(files, vhost, file))) return end('hidden', 404)
      if (step.kind === 'answer') return step.answer
      if (step.kind === 'stay') {
        missing = step.missing
        // Rules may have changed the query and nothing else.
        if (rules.query !== (target.query ?? '')) target = { ...target, query: rules.query || null }
        return null
      }
      if (rounds === MAX_ROUNDS) return end('rounds', 500)
      const changed = targetOf(step.path, step.query)
      if (changed === null) return end('bad-address', 400)
      target = changed
      rewritten = true
      const before = rules.uri
      rules.uri = uriOf(changed)
      rules.query = step.query
      rules.inner = step.inner
      rules.env = redirectedEnvironment(rules.env)
      rules.env.set('REDIRECT_URL', before)
      rewriting &&= step.rewriting
    }
  }

  let answer: Answer | null
  try {
    answer = await run()
  } catch (error) {
    if (!(error instanceof PatternLimit)) throw error
    store.complain(vhost, 'rules take too many steps', { path: call.target.path })
    answer = end('steps', 500)
  }
  charge()
  await rest()
  const { user } = rules
  const env = new Map([...rules.env].filter(([name]) => !isCacheVariable(name)))
  const { cookies, type, cache } = effects
  const edition = [...editions].join('.')
  return {
    answer,
    target,
    backend: answer === null ? backend : null,
    missing,
    settings,
    ini: answer === null && settings !== null ? phpSettingsOf(settings, vhost, store) : null,
    env,
    cookies,
    type,
    user,
    rewritten,
    dependencies,
    verdicts,
    paths,
    answering: answering ? { ...rules } : null,
    uncached: cache.off || mixed || isCacheOff(settings, call.target.path),
    variant: cache.variant,
    varyCookies: cache.cookies,
    edition,
    pay: (steps) => store.pay(vhost, steps),
  }
}
