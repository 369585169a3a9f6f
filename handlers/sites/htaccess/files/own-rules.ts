import type { VirtualHostConfig } from '../../../domain/config/config-types.ts'
import { PatternError } from '../../rewrite/pattern/pattern.ts'
import { DirectiveError } from '../directives/directive-error.ts'
import { hashText } from '../access/hash-text.ts'
import { parseRules } from './parse-rules.ts'
import type { DirectoryRules, RuleChain } from './directory-rules.ts'

const known = new WeakMap<VirtualHostConfig, DirectoryRules>()

/**
 * Directives of the key `rules`: those of a directory above the document root,
 * whose paths begin in the document root all the same. Null without any. Text
 * that no check has seen and that cannot be read closes the site, as an
 * `.htaccess` file would.
 */
export const ownRules = (vhost: VirtualHostConfig): DirectoryRules | null => {
  if (vhost.rules === undefined) return null
  let found = known.get(vhost)
  if (!found) {
    const place = { directory: '/', source: 'rules', hash: hashText(vhost.rules) }
    try {
      found = {
        ...place,
        rules: parseRules(vhost.rules, '/', true, vhost.cache.enable),
        failure: null,
      }
    } catch (error) {
      if (!(error instanceof DirectiveError || error instanceof PatternError)) throw error
      found = { ...place, rules: null, failure: 500, problem: error.message }
    }
    known.set(vhost, found)
  }
  return found
}

/** What counts for paths that an application answers: no directory's rules. */
export const ownChain = (vhost: VirtualHostConfig): RuleChain => {
  const own = ownRules(vhost)
  return own === null ? [] : [own]
}

/** What is wrong with a text of directives, with its line; null: nothing, and every directive is known. */
export const rulesProblem = (text: string): string | null => {
  try {
    const { unknown } = parseRules(text, '/', true, true)
    return unknown.length === 0 ? null : `not known here: ${unknown.slice(0, 10).join(', ')}`
  } catch (error) {
    if (error instanceof DirectiveError || error instanceof PatternError) return error.message
    throw error
  }
}
