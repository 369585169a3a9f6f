import type { SiteCall } from '../site-call.ts'
import { applyExpiry } from './apply-content.ts'
import { applyHeaderRules, type HeaderFacts } from './apply-headers.ts'
import type { Plan } from './plan.ts'

/** Steps that the patterns of header rules may take for one answer. */
const HEADER_STEPS = 50_000

const factsOf = (request: Request, { env }: Plan): HeaderFacts => ({
  env,
  budget: { left: HEADER_STEPS },
  nowMs: Date.now(),
  asked: request.headers,
})

/** The request as `RequestHeader` rules change it. */
export const withRuledHeaders = (request: Request, plan: Plan): Request => {
  const rules = plan.settings?.requestHeaders ?? []
  if (rules.length === 0) return request
  const headers = new Headers(request.headers)
  applyHeaderRules(rules, headers, factsOf(request, plan))
  const { url, method, body, signal } = request
  const streaming = body === null ? {} : { body, duplex: 'half' }
  return new Request(url, { method, headers, signal, ...streaming })
}

/** Expiry, `Header` rules and cookies of the rules. */
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
  if (call.ours !== true) applyExpiry(settings, headers, Date.now())
  // Without "always" a rule is about answers of the site, not about errors and redirects of ours.
  const rules = settings.headers.filter(({ always }) => always || call.ours !== true)
  applyHeaderRules(rules, headers, factsOf(request, plan))
}
