import type { RewriteConfig, VirtualHostConfig } from '../../domain/config-types.ts'
import { parseRewriteRule, ruleDependencies } from '../rewrite/parse-rewrite.ts'
import type { RewriteRule } from '../rewrite/rewrite-types.ts'
import type { Dependency } from '../rewrite/variables.ts'

export interface HostRewrites {
  rules: readonly RewriteRule[]
  dependencies: readonly Dependency[]
}

const compiled = new WeakMap<readonly RewriteConfig[], HostRewrites>()

/** One rule of the key `rewrites`, read. Throws `PatternError`. */
export const readRewrite = ({ pattern, target, flags }: RewriteConfig): RewriteRule =>
  parseRewriteRule([pattern, target, flags], [])

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
