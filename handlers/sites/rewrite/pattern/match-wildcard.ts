import { spend, type StepBudget } from './matching.ts'

/**
 * Whether a text fits a pattern in which `*` stands for any characters and `?` for one; with `path`
 * neither stands for a slash (`-fnmatch`). A step for each comparison. Throws `PatternLimit`.
 */
export const matchesWildcard = (
  text: string,
  pattern: string,
  { noCase, path }: { noCase: boolean; path: boolean },
  budget: StepBudget,
): boolean => {
  const subject = noCase ? text.toLowerCase() : text
  const wanted = noCase ? pattern.toLowerCase() : pattern
  let at = 0
  let star = -1
  /** Where the characters of the last star begin and end. */
  let held = 0
  let sign = 0
  while (at < subject.length) {
    spend(budget, 1)
    const want = wanted[sign]
    const fits = want === '?' ? !path || subject[at] !== '/' : want === subject[at]
    if (want === '*') {
      star = sign++
      held = at
    } else if (want !== undefined && fits) {
      at++
      sign++
    } else if (star !== -1 && !(path && subject[held] === '/')) {
      at = ++held
      sign = star + 1
    } else return false
  }
  while (wanted[sign] === '*') sign++
  return sign === wanted.length
}
