import type { RewriteConfig, VirtualHostConfig } from '../../domain/config/config-types.ts'
import {
  parseRewriteCondition,
  parseRewriteRule,
  ruleDependencies,
} from '../rewrite/parse-rewrite.ts'
import { PatternError } from '../rewrite/pattern/pattern.ts'
import type { RewriteCondition, RewriteRule } from '../rewrite/rewrite-types.ts'
import type { RulePlace, RuleSource } from '../rewrite/rule-trace.ts'
import type { Dependency } from '../rewrite/variables.ts'
import { rawWordsOf } from './files/parse-lines.ts'

export interface HostRewrites {
  rules: readonly RewriteRule[]
  dependencies: readonly Dependency[]
}

/** One of a rule's conditions, read. Throws `PatternError`. */
export const readCondition = (condition: string, place?: RulePlace): RewriteCondition =>
  parseRewriteCondition(rawWordsOf(condition), place)

const REWRITES: RuleSource = { name: 'rewrites' }

const compiled = new WeakMap<readonly RewriteConfig[], HostRewrites>()

/** One rule of the key `rewrites`, read. Throws `PatternError`. */
export const readRewrite = (
  { pattern, target, flags, conditions = [] }: RewriteConfig,
  index = 0,
): RewriteRule => {
  const place = { source: REWRITES, line: index + 1 }
  const read = conditions.map((condition) => readCondition(condition, place))
  return parseRewriteRule([pattern, target, flags], read, place, true)
}

/** The rules of a virtual host's own configuration; null without any. */
export const rewritesOf = ({ rewrites }: VirtualHostConfig): HostRewrites | null => {
  if (rewrites.length === 0) return null
  let found = compiled.get(rewrites)
  if (!found) {
    const rules = rewrites.map(readRewrite)
    found = { rules, dependencies: rules.flatMap(ruleDependencies) }
    compiled.set(rewrites, found)
  }
  return found
}

/** What is wrong with one rule of the key `rewrites`; null: nothing. */
export const rewriteProblem = (rewrite: RewriteConfig): string | null => {
  try {
    readRewrite(rewrite)
    return null
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}
