/** From the earliest on, as PHP's version_compare() has them; a number stands between the last two. */
const WORDS = ['dev', 'alpha', 'beta', 'rc', '#', 'p']
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', pl: 'p', c: 'rc' }

const partsOf = (version: string): string[] =>
  (
    version
      .slice(0, 64)
      .toLowerCase()
      .match(/\d+|[a-z]+/g) ?? []
  ).map((part) => SHORT[part] ?? part)

const rank = (part: string): number => (/^\d/.test(part) ? WORDS.indexOf('#') : WORDS.indexOf(part))

const compareParts = (one: string, other: string): number => {
  if (/^\d/.test(one) && /^\d/.test(other)) return Number(one) - Number(other)
  return rank(one) - rank(other)
}

/** Below 0 where `one` is the older, 0 where they are the same; `6.1-RC1` comes before `6.1`. */
export const compareVersions = (one: string, other: string): number => {
  const [first, second] = [partsOf(one), partsOf(other)]
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const [left, right] = [first[at], second[at]]
    // What goes on with a number is newer than what ends there, what goes on with a word older.
    if (left === undefined) return /^\d|^p$/.test(right ?? '') ? -1 : 1
    if (right === undefined) return /^\d|^p$/.test(left) ? 1 : -1
    const order = compareParts(left, right)
    if (order !== 0) return order
  }
  return 0
}

/** The newest of several versions; null of none. */
export const newestVersion = (versions: readonly string[]): string | null =>
  versions.reduce<string | null>(
    (newest, one) => (newest === null || compareVersions(one, newest) > 0 ? one : newest),
    null,
  )
