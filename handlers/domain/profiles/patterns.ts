/** Whether a text fits one of several patterns. */
export type Matcher = (text: string) => boolean

const matcherOf = (pattern: string): Matcher => {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return (text) => text === pattern
  return (text) => {
    if (text.length < head.length + tail.length) return false
    if (!text.startsWith(head) || !text.endsWith(tail)) return false
    let at = head.length
    const end = text.length - tail.length
    // Taking each part where it comes first leaves most room for the next.
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

/** Profiles are data that lives as long as the process; each list is read once. */
const known = new WeakMap<readonly string[], Matcher>()

/** Patterns are text in which a `*` stands for anything. Judging takes linear time for each `*`. */
export const matches = (patterns: readonly string[]): Matcher => {
  let matcher = known.get(patterns)
  if (matcher === undefined) {
    const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
    const open = patterns.filter((pattern) => pattern.includes('*')).map(matcherOf)
    matcher = (text) => exact.has(text) || open.some((one) => one(text))
    known.set(patterns, matcher)
  }
  return matcher
}
