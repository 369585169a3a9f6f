import { spend } from './pattern/matching.ts'
import type { ConditionTest, RewriteCondition } from './rewrite-types.ts'
import type { RuleRequest } from './rule-request.ts'
import { expandTemplate, type Found } from './template.ts'

/** As Apache compares: a longer text is greater. */
const orderOf = (left: string, right: string): number => {
  if (left.length !== right.length) return left.length - right.length
  if (left === right) return 0
  return left < right ? -1 : 1
}

const compareText = (operator: string, left: string, right: string): boolean => {
  const order = orderOf(left, right)
  if (operator === '=') return left === right
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  return operator === '<=' ? order <= 0 : order >= 0
}

const compareNumber = (operator: string, left: number, right: number): boolean => {
  if (Number.isNaN(left) || Number.isNaN(right)) return false
  if (operator === 'eq') return left === right
  if (operator === 'ne') return left !== right
  if (operator === 'lt') return left < right
  if (operator === 'le') return left <= right
  return operator === 'gt' ? left > right : left >= right
}

/** Whether a test holds; a pattern's groups are put into `found`. */
const holds = async (
  { subject, noCase }: RewriteCondition,
  test: ConditionTest,
  request: RuleRequest,
  found: { rule: readonly string[]; condition: readonly string[] },
  negative: boolean,
): Promise<boolean> => {
  if (test.kind === 'expression') return test.expression.test(request)
  const text = expandTemplate(subject, found, request)
  request.trace?.expanded(text)
  switch (test.kind) {
    case 'pattern': {
      const groups = test.pattern.match(text, request.budget)
      if (groups && !negative) found.condition = groups
      return groups !== null
    }
    case 'file':
      return text !== '' && request.testFile(text, test.test)
    case 'url':
      return text.startsWith('/')
    case 'text': {
      const value = expandTemplate(test.value, found, request)
      spend(request.budget, Math.min(text.length, value.length))
      return noCase
        ? compareText(test.operator, text.toLowerCase(), value.toLowerCase())
        : compareText(test.operator, text, value)
    }
    case 'number':
      return compareNumber(
        test.operator,
        Number.parseInt(text, 10),
        Number.parseInt(expandTemplate(test.value, found, request), 10),
      )
  }
}

/** Judges conditions in order: all must hold, but of those joined by `OR` one is enough. Null: they do not hold. */
export const checkConditions = async (
  conditions: readonly RewriteCondition[],
  rule: readonly string[],
  request: RuleRequest,
): Promise<Found | null> => {
  const found = { rule, condition: [] as readonly string[] }
  for (let at = 0; at < conditions.length; at++) {
    const condition = conditions[at] as RewriteCondition
    const held = await holds(condition, condition.test, request, found, condition.negative)
    const result = held !== condition.negative
    request.trace?.condition(condition, result)
    if (!condition.or) {
      if (!result) return null
      continue
    }
    if (!result) continue
    // The rest of the alternatives need not be asked, nor the one that ends them.
    while (conditions[at]?.or) at++
  }
  return found
}
