import { trimEndOf } from '../../../edge-cache/index.ts'
import { BACKEND_SCHEME } from '../../domain/config/proxy/backends.ts'
import { rootOf } from '../paths/resolve-path.ts'
import {
  escapeAddress,
  escapeFound,
  escapePath,
  escapeQuery,
  guardLocation,
} from './escape-location.ts'
import { ownOrigin } from './own-origin.ts'
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

const MAX_ADDRESS = 8190

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:|news:|ldap:)/i

/** What a list of rules has made of an address so far. */
export interface RewriteState {
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

const applyQuery = (
  state: RewriteState,
  given: string | null,
  flags: RewriteRule['flags'],
): void => {
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

const shownQuery = ({ query, noEscape, ownQuery }: RewriteState): string => {
  if (noEscape) return guardLocation(query)
  return ownQuery ? escapeQuery(query).replaceAll('%', '%25') : escapeQuery(query)
}

/** What the list came to. */
export const resultOf = (state: RewriteState, request: RuleRequest): RewriteResult => {
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

/** Where a rule with the flag `P` of the server's own leads; 500 for what names no application. */
export const passedOn = ({ address, query }: RewriteState): RewriteResult => {
  const rest = address?.startsWith(BACKEND_SCHEME) ? address.slice(BACKEND_SCHEME.length) : ''
  const name = /^[^/]*/.exec(rest)?.[0] ?? ''
  if (name === '') return { kind: 'status', status: 500 }
  const path = rest.length === name.length ? null : rest.slice(name.length)
  return { kind: 'pass', backend: name, path, query }
}

/** Applies a rule that matched. */
export const applyTarget = (
  rule: RewriteRule,
  list: RuleList,
  found: Found,
  state: RewriteState,
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
  state.path = path.startsWith('/') ? withoutRoot(path, request) : `${trimEndOf(base, '/')}/${path}`
}
