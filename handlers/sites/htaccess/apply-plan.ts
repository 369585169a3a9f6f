import type { SiteCall } from '../site-call.ts'
import { applyExpiry } from './apply-content.ts'
import { applyHeaderRules } from './apply-headers.ts'
import type { Plan } from './plan.ts'
import type { HeaderRule } from './files/settings.ts'

/** Steps that the patterns of header rules may take for one response. */
const HEADER_STEPS = 50_000

/** Applies rules, whose cost is the site's; see `applyHeaderRules`. */
const applyPaid = (
  rules: readonly HeaderRule[],
  headers: Headers,
  request: Request,
  { env, pay }: Plan,
): void => {
  const budget = { left: HEADER_STEPS }
  try {
    applyHeaderRules(rules, headers, { env, budget, nowMs: Date.now(), asked: request.headers })
  } finally {
    pay(HEADER_STEPS - budget.left)
  }
}

/** The request as `RequestHeader` rules change it. Throws `PatternLimit` when they cost too much. */
export const withRuledHeaders = (request: Request, plan: Plan): Request => {
  const rules = plan.settings?.requestHeaders ?? []
  if (rules.length === 0) return request
  const headers = new Headers(request.headers)
  applyPaid(rules, headers, request, plan)
  const { url, method, body, signal } = request
  const streaming = body === null ? {} : { body, duplex: 'half' }
  return new Request(url, { method, headers, signal, ...streaming })
}

/** Expiry, `Header` rules and cookies of the rules. Throws `PatternLimit` when `Header` rules cost too much. */
export const applyPlan = (
  response: Response,
  request: Request,
  call: Pick<SiteCall, 'ours'>,
  plan: Plan,
): void => {
  const { headers } = response
  for (const cookie of plan.cookies) headers.append('set-cookie', cookie)
  const { settings } = plan
  if (!settings) return
  // Nobody should keep an error longer than it lasts.
  if (call.ours !== true && response.status < 400) applyExpiry(settings, headers, Date.now())
  // Without "always" a rule is about answers of the site, not about errors and redirects of ours.
  const rules = settings.headers.filter(({ always }) => always || call.ours !== true)
  if (rules.length > 0) applyPaid(rules, headers, request, plan)
}
