import { BACKEND_SCHEME } from '../../domain/config/proxy/backends.ts'
import { textNamed } from '../../domain/config/site/site-texts.ts'
import { parseExpression } from './expression.ts'
import { compilePattern, PatternError } from './pattern/pattern.ts'
import { hasFlag, parseRewriteFlags } from './rewrite-flags.ts'
import type { ConditionTest, RewriteCondition, RewriteRule } from './rewrite-types.ts'
import type { FileTest } from './rule-request.ts'
import { NOWHERE, type RulePlace } from './rule-trace.ts'
import { dependenciesOf, parseTemplate } from './template.ts'
import type { Dependency } from './variables.ts'

const FILE_TESTS: Readonly<Record<string, FileTest>> = {
  '-f': 'file',
  '-d': 'directory',
  '-s': 'not-empty',
  '-l': 'link',
  '-L': 'link',
  '-h': 'link',
  '-x': 'link',
  '-F': 'file',
}

const parseTest = (text: string, noCase: boolean): ConditionTest => {
  const test = FILE_TESTS[text]
  if (test) return { kind: 'file', test }
  if (text === '-U') return { kind: 'url' }
  const number = /^-(eq|ne|lt|le|gt|ge)(.*)$/s.exec(text)
  if (number) {
    const operator = number[1] as 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
    return { kind: 'number', operator, value: parseTemplate((number[2] ?? '').trimStart()) }
  }
  const compared = /^(<=|>=|<|>|=)(.*)$/s.exec(text)
  if (compared) {
    const operator = compared[1] as '<' | '>' | '=' | '<=' | '>='
    const value = compared[2] === '""' ? '' : (compared[2] ?? '')
    return { kind: 'text', operator, value: parseTemplate(value) }
  }
  return { kind: 'pattern', pattern: compilePattern(text, noCase) }
}

/** Reads the arguments of `RewriteCond`. Throws `PatternError`. */
export const parseRewriteCondition = (
  args: readonly string[],
  place: RulePlace = NOWHERE,
): RewriteCondition => {
  const [subject, given, flags = ''] = args
  if (subject === undefined || given === undefined || args.length > 3) {
    throw new PatternError('RewriteCond takes a test string, a pattern and flags')
  }
  const noCase = hasFlag(flags, 'NC', 'NOCASE')
  const negative = given.startsWith('!')
  const text = negative ? given.slice(1) : given
  const test: ConditionTest =
    subject.toLowerCase() === 'expr'
      ? { kind: 'expression', expression: parseExpression(text) }
      : parseTest(text, noCase)
  return {
    subject: parseTemplate(subject),
    test,
    negative,
    noCase,
    or: hasFlag(flags, 'OR', 'ORNEXT'),
    place,
  }
}

/**
 * Reads the arguments of `RewriteRule`; the conditions are those before it. `trusted`: it stands in
 * the server's own configuration. Throws `PatternError`.
 */
export const parseRewriteRule = (
  args: readonly string[],
  conditions: RewriteCondition[],
  place: RulePlace = NOWHERE,
  trusted = false,
): RewriteRule => {
  const [given, target, flags = ''] = args
  if (given === undefined || target === undefined || args.length > 3) {
    throw new PatternError('RewriteRule takes a pattern, a target and flags')
  }
  const negative = given.startsWith('!')
  const rule: RewriteRule = {
    conditions,
    pattern: compilePattern(negative ? given.slice(1) : given, hasFlag(flags, 'NC', 'NOCASE')),
    negative,
    target: target === '-' ? null : parseTemplate(target),
    text: trusted ? textNamed(target) : null,
    flags: parseRewriteFlags(flags),
    place,
    trusted,
  }
  if (trusted && rule.flags.proxy && !/^backend:\/\/[a-z][a-z0-9-]*(?:\/|$)/.test(target))
    throw new PatternError(
      `the flag P passes on to a backend of the virtual host: write "${BACKEND_SCHEME}NAME", or "${BACKEND_SCHEME}NAME/path", not "${target.slice(0, 60)}"`,
    )
  return rule
}

/** Which parts of a request a rule's outcome depends on. */
export const ruleDependencies = ({ conditions, target, flags }: RewriteRule): Dependency[] => [
  ...conditions.flatMap(({ subject, test }) => [
    ...dependenciesOf(subject),
    ...(test.kind === 'text' || test.kind === 'number' ? dependenciesOf(test.value) : []),
    ...(test.kind === 'expression' ? test.expression.dependencies : []),
  ]),
  ...[target ?? [], ...flags.env, ...flags.cookies].flatMap(dependenciesOf),
]
