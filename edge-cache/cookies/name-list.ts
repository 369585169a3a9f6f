/** A set of names. */
export interface NameList {
  /** Whether a name of the list fits. */
  has(lowerName: string): boolean
}

/**
 * Names without regard to case; a `*` stands for any text at either end of one, or
 * at both. Asked with a name in lower case; the cost grows with the name, not with
 * the list.
 */
export const nameList = (patterns: readonly string[]): NameList => {
  const exact = new Set<string>()
  const prefixes = new Map<string, string[]>()
  const suffixes: string[] = []
  const parts: string[] = []
  for (const pattern of patterns) {
    const lower = pattern.toLowerCase()
    const isOpenAhead = lower.length > 1 && lower.startsWith('*')
    const isOpenBehind = lower.endsWith('*')
    if (isOpenAhead) {
      if (isOpenBehind) parts.push(lower.slice(1, -1))
      else suffixes.push(lower.slice(1))
    } else if (isOpenBehind) {
      const first = lower === '*' ? '' : lower.charAt(0)
      const known = prefixes.get(first)
      if (known === undefined) prefixes.set(first, [lower.slice(0, -1)])
      else known.push(lower.slice(0, -1))
    } else exact.add(lower)
  }
  const hasAll = prefixes.has('')
  return {
    has: (name) =>
      hasAll ||
      exact.has(name) ||
      prefixes.get(name.charAt(0))?.some((prefix) => name.startsWith(prefix)) === true ||
      suffixes.some((suffix) => name.endsWith(suffix)) ||
      parts.some((part) => name.includes(part)),
  }
}
