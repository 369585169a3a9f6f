/** A request to a site that is only thought through. */
export interface SiteTest {
  /** A name of the site. */
  domain: string
  method: string
  /** Absolute, with a name of the site. */
  url: string
  /** Fields of the request, names in lower case. */
  headers: Record<string, string>
  clientAddress: string
  /** What the document root's `.htaccess` would say; null: it says what it says. */
  draft: string | null
}

/** Where a rule stands. */
export interface StepPlace {
  /** Path of the file below the document root; `rules` and `rewrites` are keys of the virtual host in the configuration. */
  source: string
  /** 1-based; of `rewrites` which rule it is. */
  line: number
  text: string
}

/** A condition before a rule. */
export interface ConditionStep {
  line: number
  text: string
  /** What its test string came to; null where it was not asked or has none. */
  value: string | null
  /** Null: it was not asked. */
  holds: boolean | null
}

/** One `RewriteRule` and what became of it. */
export interface RuleStep extends StepPlace {
  kind: 'rule'
  /**
   * `pattern`: it does not match; `conditions`: they do not hold. Not asked: `chain`, the rule
   * before it in the chain did not match; `skip`, skipped; `inner`, only for requests of visitors.
   */
  outcome: 'applied' | 'pattern' | 'conditions' | 'chain' | 'skip' | 'inner'
  /** What the pattern saw; null where it was not asked. */
  subject: string | null
  conditions: ConditionStep[]
  /** The address after it; null where it was not carried out. */
  path: string | null
  query: string | null
  /** Variables and cookies that it set. */
  set: { kind: 'variable' | 'cookie'; text: string }[]
  /** How it ended the list, or where it went on; null: with the next one. */
  end:
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
}

/** One thing that happens to a request. */
export type SiteTestStep =
  /** What stands before all rules answers: a redirect to https, a closed site. */
  | { kind: 'entrance'; status: number; location: string | null }
  /** Because it held up everybody, it is not answered for a while. */
  | { kind: 'held'; status: number }
  /** A setting of the site answers; `rule` says which. */
  | { kind: 'guard'; rule: string; status: number; location: string | null }
  /** The rules of the configuration (`rewrites`) begin. */
  | { kind: 'own'; path: string; query: string }
  /** An address is looked at, with the files whose rules count there. */
  | { kind: 'address'; path: string; query: string; file: string; sources: string[] }
  /** A file with rules cannot be used, so that nothing below is served. `line` null: the fault is in no line. */
  | { kind: 'unreadable'; source: string; line: number | null; reason: string; status: number }
  /** Directives that are not known and were left out. */
  | { kind: 'unknown'; source: string; names: string[] }
  | (StepPlace & { kind: 'section'; holds: boolean })
  | RuleStep
  /** Rules are there, but `RewriteEngine` is off (`off`), or a rule ended all rewriting (`ended`). */
  | { kind: 'not-rewriting'; why: 'off' | 'ended' }
  | (StepPlace & { kind: 'redirect'; status: number; location: string | null })
  /** `Require` and its kin shut the client out. */
  | { kind: 'shut-out'; status: number }
  /** Another address is next: of the rules, a directory's index, or what stands in for what is not there. */
  | { kind: 'onward'; why: 'rules' | 'index' | 'stand-in'; path: string; query: string }
  /** It ends here, and no rule says so; `at`: the rule that took too many steps. */
  | {
      kind: 'ended'
      at: StepPlace | null
      why: 'hidden' | 'too-deep' | 'bad-address' | 'rounds' | 'steps' | 'rules'
      status: number
    }
  /** What follows is left out: it is too much to show. */
  | { kind: 'cut' }

/** What would answer. Nothing of the site was run. */
export interface SiteTestOutcome {
  kind: 'file' | 'script' | 'listing' | 'application' | 'redirect' | 'status'
  /** Null: the script or the application says it. */
  status: number | null
  location: string | null
  /** Path below the document root: of the file or script that answers, or of an error's page; null: none. */
  file: string | null
  /** What a script sees as its query, or the application as path and query; null without. */
  query: string | null
}

/** What a request would come to, and by which rules. */
export interface SiteTestResult {
  steps: SiteTestStep[]
  outcome: SiteTestOutcome
}
