import type { SiteRedirect } from '../../ports/host/site-settings.ts'

/** Whether a path is the one of the rule, or lies below it. */
export const isBelow = (path: string, prefix: string): boolean =>
  path === prefix ||
  path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`) ||
  // `/shop/` means the folder under both of its spellings.
  `${path}/` === prefix

/** Whether a rule is for a path. */
export const isFor = ({ from, match }: Pick<SiteRedirect, 'from' | 'match'>, path: string) =>
  match === 'exact' ? path === from : isBelow(path, from)

/** Why an address cannot be led to; null: it can. */
export const redirectTargetProblem = (to: string): string | null => {
  if (/[\s\p{Cc}\\<>"`{}|^]/u.test(to))
    return 'must not hold blanks or characters such as \\ < > ".'
  if (to.startsWith('/'))
    return to.startsWith('//') ? 'must not begin with "//": that is another host.' : null
  if (!/^https?:\/\//i.test(to) || !URL.canParse(to))
    return 'must be a path such as /new, or an address such as https://example.com/new.'
  const { username, password } = new URL(to)
  return username === '' && password === '' ? null : 'must not hold a name or password.'
}

/** Why a rule leads a visitor in a circle; null: it does not. */
export const circleProblem = (rule: SiteRedirect): string | null => {
  if (!rule.to.startsWith('/')) return null
  const path = rule.to.split(/[?#]/, 1)[0] ?? ''
  return isFor(rule, path) ? `leads to ${rule.to}, which it is for itself: in a circle.` : null
}
