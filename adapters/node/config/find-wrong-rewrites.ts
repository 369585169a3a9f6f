import type { ConfigProblem, RewriteConfig } from '#handlers/domain/config/config-types.ts'
import type { PlacedVirtualHost } from '#handlers/domain/config/server-config.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import { rulesProblem } from '#handlers/sites/htaccess/files/own-rules.ts'
import { readCondition, rewritesOf } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { compilePattern, PatternError } from '#handlers/sites/rewrite/pattern/pattern.ts'
import { parseRewriteFlags } from '#handlers/sites/rewrite/rewrite-flags.ts'
import { parseTemplate } from '#handlers/sites/rewrite/template.ts'

const reasonOf = (read: () => unknown): string | null => {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

/** `%{HOST` without its end would stand in the address as it is. */
const targetProblem = (target: string): string | null =>
  /(?<!\\)[%$]\{[^}]*$/.test(target)
    ? 'begins a variable that does not end. Write it as %{NAME}, or \\% for the sign itself.'
    : null

type Problem = readonly [key: keyof RewriteConfig, message: string]

const problemsOf = ({ pattern, target, flags, conditions = [] }: RewriteConfig): Problem[] => {
  const problems: Problem[] = []
  const wrong = reasonOf(() => compilePattern(pattern.replace(/^!/, '')))
  if (wrong !== null) problems.push(['pattern', `is no pattern: ${wrong}. Correct it.`])
  const unfinished = targetProblem(target)
  if (unfinished !== null) problems.push(['target', unfinished])
  const unread = reasonOf(() => parseTemplate(target))
  if (unread !== null) problems.push(['target', `cannot be read: ${unread}. Correct it.`])
  for (const condition of conditions) {
    const reason = reasonOf(() => readCondition(condition))
    if (reason !== null)
      problems.push(['conditions', `cannot be read: ${reason}. Write them as of RewriteCond.`])
  }
  const unknown = reasonOf(() => parseRewriteFlags(flags))
  if (unknown !== null)
    problems.push(['flags', `cannot be read: ${unknown}. Use flags of RewriteRule.`])
  return problems
}

const checked = new WeakMap<PlacedVirtualHost, string | null>()

/** What is wrong with the key `rules`; null: nothing. */
const wrongRules = (placed: PlacedVirtualHost): string | null => {
  const { rules } = placed.host
  if (rules === undefined) return null
  let wrong = checked.get(placed)
  if (wrong === undefined) checked.set(placed, (wrong = rulesProblem(rules)))
  return wrong
}

/** Rules of the keys `rewrites` and `rules` that no request could run through. Rules of files that did not change are not read again. */
export const findWrongRewrites = (hosts: readonly PlacedVirtualHost[]): ConfigProblem[] =>
  hosts.flatMap((placed) => {
    const { at, place } = placed
    const wrong = wrongRules(placed)
    const message = `cannot be understood: ${wrong}. Write directives as in an .htaccess file.`
    return [
      ...wrongRewrites(placed),
      ...(wrong === null ? [] : [problemAt(place, [...at, 'rules'], message)]),
    ]
  })

const wrongRewrites = ({ host, at, place }: PlacedVirtualHost): ConfigProblem[] => {
  if (host.rewrites.length === 0) return []
  const targets = host.rewrites.every(({ target }) => targetProblem(target) === null)
  if (targets && reasonOf(() => rewritesOf(host)) === null) return []
  return host.rewrites.flatMap((rewrite, index) =>
    problemsOf(rewrite).map(([key, message]) =>
      problemAt(place, [...at, 'rewrites', index, key], message),
    ),
  )
}
