import { callOf } from './expression-functions.ts'
import { parseTokens, type Token } from './expression-tokens.ts'
import { compilePattern, PatternError, spend, type Pattern } from './pattern/pattern.ts'
import type { FileTest, RuleRequest } from './rule-request.ts'
import { dependenciesOf, expandTemplate, type Found, type Template } from './template.ts'
import type { Dependency } from './variables.ts'
import { matchesAddress } from './pattern/match-address.ts'
import { matchesWildcard } from './pattern/match-wildcard.ts'

/** A boolean expression (`<If>`, `Require expr`, `RewriteCond expr`). */
export interface Expression {
  test(request: RuleRequest): Promise<boolean>
  dependencies: Dependency[]
}

type Test = (request: RuleRequest, found: { groups: readonly string[] }) => Promise<boolean>

const FILES: Readonly<Record<string, FileTest>> = {
  '-f': 'file',
  '-d': 'directory',
  '-e': 'exists',
  '-s': 'not-empty',
  '-F': 'file',
  '-L': 'link',
  '-h': 'link',
}

const compare = (operator: string, left: string, right: string): boolean => {
  const order = left < right ? -1 : left > right ? 1 : 0
  const difference = Number.parseInt(left, 10) - Number.parseInt(right, 10)
  switch (operator) {
    case '==':
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '-eq':
      return difference === 0
    case '-ne':
      return difference !== 0
    case '-lt':
      return difference < 0
    case '-le':
      return difference <= 0
    case '-gt':
      return difference > 0
    default:
      return difference >= 0
  }
}
const COMPARISONS = /^(?:==|=|!=|<=?|>=?|-(?:eq|ne|lt|le|gt|ge))$/
const WILDCARDS: ReadonlySet<string> = new Set(['-strmatch', '-strcmatch', '-fnmatch'])
const MAX_NESTING = 50
/** Of `!`, `&&` and `||`, whatever they join: each waits for what stands on its left. */
const JOINING_STEPS = 8

/** Reads the common part of Apache's expressions. Throws `PatternError` for what it does not know. */
export const parseExpression = (source: string): Expression => {
  const tokens = parseTokens(source)
  const dependencies: Dependency[] = []
  let at = 0
  let nesting = 0
  const peek = (): Token | undefined => tokens[at]
  const isSign = (...texts: string[]): boolean => {
    const token = peek()
    return token?.kind === 'sign' && texts.includes(token.text)
  }
  const atom = (): Template => {
    const token = tokens[at++]
    if (token?.kind === 'word') return token.template
    if (token?.kind !== 'function') throw new PatternError(`"${source}" is not understood`)
    const argument = joined()
    if (!isSign(')')) throw new PatternError('a "(" is not closed')
    at++
    return callOf(token.name, argument)
  }
  /** Words with a `.` between them. */
  const joined = (): Template => {
    if (++nesting > MAX_NESTING) throw new PatternError('an expression nests too deep')
    const parts = [...atom()]
    while (isSign('.')) {
      at++
      parts.push(...atom())
    }
    nesting--
    return parts
  }
  const word = (): Template => {
    const template = joined()
    dependencies.push(...dependenciesOf(template))
    return template
  }
  const value = (template: Template, request: RuleRequest, groups: readonly string[]): string => {
    const found: Found = { rule: groups, condition: groups }
    return expandTemplate(template, found, request)
  }
  const either = (): Test => {
    let left = all()
    while (isSign('||')) {
      at++
      const [first, second] = [left, all()]
      left = async (request, found) => {
        spend(request.budget, JOINING_STEPS)
        return (await first(request, found)) || second(request, found)
      }
    }
    return left
  }
  const all = (): Test => {
    let left = one()
    while (isSign('&&')) {
      at++
      const [first, second] = [left, one()]
      left = async (request, found) => {
        spend(request.budget, JOINING_STEPS)
        return (await first(request, found)) && second(request, found)
      }
    }
    return left
  }
  const one = (): Test => {
    if (++nesting > MAX_NESTING) throw new PatternError('an expression nests too deep')
    try {
      return parseOne()
    } finally {
      nesting--
    }
  }
  const unary = (name: string): Test => {
    const subject = word()
    const file = FILES[name]
    if (file) return (request) => request.testFile(value(subject, request, []), file)
    if (name === '-z' || name === '-n') {
      return async (request, { groups }) =>
        (value(subject, request, groups) === '') === (name === '-z')
    }
    if (name === '-T') {
      return async (request, { groups }) =>
        !['', '0', 'off', 'false', 'no'].includes(value(subject, request, groups).toLowerCase())
    }
    if (name === '-R') {
      dependencies.push('address')
      return async (request) =>
        matchesAddress(request.context.clientAddress, value(subject, request, []), request.budget)
    }
    throw new PatternError(`"${name}" is not supported`)
  }
  const list = (): Template[] => {
    at++
    const items = [word()]
    while (isSign(',')) {
      at++
      items.push(word())
    }
    if (!isSign('}')) throw new PatternError('a list is not closed')
    at++
    return items
  }
  const parseOne = (): Test => {
    if (isSign('!')) {
      at++
      const inner = one()
      return async (request, found) => {
        spend(request.budget, JOINING_STEPS)
        return !(await inner(request, found))
      }
    }
    if (isSign('(')) {
      at++
      const inner = either()
      if (!isSign(')')) throw new PatternError('a "(" is not closed')
      at++
      return inner
    }
    const token = peek()
    if (token?.kind === 'sign' && (token.text === 'true' || token.text === 'false')) {
      at++
      return async () => token.text === 'true'
    }
    if (token?.kind === 'sign' && /^-[a-zA-Z]$/.test(token.text)) {
      at++
      return unary(token.text)
    }
    const left = word()
    const operator = tokens[at++]
    if (operator?.kind !== 'sign') throw new PatternError(`"${source}" is not understood`)
    const name = operator.text
    if (name === '=~' || name === '!~') return matches(left, name === '!~')
    if (name === '-in') {
      const items = list()
      return async (request, { groups }) =>
        items.some((item) => value(item, request, groups) === value(left, request, groups))
    }
    const right = word()
    if (name === '-ipmatch') {
      return async (request, { groups }) =>
        matchesAddress(value(left, request, groups), value(right, request, groups), request.budget)
    }
    if (WILDCARDS.has(name)) {
      return async (request, { groups }) =>
        matchesWildcard(
          value(left, request, groups),
          value(right, request, groups),
          { noCase: name === '-strcmatch', path: name === '-fnmatch' },
          request.budget,
        )
    }
    if (!COMPARISONS.test(name)) throw new PatternError(`"${name}" is not supported`)
    return async (request, { groups }) =>
      compare(name, value(left, request, groups), value(right, request, groups))
  }
  const matches = (left: Template, negative: boolean): Test => {
    const token = tokens[at++]
    if (token?.kind !== 'pattern') throw new PatternError('a pattern is missing')
    const pattern: Pattern = compilePattern(token.source, token.noCase)
    return async (request, found) => {
      const groups = pattern.match(value(left, request, found.groups), request.budget)
      if (groups) found.groups = groups
      return (groups !== null) !== negative
    }
  }
  const test = either()
  if (at < tokens.length) throw new PatternError(`"${source}" is not understood`)
  return { test: (request) => test(request, { groups: [] }), dependencies }
}
