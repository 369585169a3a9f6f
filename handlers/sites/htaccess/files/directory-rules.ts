import type { ParsedRules } from './parse-rules.ts'

/** A directory with rules. */
export interface DirectoryRules {
  /** Path below the document root with a final slash. */
  directory: string
  /** Path of the file below the document root, or `rules`. */
  source: string
  rules: ParsedRules | null
  /** Status that everything below answers: 403 unreadable, 500 not understood; null: none. */
  failure: 403 | 500 | null
  /** What is wrong with the text, with its line; absent: nothing, or it was not read. */
  problem?: string
  /** Of the text; tells one version of the rules from another. */
  hash: string
}

/** The directories with rules on the way to a file, from the document root down. */
export type RuleChain = readonly DirectoryRules[]
