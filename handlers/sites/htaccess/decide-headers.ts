import { spend } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import { dependenciesOf, expandTemplate, NOTHING_FOUND } from '../rewrite/template.ts'
import type { Dependency } from '../rewrite/variables.ts'
import type { HeaderRule, Settings } from './files/settings.ts'

/** What became of the header rules of a request. */
export interface DecidedHeaders {
  /** Some rules wait for the response. */
  answering: boolean
  /** What they ask for is not the same for all visitors of a page. */
  mixed: boolean
}

const asks = ({ expression, template }: HeaderRule): Dependency[] => [
  ...(expression?.dependencies ?? []),
  ...(template === null ? [] : dependenciesOf(template)),
]

const isShared = (one: Dependency): boolean => one === 'response' || one === 'none'

/**
 * Leaves in `merged` the header rules that hold, with their values filled in, once all variables of the
 * request are set; those that ask of the response stay as they are. Adds to `verdicts` what each expression
 * came to. Throws `PatternLimit`.
 */
export const decideHeaders = async (
  merged: Settings,
  rules: RuleRequest,
  verdicts: boolean[],
): Promise<DecidedHeaders> => {
  const told = { answering: false, mixed: false }
  for (const list of ['headers', 'requestHeaders'] as const) {
    const kept: HeaderRule[] = []
    for (const rule of merged[list]) {
      spend(rules.budget, 1)
      const { expression, template } = rule
      const wanted = expression === null && template === null ? [] : asks(rule)
      if (list === 'headers' && wanted.includes('response')) {
        kept.push(rule)
        told.answering = true
        told.mixed ||= !wanted.every(isShared)
        continue
      }
      const holds = expression === null || (await expression.test(rules))
      verdicts.push(holds)
      if (!holds) continue
      if (template === null) kept.push({ ...rule, expression: null })
      else {
        // Who compares plans sees no values, so a page with one of a visitor's is nobody else's.
        if (list === 'headers') told.mixed ||= !wanted.every(isShared)
        kept.push({ ...rule, ...filledIn(rule, rules), expression: null })
      }
    }
    merged[list] = kept
  }
  return told
}

/** A value that was an expression, as a text that means itself. Throws `PatternLimit`. */
export const filledIn = (
  { template, value }: HeaderRule,
  request: RuleRequest,
): Pick<HeaderRule, 'value' | 'template'> => ({
  value:
    template === null
      ? value
      : expandTemplate(template, NOTHING_FOUND, request).replaceAll('%', '%%'),
  template: null,
})
