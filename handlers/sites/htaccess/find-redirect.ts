import { escapePath, escapeQuery, guardLocation } from '../rewrite/escape-location.ts'
import { ownOrigin } from '../rewrite/own-origin.ts'
import { spend } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import { expandTemplate } from '../rewrite/template.ts'
import type { RedirectRule, Settings } from './files/settings.ts'

/** Where a `Redirect` leads. */
export interface FoundRedirect {
  status: number
  /** Null for statuses that lead nowhere. */
  location: string | null
}

/** What follows `from` in a path that is it or lies below it; null for others. */
const below = (path: string, from: string): string | null => {
  if (!path.startsWith(from)) return null
  const rest = path.slice(from.length)
  return rest === '' || from.endsWith('/') || rest.startsWith('/') ? rest : null
}

const targetOf = (rule: RedirectRule, request: RuleRequest): string | null | undefined => {
  if (typeof rule.from === 'string') {
    spend(request.budget, 1)
    const rest = below(request.uri, rule.from)
    if (rest === null) return undefined
    return rule.to === null ? null : rule.to + escapePath(rest)
  }
  const groups = rule.from.match(request.uri, request.budget)
  if (!groups) return undefined
  if (rule.toTemplate === null) return null
  return expandTemplate(rule.toTemplate, { rule: groups, condition: [] }, request, escapePath)
}

/** The first `Redirect` or `RedirectMatch` that is for this path. */
export const findRedirect = (settings: Settings, request: RuleRequest): FoundRedirect | null => {
  for (const rule of settings.redirects) {
    const target = targetOf(rule, request)
    if (target === undefined) continue
    const { status } = rule
    if (target === null) {
      request.trace?.redirect(rule.place, status, null)
      return { status, location: null }
    }
    const query =
      request.query === '' || target.includes('?') ? '' : `?${escapeQuery(request.query)}`
    const whole = target.startsWith('/') ? `${ownOrigin(request)}${target}` : target
    const location = `${guardLocation(whole)}${query}`
    request.trace?.redirect(rule.place, status, location)
    return { status, location }
  }
  return null
}
