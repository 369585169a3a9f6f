import type { RewriteRule } from '../../rewrite/rewrite-types.ts'
import type { RuleSource } from '../../rewrite/rule-trace.ts'
import type { RewriteSettings } from './settings.ts'

/** Rewriting as a directory's file begins to set it; `parent` is what it inherits from where it says so. */
export interface InheritingRewrite extends RewriteSettings {
  parent: RewriteSettings | null
}

/** Settings of a directory that says nothing yet. */
export const emptyRewrite = (
  directory: string,
  source: RuleSource,
  parent: RewriteSettings | null,
): InheritingRewrite => ({
  engine: null,
  base: null,
  rules: [],
  inherit: 'no',
  directory,
  source,
  parent,
})

const parentOf = (settings: RewriteSettings): RewriteSettings | null =>
  'parent' in settings ? (settings as InheritingRewrite).parent : null

/** Whether rewriting is on: said here or in a directory above. */
export const isRewriting = (settings: RewriteSettings): boolean => {
  for (let at: RewriteSettings | null = settings; at; at = parentOf(at)) {
    if (at.engine !== null) return at.engine
  }
  return false
}

/** The rules that count, with inherited ones where `RewriteOptions` asks for them. */
export const effectiveRules = (settings: RewriteSettings): readonly RewriteRule[] => {
  const parent = parentOf(settings)
  if (parent === null || settings.inherit === 'no') return settings.rules
  const above = effectiveRules(parent)
  return settings.inherit === 'before'
    ? [...above, ...settings.rules]
    : [...settings.rules, ...above]
}

const leadsToScript = ({ target, flags }: RewriteRule): boolean =>
  flags.redirect === null &&
  (target?.some((part) => part.kind === 'text' && part.text.includes('.php')) ?? false)

/**
 * Whether the rules, here or in a directory above, lead to a script by
 * themselves. Rules that only close or redirect say nothing of what answers
 * an address where no file is.
 */
export const namesFrontController = (settings: RewriteSettings): boolean => {
  if (!isRewriting(settings)) return false
  for (let at: RewriteSettings | null = settings; at; at = parentOf(at)) {
    if (at.rules.some(leadsToScript)) return true
  }
  return false
}
