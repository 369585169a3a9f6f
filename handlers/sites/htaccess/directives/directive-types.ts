import type { RewriteCondition } from '../../rewrite/rewrite-types.ts'
import type { RuleSource } from '../../rewrite/rule-trace.ts'
import type { Dependency } from '../../rewrite/variables.ts'
import type { AccessNode, MethodLimit, OldLine } from '../access/access-types.ts'
import type { Settings } from '../files/settings.ts'

/** Changes settings as one directive says. */
export type Step = (settings: Settings) => void

/** What a directive's reader may use. */
export interface DirectiveContext {
  /** Path of the file's directory below the document root, with a final slash. */
  directory: string
  /** The same for all directives of one text. */
  source: RuleSource
  /** Of the directive that is read, 1-based. */
  line: number
  /** Whether the text is the server's own configuration. */
  trusted: boolean
  /** Set inside `<Limit>` and `<LimitExcept>`. */
  limit: MethodLimit | null
  /** `RewriteCond` lines that wait for their rule. */
  conditions: RewriteCondition[]
  /** `Require` lines of this block. */
  requires: AccessNode[]
  /** `Allow` and `Deny` lines of this block. */
  oldLines: OldLine[]
  depend(...on: Dependency[]): void
}

/** Reads one directive. `text` is what follows its name. Throws `DirectiveError` or `PatternError`. Null: it has no effect here. */
export type DirectiveReader = (
  args: string[],
  context: DirectiveContext,
  text: string,
) => Step | null
