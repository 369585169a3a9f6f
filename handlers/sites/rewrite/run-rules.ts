import { rootOf } from '../resolve-path.ts'
import { checkConditions } from './check-conditions.ts'
import {
  escapeAddress,
  escapeFound,
  escapePath,
  escapeQuery,
  guardLocation,
} from './escape-location.ts'
import { ownOrigin } from './own-origin.ts'
import { rewriteCookie } from './rewrite-cookie.ts'
import type { RewriteResult, RewriteRule } from './rewrite-types.ts'
import type { RuleRequest } from './rule-request.ts'
import { expandTemplate, type Found } from './template.ts'

/** A list of rules and where it stands. */
export interface RuleList {
  rules: readonly RewriteRule[]
  /**
   * Path of the directory that the rules stand in, with its final slash: it is
   * taken from the address before the pattern sees it. Null for rules of the
   * virtual host, which see the whole path.
   */
  directory: string | null
  /** What is put before a relative target (`RewriteBase`); null: the directory. */
  base: string | null
}

/** What rules leave beside their result. */
export interface RewriteEffects {
  cookies: string[]
  type: string | null
  handler: string | null
}

/** Rules looked at for one list; a list that goes on beyond (flag N) is an error. */
const MAX_RULES = 20_000
const MAX_ADDRESS = 8190

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:|news:|ldap:)/i

const setEnvironment = (text: string, env: Map<string, string>): void => {
  if (text.startsWith('!')) {
    env.delete(text.slice(1))
    return
  }
  const colon = text.indexOf(':')
  if (colon === -1) env.set(text, '')
  else env.set(text.slice(0, colon), text.slice(colon + 1))
}

interface State {
  path: string
  /** The path does not start in the rules' directory: a target began with a slash. */
  absolute: boolean
  query: string
  /** A target wrote it: what it holds is meant as it stands, `%` too. */
  ownQuery: boolean
  changed: boolean
  /** The target named another host; null as long as it did not. */
  address: string | null
  redirect: number | null
  noEscape: boolean
  final: boolean
  /** The address must not be used as it was asked for. */
  refused: boolean
}

const splitQuery = (
  target: string,
  { queryLast }: RewriteRule['flags'],
): [string, string | null] => {
  const at = queryLast ? target.lastIndexOf('?') : target.indexOf('?')
  return at === -1 ? [target, null] : [target.slice(0, at), target.slice(at + 1)]
}

const applyQuery = (state: State, given: string | null, flags: RewriteRule['flags']): void => {
  if (given !== null && given !== '') state.ownQuery = true
  const before = flags.queryDiscard ? '' : state.query
  if (given === null) state.query = before
  else if (flags.queryAppend && before !== '')
    state.query = given === '' ? before : `${given}&${before}`
  else state.query = given
}

/** The own host in front of a target means this site, without a redirect. */
const withoutOwnHost = (target: string, request: RuleRequest): string => {
  const own = ownOrigin(request)
  if (!target.toLowerCase().startsWith(own)) return target
  const rest = target.slice(own.length)
  return rest === '' || /^[/?#]/.test(rest) ? `/${rest.replace(/^\//, '')}` : target
}

const withoutRoot = (path: string, { vhost }: RuleRequest): string => {
  const root = rootOf(vhost)
  return root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length) : path
}

const shownQuery = ({ query, noEscape, ownQuery }: State): string => {
  if (noEscape) return guardLocation(query)
  return ownQuery ? escapeQuery(query).replaceAll('%', '%25') : escapeQuery(query)
}

const resultOf = (state: State, request: RuleRequest): RewriteResult => {
  const { path, query, address, redirect, noEscape, final } = state
  if (redirect === null && address === null) {
    if (!state.changed) return { kind: 'unchanged' }
    return { kind: 'internal', path, query, final }
  }
  const status = redirect ?? 302
  if (status < 300 || status > 399) return { kind: 'status', status }
  const suffix = query === '' ? '' : `?${shownQuery(state)}`
  if (address !== null) {
    const shown = noEscape ? guardLocation(address) : escapeAddress(address)
    return { kind: 'redirect', status, location: `${shown}${suffix}` }
  }
  const local = noEscape ? guardLocation(path) : escapePath(path)
  return {
    kind: 'redirect',
    status,
    location: `${ownOrigin(request)}${local.startsWith('/') ? '' : '/'}${local}${suffix}`,
  }
}

/** Applies a rule that matched. */
const applyTarget = (
  rule: RewriteRule,
  list: RuleList,
  found: Found,
  state: State,
  request: RuleRequest,
): void => {
  const { flags, target } = rule
  if (target === null) return
  const { escapeBackreferences } = flags
  let hasMark = false
  const escape = (text: string): string => {
    const shown =
      escapeBackreferences === null ? text : escapeFound(text, escapeBackreferences, !flags.noPlus)
    hasMark ||= shown.includes('?')
    return shown
  }
  const expanded = withoutOwnHost(expandTemplate(target, found, request, escape), request)
  // A "?" that was escaped would make a query, or hide an extension, that no rule meant.
  if (hasMark && !flags.allowQuestionMark && /^[^?]*%3f/i.test(request.context.rawTarget)) {
    state.refused = true
    return
  }
  const [path, query] = splitQuery(expanded.slice(0, MAX_ADDRESS), flags)
  applyQuery(state, query, flags)
  state.changed = true
  state.noEscape = flags.noEscape
  if (SCHEME.test(path)) {
    state.address = path
    return
  }
  state.address = null
  state.absolute = path.startsWith('/')
  const base = list.base ?? list.directory ?? '/'
  state.path = path.startsWith('/')
    ? withoutRoot(path, request)
    : `${base.replace(/\/*$/, '/')}${path}`
}

/** What a pattern sees of the path. */
const subjectOf = ({ path, absolute, address }: State, directory: string | null): string => {
  if (address !== null) return address
  if (directory === null || absolute) return path
  if (path.startsWith(directory)) return path.slice(directory.length)
  return `${path}/` === directory ? '' : path
}

/**
 * Runs rules over a request (mod_rewrite). Changes `request.env` and `effects`.
 * Throws `PatternLimit` when patterns or rules cost more than one request may.
 */
export const runRules = async (
  list: RuleList,
  request: RuleRequest,
  effects: RewriteEffects,
): Promise<RewriteResult> => {
  const { rules } = list
  const state: State = {
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
    if (++looked > MAX_RULES) return { kind: 'status', status: 500 }
    const { flags } = rule
    const skipChain = (): void => {
      while (rules[at]?.flags.chain) at++
    }
    if (flags.noSubrequest && request.inner) {
      skipChain()
      continue
    }
    const matched = rule.pattern.match(subjectOf(state, list.directory), request.budget)
    if ((matched === null) !== rule.negative) {
      skipChain()
      continue
    }
    const found = await checkConditions(rule.conditions, matched ?? [], request)
    if (found === null) {
      skipChain()
      continue
    }
    for (const env of flags.env) setEnvironment(expandTemplate(env, found, request), request.env)
    for (const template of flags.cookies) {
      const cookie = rewriteCookie(expandTemplate(template, found, request), request.nowMs)
      if (cookie !== null) effects.cookies.push(cookie)
    }
    if (flags.type !== null) effects.type = flags.type
    if (flags.handler !== null) effects.handler = flags.handler
    if (flags.forbidden || flags.proxy) return { kind: 'status', status: 403 }
    if (flags.gone) return { kind: 'status', status: 410 }
    applyTarget(rule, list, found, state, request)
    // A blank that came in as an escape must not end up in a query.
    if (/[\p{Cc} ]/u.test(state.query)) return { kind: 'status', status: 403 }
    if (state.refused) return { kind: 'status', status: 403 }
    request.query = state.query
    // The address that conditions see stays until the rules are through; the file's name follows.
    if (state.changed && state.address === null) {
      const inFiles = list.directory !== null && !state.absolute
      request.filename = inFiles ? `${rootOf(request.vhost)}${state.path}` : state.path
    }
    if (flags.redirect !== null) {
      state.redirect = flags.redirect
      // A status that is no redirect ends here, as an external address does.
      if (rule.target !== null || flags.redirect < 300 || flags.redirect > 399) {
        if (flags.last || flags.end || flags.redirect < 300 || flags.redirect > 399) break
      } else state.redirect = null
    }
    if (flags.end) {
      state.final = true
      break
    }
    if (flags.last) break
    if (flags.next) at = -1
    else if (flags.skip > 0) at += flags.skip
  }
  if (state.final && !state.changed) {
    return { kind: 'internal', path: state.path, query: state.query, final: true }
  }
  return resultOf(state, request)
}
