import type { Expression } from './expression.ts'
import type { Pattern } from './pattern/pattern.ts'
import type { FileTest } from './rule-request.ts'
import type { RulePlace } from './rule-trace.ts'
import type { Template } from './template.ts'

/** The part of a condition behind its test string. */
export type ConditionTest =
  | { kind: 'pattern'; pattern: Pattern }
  | { kind: 'file'; test: FileTest }
  | { kind: 'url' }
  | { kind: 'text'; operator: '<' | '>' | '=' | '<=' | '>='; value: Template }
  | { kind: 'number'; operator: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'; value: Template }
  | { kind: 'expression'; expression: Expression }

export interface RewriteCondition {
  subject: Template
  test: ConditionTest
  negative: boolean
  noCase: boolean
  /** Joined to the next one by "or". */
  or: boolean
  place: RulePlace
}

export interface RewriteFlags {
  last: boolean
  end: boolean
  /** Status of `R`; null without the flag. */
  redirect: number | null
  forbidden: boolean
  gone: boolean
  noEscape: boolean
  queryAppend: boolean
  queryDiscard: boolean
  queryLast: boolean
  /** Characters of back-references to escape; `all` for `B` without a list. */
  escapeBackreferences: string | null
  /** Blanks are escaped as `%20` (`BNP`) and not as `+`. */
  noPlus: boolean
  /** A `?` that was escaped in the address may become the beginning of the query. */
  allowQuestionMark: boolean
  chain: boolean
  skip: number
  next: boolean
  noSubrequest: boolean
  proxy: boolean
  env: Template[]
  cookies: Template[]
  type: string | null
  handler: string | null
}

export interface RewriteRule {
  conditions: RewriteCondition[]
  pattern: Pattern
  negative: boolean
  /** Null for `-`: the address stays. */
  target: Template | null
  /** Name of a text of the virtual host that is the answer; null: `target` counts. */
  text: string | null
  flags: RewriteFlags
  place: RulePlace
  /** A rule of the server's own configuration, which may pass requests on (`P`). */
  trusted: boolean
}

/** What a list of rules made of a request. */
export type RewriteResult =
  /** Nothing of consequence but environment and cookies. */
  | { kind: 'unchanged' }
  /** Another path at this host, decoded; `final` ends all rewriting. */
  | { kind: 'internal'; path: string; query: string; final: boolean }
  | { kind: 'redirect'; status: number; location: string }
  /** To an application of the virtual host, by its name; the path is decoded, null: it stays. */
  | { kind: 'pass'; backend: string; path: string | null; query: string }
  /** A text of the virtual host, by its name. */
  | { kind: 'text'; name: string }
  | { kind: 'status'; status: number }
