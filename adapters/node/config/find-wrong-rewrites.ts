import type { ConfigProblem, RewriteConfig } from '#handlers/domain/config-types.ts'
import type { PlacedVirtualHost } from '#handlers/domain/server-config.ts'
import { problemAt } from '#handlers/domain/server-config-problems.ts'
import { rewritesOf } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { compilePattern, PatternError } from '#handlers/sites/rewrite/pattern.ts'
import { parseRewriteFlags } from '#handlers/sites/rewrite/rewrite-flags.ts'

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

const problemsOf = ({ pattern, target, flags }: RewriteConfig): Problem[] => {
  const problems: Problem[] = []
  const wrong = reasonOf(() => compilePattern(pattern.replace(/^!/, '')))
  if (wrong !== null) problems.push(['pattern', `is no pattern: ${wrong}. Correct it.`])
  const unfinished = targetProblem(target)
  if (unfinished !== null) problems.push(['target', unfinished])
  const unknown = reasonOf(() => parseRewriteFlags(flags))
  if (unknown !== null)
    problems.push(['flags', `cannot be read: ${unknown}. Use flags of RewriteRule.`])
  return problems
}

/** Rules of the key `rewrites` that no request could run through. Rules of files that did not change are not read again. */
export const findWrongRewrites = (hosts: readonly PlacedVirtualHost[]): ConfigProblem[] =>
  hosts.flatMap(({ host, at, place }) => {
    if (host.rewrites.length === 0) return []
    const targets = host.rewrites.every(({ target }) => targetProblem(target) === null)
    if (targets && reasonOf(() => rewritesOf(host)) === null) return []
    return host.rewrites.flatMap((rewrite, index) =>
      problemsOf(rewrite).map(([key, message]) =>
        problemAt(place, [...at, 'rewrites', index, key], message),
      ),
    )
  })
