/** A text that rules were read from. */
export interface RuleSource {
  /** Path of the file below the document root; `rules` and `rewrites` are the keys of a virtual host. */
  readonly name: string
}

/** Where a rule stands. */
export interface RulePlace {
  source: RuleSource
  /** 1-based; of `rewrites` which rule it is. */
  line: number
}

/** Of rules that no text holds. */
export const NOWHERE: RulePlace = { source: { name: '' }, line: 0 }

/** A condition, as far as a trace is concerned. */
export interface TracedCondition {
  place: RulePlace
}

/** A rule, as far as a trace is concerned. */
export interface TracedRule {
  place: RulePlace
  conditions: readonly TracedCondition[]
}

/** Why a rule was not asked. */
export type PassedOver = 'chain' | 'skip' | 'inner'

/** How a rule ended its list, if it did. */
export type RuleEnd =
  | 'last'
  | 'end'
  | 'redirect'
  | 'status'
  | 'forbidden'
  | 'proxy'
  | 'pass'
  | 'gone'
  | 'refused'
  | 'next'
  | 'skip'
  | null

/** What rules have made of an address so far. */
export interface Rewritten {
  path: string
  query: string
  /** Another host's; null: this one's. */
  address: string | null
}

/** Is told what rules do with a request, where somebody wants to know. */
export interface RewriteTrace {
  /** A rule is asked; what it came to follows, unless it costs too much. */
  asking(rule: TracedRule): void
  /** A rule was not asked at all. */
  passedOver(rule: TracedRule, why: PassedOver): void
  /** What a condition's test string came to; its `condition` follows. */
  expanded(text: string): void
  /** Whether a condition held; the rule it belongs to follows. */
  condition(condition: TracedCondition, held: boolean): void
  /** The pattern matched or not (`conditions`: it did, but they do not hold). */
  failed(rule: TracedRule, subject: string, why: 'pattern' | 'conditions'): void
  /** A variable (`E=`) or a cookie (`CO=`) of the rule that follows. */
  set(kind: 'variable' | 'cookie', text: string): void
  /** The rule was carried out. */
  applied(rule: TracedRule, subject: string, state: Rewritten, end: RuleEnd): void
  /** Whether an `<If>`, `<ElseIf>` or `<Else>` holds. */
  section(place: RulePlace, holds: boolean): void
  /** A `Redirect` is for the path. */
  redirect(place: RulePlace, status: number, location: string | null): void
  /** More rules were looked at than one list may have. */
  tooMany(): void
}
