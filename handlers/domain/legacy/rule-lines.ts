import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import type { Report } from './report.ts'
import type { Directive, RuleCheck } from './types.ts'

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** A section of the key `rules`; nothing when it is empty. */
export const sectionLines = (head: string, inside: readonly string[]): string[] => {
  const name = /^\S+/.exec(head)?.[0] ?? ''
  return inside.length === 0 ? [] : [`<${head}>`, ...indent(inside), `</${name}>`]
}

const DELIMITERS = ['#', '|', '!', ',', ':', '%']

/** `subject =~ pattern` for `<If>`; null when no sign is left to enclose the pattern. */
export const matchExpression = (
  subject: string,
  pattern: string,
  noCase = false,
): string | null => {
  const sign = DELIMITERS.find((one) => !pattern.includes(one))
  if (sign === undefined || /[\r\n\0]/.test(pattern)) return null
  return `${subject} =~ m${sign}${pattern}${sign}${noCase ? 'i' : ''}`
}

/** The head of an `<If>` or `<ElseIf>`. */
export const ifHead = (expression: string, name = 'If'): string =>
  `${name} "${expression.replaceAll('"', '\\"')}"`

/** A text as one argument of a directive. */
export const quoted = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** A text as part of a pattern that means itself. */
export const escapePattern = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('#', '\\x23')

const setPattern = (set: string): string => {
  const negative = /^\[[!^]/.test(set)
  const inside = set.slice(negative ? 2 : 1, -1).replace(/[\\[\]^]/g, '\\$&')
  return `[${negative ? '^' : ''}${inside.replaceAll('#', '\\x23')}]`
}

/** A path with `*`, `?` and `[…]`, none of which stands for a slash, and what lies below it. */
export const globPattern = (glob: string): string => {
  const parts = glob.split(/(\*+|\?|\[[!^]?\]?[^\]/]{0,255}\])/)
  const patterns = parts.map((part) => {
    if (/^\*/.test(part)) return '[^/]*'
    if (part === '?') return '[^/]'
    return /^\[.+\]$/.test(part) ? setPattern(part) : escapePattern(part)
  })
  return `^${patterns.join('')}(?:/|$)`
}

/** A pattern for a path and what lies below it. */
export const belowPattern = (path: string): string => {
  const bare = trimEndOf(path, '/')
  return bare === '' ? '^/' : `^${escapePattern(bare)}(?:/|$)`
}

/** The lines when the web server understands them; otherwise none, and the directive is named. */
export const understood = (
  lines: string[],
  directive: Directive,
  deps: { check: RuleCheck; report: Report },
): string[] | null => {
  const wrong = deps.check.rules(lines.join('\n'))
  if (wrong === null) return lines
  deps.report.lost(directive, `It is not understood: ${wrong.replace(/^line \d+: /, '')}.`)
  return null
}
