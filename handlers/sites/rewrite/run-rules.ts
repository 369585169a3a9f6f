import { rootOf } from '../paths/resolve-path.ts'
import {
  applyTarget,
  passedOn,
  resultOf,
  type RewriteState,
  type RuleList,
} from './apply-target.ts'
import { readCacheFlag, type CacheWords } from './cache-flags.ts'
import { checkConditions } from './check-conditions.ts'
import { spend } from './pattern/matching.ts'
import { rewriteCookie } from './rewrite-cookie.ts'
import type { RewriteFlags, RewriteResult, RewriteRule } from './rewrite-types.ts'
import type { RuleRequest } from './rule-request.ts'
import type { PassedOver, RewriteTrace, RuleEnd } from './rule-trace.ts'
import { expandTemplate } from './template.ts'

/** What rules leave beside their result. */
export interface RewriteEffects {
  cookies: string[]
  type: string | null
  handler: string | null
  cache: CacheWords
}

/** Rules looked at for one list; a list that goes on beyond (flag N) is an error. */
const MAX_RULES = 20_000

const setEnvironment = (text: string, env: Map<string, string>, cache: CacheWords): void => {
  if (text.startsWith('!')) {
    env.delete(text.slice(1))
    return
  }
  const colon = text.indexOf(':')
  const name = colon === -1 ? text : text.slice(0, colon)
  const value = colon === -1 ? '' : text.slice(colon + 1)
  if (!readCacheFlag(name, value, cache, env)) env.set(name, value)
}

/** What a pattern sees of the path. */
const subjectOf = ({ path, absolute, address }: RewriteState, directory: string | null): string => {
  if (address !== null) return address
  if (directory === null || absolute) return path
  if (path.startsWith(directory)) return path.slice(directory.length)
  return `${path}/` === directory ? '' : path
}

const leads = (status: number): boolean => status >= 300 && status <= 399

/** How a rule that was carried out goes on, but for redirects that end the list. */
const endOf = ({ end, last, next, skip }: RewriteFlags): RuleEnd => {
  if (end) return 'end'
  if (last) return 'last'
  if (next) return 'next'
  return skip > 0 ? 'skip' : null
}

const passOver = (
  rules: readonly RewriteRule[],
  at: number,
  why: PassedOver,
  trace: RewriteTrace | undefined,
): void => {
  const rule = rules[at]
  if (trace !== undefined && rule !== undefined) trace.passedOver(rule, why)
}

/**
 * Runs rules over a request (mod_rewrite). Changes `request.env` and `effects`.
 * Throws `PatternLimit` when patterns and the texts they make cost more than one request may.
 */
export const runRules = async (
  list: RuleList,
  request: RuleRequest,
  effects: RewriteEffects,
): Promise<RewriteResult> => {
  const { rules } = list
  const { trace } = request
  const state: RewriteState = {
    path: request.uri,
    absolute: false,
    query: request.query,
    ownQuery: false,
    changed: false,
    address: null,
    redirect: null,
    noEscape: false,
    final: false,
    refused: false,
  }
  let looked = 0
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at] as RewriteRule
    if (++looked > MAX_RULES) {
      trace?.tooMany()
      return { kind: 'status', status: 500 }
    }
    const { flags } = rule
    const skipChain = (): void => {
      while (rules[at]?.flags.chain) passOver(rules, ++at, 'chain', trace)
    }
    if (flags.noSubrequest && request.inner) {
      trace?.passedOver(rule, 'inner')
      skipChain()
      continue
    }
    trace?.asking(rule)
    const subject = subjectOf(state, list.directory)
    const matched = rule.pattern.match(subject, request.budget)
    if ((matched === null) !== rule.negative) {
      trace?.failed(rule, subject, 'pattern')
      skipChain()
      continue
    }
    const found = await checkConditions(rule.conditions, matched ?? [], request)
    if (found === null) {
      trace?.failed(rule, subject, 'conditions')
      skipChain()
      continue
    }
    for (const env of flags.env) {
      const text = expandTemplate(env, found, request)
      trace?.set('variable', text)
      setEnvironment(text, request.env, effects.cache)
    }
    for (const template of flags.cookies) {
      const text = expandTemplate(template, found, request)
      trace?.set('cookie', text)
      const cookie = rewriteCookie(text, request.nowMs)
      if (cookie !== null) effects.cookies.push(cookie)
    }
    if (flags.type !== null) effects.type = flags.type
    if (flags.handler !== null) effects.handler = flags.handler
    if (flags.forbidden || (flags.proxy && !rule.trusted)) {
      trace?.applied(rule, subject, state, flags.forbidden ? 'forbidden' : 'proxy')
      return { kind: 'status', status: 403 }
    }
    if (flags.gone) {
      trace?.applied(rule, subject, state, 'gone')
      return { kind: 'status', status: 410 }
    }
    if (rule.text !== null) {
      trace?.applied(rule, subject, state, 'status')
      return { kind: 'text', name: rule.text }
    }
    applyTarget(rule, list, found, state, request)
    // It grows with each round of a rule that appends to it.
    spend(request.budget, state.query.length)
    // A blank that came in as an escape must not end up in a query.
    if (state.refused || /[\p{Cc} ]/u.test(state.query)) {
      trace?.applied(rule, subject, state, 'refused')
      return { kind: 'status', status: 403 }
    }
    request.query = state.query
    if (flags.proxy) {
      trace?.applied(rule, subject, state, 'pass')
      return passedOn(state)
    }
    // The address that conditions see stays until the rules are through; the file's name follows.
    if (state.changed && state.address === null) {
      const inFiles = list.directory !== null && !state.absolute
      request.filename = inFiles ? `${rootOf(request.vhost)}${state.path}` : state.path
    }
    if (flags.redirect !== null) {
      state.redirect = flags.redirect
      // A status that is no redirect ends here, as an external address does.
      if (rule.target !== null || flags.redirect < 300 || flags.redirect > 399) {
        if (flags.last || flags.end || flags.redirect < 300 || flags.redirect > 399) {
          trace?.applied(rule, subject, state, leads(flags.redirect) ? 'redirect' : 'status')
          break
        }
      } else state.redirect = null
    }
    trace?.applied(rule, subject, state, endOf(flags))
    if (flags.end) {
      state.final = true
      break
    }
    if (flags.last) break
    if (flags.next) at = -1
    else if (flags.skip > 0) {
      const next = at + flags.skip
      if (trace) {
        while (at < next && at + 1 < rules.length) passOver(rules, ++at, 'skip', trace)
      }
      at = next
    }
  }
  if (state.final && !state.changed) {
    return { kind: 'internal', path: state.path, query: state.query, final: true }
  }
  return resultOf(state, request)
}
