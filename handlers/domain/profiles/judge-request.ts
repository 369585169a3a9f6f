import { matches } from './patterns.ts'
import type { Effect, Profile, RequestRule } from './profile.ts'

/** A request at a site, and what it was answered. */
export interface ServedRequest {
  method: string
  /** In its one spelling, without query. */
  path: string
  /** Without `?`; null without one. */
  query: string | null
  /** Of the response. */
  status: number
  /** `Location` of the response. Default: none. */
  location?: string | null
  /** `Cache-Control` of the response. Default: none. */
  cacheControl?: string | null
  /** Beginning of a form sent as `application/x-www-form-urlencoded`. Default: not known. */
  form?: string | null
}

/** Methods that are not meant to change anything (RFC 9110, 9.2.1, and the registry of methods). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY'])
/** Whether a request with this method is not meant to change anything. */
export const isSafe = (method: string): boolean => SAFE.has(method)
/** As much of a query or form is read. */
const MAX_PARAMETERS_LENGTH = 8192

/** Applications see slashes that follow each other as one. */
const plainPath = (path: string): string =>
  path.includes('//') ? path.replace(/\/{2,}/g, '/') : path

/** Whether responses at a path (in its one spelling) are never shared. */
export const isPrivatePath = ({ privatePaths }: Profile, path: string): boolean =>
  matches(privatePaths)(plainPath(path))

const parametersOf = (text: string | null | undefined): URLSearchParams | null =>
  text ? new URLSearchParams(text.slice(0, MAX_PARAMETERS_LENGTH)) : null

/** The values of a request's parameters; those of the form go before those of the query. */
type Values = (name: string, withForm: boolean) => string | null

const valuesOf = ({ query, form }: ServedRequest): Values => {
  let ofQuery: URLSearchParams | null | undefined
  let ofForm: URLSearchParams | null | undefined
  return (name, withForm) => {
    if (withForm) {
      ofForm = ofForm === undefined ? parametersOf(form) : ofForm
      const value = ofForm?.get(name) ?? null
      if (value !== null) return value
    }
    ofQuery = ofQuery === undefined ? parametersOf(query) : ofQuery
    return ofQuery?.get(name) ?? null
  }
}

const isOfKind = (rule: RequestRule, method: string, path: string): boolean =>
  (rule.methods === undefined ? !isSafe(method) : rule.methods.includes(method)) &&
  matches(rule.at)(path)

const hasParameters = ({ parameters = {}, form = false }: RequestRule, values: Values): boolean =>
  Object.entries(parameters).every(([name, patterns]) => {
    const value = values(name, form)
    return value !== null && (patterns.length === 0 || matches(patterns)(value))
  })

const isForOneOnly = ({ location, cacheControl }: ServedRequest): boolean =>
  typeof location === 'string' || /\b(?:no-cache|no-store|private)\b/i.test(cacheControl ?? '')

/** Whether the form decides about a request, so that its beginning has to be kept. */
export const wantsForm = (profile: Profile, method: string, path: string): boolean => {
  const plain = plainPath(path)
  return profile.requests.some((rule) => rule.form === true && isOfKind(rule, method, plain))
}

/** Whether a link was led to its own address, under another scheme or host then: nothing was done yet. */
const isSameElsewhere = ({ method, path, query }: ServedRequest, location: string): boolean => {
  if (!isSafe(method)) return false
  const rest = /^(?:https?:)?\/\/[^/?#]*([^#]*)/i.exec(location)?.[1]
  return rest !== undefined && rest === (query ? `${path}?${query}` : path)
}

/** What a request has done to the site's public pages. Failures (400 and above) and whoever was led to the log-in did nothing. */
export const effectOf = (profile: Profile, request: ServedRequest): Effect => {
  const { method, status, location = null } = request
  if (status < 200 || status >= 400) return 'none'
  if (location !== null && matches(profile.login)(location)) return 'none'
  if (location !== null && isSameElsewhere(request, location)) return 'none'
  const path = plainPath(request.path)
  const values = valuesOf(request)
  for (const rule of profile.requests) {
    if (!isOfKind(rule, method, path) || !hasParameters(rule, values)) continue
    if (rule.own === true && !isForOneOnly(request)) continue
    if (rule.to && (location === null || !matches(rule.to)(location))) continue
    if (rule.notTo && location !== null && matches(rule.notTo)(location)) return 'none'
    return rule.effect
  }
  return 'none'
}

/** Whether a request, by its method, path, query and response, has changed public pages, or may do so in a moment. */
export const changesPublicPages = (profile: Profile, request: ServedRequest): boolean =>
  effectOf(profile, request) !== 'none'
