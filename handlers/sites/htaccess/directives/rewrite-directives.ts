import {
  parseRewriteCondition,
  parseRewriteRule,
  ruleDependencies,
} from '../../rewrite/parse-rewrite.ts'
import { DirectiveError } from './directive-error.ts'
import type { DirectiveContext, DirectiveReader } from './directive-types.ts'
import { emptyRewrite } from '../files/merge-rewrite.ts'
import type { RewriteSettings, Settings } from '../files/settings.ts'

/** A file that speaks of rewriting replaces what its parents say. */
const own = (settings: Settings, { directory, source }: DirectiveContext): RewriteSettings => {
  if (settings.rewrite?.source === source) return settings.rewrite
  return (settings.rewrite = emptyRewrite(directory, source, settings.rewrite))
}

/** mod_rewrite. */
export const REWRITE_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  rewriteengine: ([value = ''], context) => {
    const on = value.toLowerCase()
    if (on !== 'on' && on !== 'off') throw new DirectiveError('RewriteEngine must be On or Off')
    return (settings) => {
      own(settings, context).engine = on === 'on'
    }
  },
  rewritebase: ([base = ''], context) => {
    if (!base.startsWith('/')) throw new DirectiveError('RewriteBase must begin with "/"')
    return (settings) => {
      own(settings, context).base = base
    }
  },
  rewriteoptions: (args, context) => {
    const names = args.map((arg) => arg.toLowerCase())
    const inherit = names.includes('inheritbefore')
      ? 'before'
      : names.includes('inherit')
        ? 'after'
        : 'no'
    return (settings) => {
      own(settings, context).inherit = inherit
    }
  },
  rewritecond: (args, context) => {
    const { source, line } = context
    context.conditions.push(parseRewriteCondition(args, { source, line }))
    return null
  },
  rewriterule: (args, context) => {
    const { source, line, trusted } = context
    const rule = parseRewriteRule(args, context.conditions.splice(0), { source, line }, trusted)
    context.depend(...ruleDependencies(rule))
    return (settings) => {
      own(settings, context).rules.push(rule)
    }
  },
}
