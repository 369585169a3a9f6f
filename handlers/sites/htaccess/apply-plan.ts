import type { SiteCall } from '../site-call.ts'
import { applyExpiry } from './apply-content.ts'
import { applyAskingRules, applyHeaderRules, type HeaderFacts } from './apply-headers.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import type { Plan } from './plan.ts'
import type { HeaderRule } from './files/settings.ts'

/** Steps that the patterns of header rules may take for one response. */
const HEADER_STEPS = 50_000

const factsOf = (request: Request, { env }: Plan): HeaderFacts => {
  const budget = { left: HEADER_STEPS }
  return { env, budget, nowMs: Date.now(), asked: request.headers }
}

/** Applies rules, whose cost is the site's; see `applyHeaderRules`. */
const applyPaid = (
  rules: readonly HeaderRule[],
  headers: Headers,
  request: Request,
  plan: Plan,
): void => {
  const facts = factsOf(request, plan)
  try {
    applyHeaderRules(rules, headers, facts)
  } finally {
    plan.pay(HEADER_STEPS - facts.budget.left)
  }
}

/** The same for rules that ask of the response. */
const applyAnswering = async (
  rules: readonly HeaderRule[],
  response: Response,
  request: Request,
  plan: Plan,
  answering: RuleRequest,
): Promise<void> => {
  const facts = factsOf(request, plan)
  const asking = { ...answering, budget: facts.budget, response }
  try {
    await applyAskingRules(rules, response.headers, facts, asking)
  } finally {
    plan.pay(HEADER_STEPS - facts.budget.left)
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

/**
 * Expiry, `Header` rules and cookies of the rules; a promise only where rules ask of the response.
 * Throws `PatternLimit` when `Header` rules cost too much.
 */
export const applyPlan = (
  response: Response,
  request: Request,
  call: Pick<SiteCall, 'ours'>,
  plan: Plan,
): void | Promise<void> => {
  const { headers } = response
  for (const cookie of plan.cookies) headers.append('set-cookie', cookie)
  const { settings } = plan
  if (!settings) return
  // Nobody should keep an error longer than it lasts.
  if (call.ours !== true && response.status < 400) applyExpiry(settings, headers, Date.now())
  // Without "always" a rule is about answers of the site, not about errors and redirects of ours.
  const rules = settings.headers.filter(({ always }) => always || call.ours !== true)
  if (rules.length === 0) return
  if (plan.answering !== null) return applyAnswering(rules, response, request, plan, plan.answering)
  applyPaid(rules, headers, request, plan)
}
