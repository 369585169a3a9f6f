/** What rewrite rules say to the page cache, by flags that stand for variables. */
export interface CacheWords {
  /** The response is neither looked up nor stored (`E=Cache-Control:no-cache`). */
  off: boolean
  /** Which of a page's variants is meant (`E=Cache-Control:vary=`); empty: the plain one. */
  variant: string
  /** Names of cookies whose owners get pages of their own (`E=Cache-Vary:`). */
  cookies: readonly string[]
}

export const noCacheWords = (): CacheWords => ({ off: false, variant: '', cookies: [] })

/** By this name scripts, and rules further down, see the variant. */
export const VARY_VALUE = 'LSCACHE_VARY_VALUE'
/** By this name scripts see the list of cookies. */
export const VARY_COOKIE = 'LSCACHE_VARY_COOKIE'

/** Words of `Cache-Control` by which a response is not for everybody. */
const OFF = new Set(['no-cache', 'no-store', 'private'])
/** Parts of a flag's list that are read, and cookies of all flags together. */
const MAX_NAMES = 64

/**
 * Parts of a list between commas without the blanks around them; null when they are
 * more than are read. Then nothing is cached, as any of them could forbid it.
 */
const partsOf = (value: string): string[] | null => {
  const parts = value.split(',', MAX_NAMES + 1)
  return parts.length > MAX_NAMES ? null : parts.map((part) => part.trim())
}

/**
 * Takes a flag's variable, if it speaks to the page cache; names count in any case.
 * More than 64 parts, or cookies of all flags together, switch the cache off.
 */
export const readCacheFlag = (
  name: string,
  value: string,
  words: CacheWords,
  env: Map<string, string>,
): boolean => {
  switch (name.toLowerCase()) {
    case 'cache-control':
      for (const word of partsOf(value) ?? ['no-cache']) {
        if (OFF.has(word.toLowerCase())) words.off = true
        else if (word.toLowerCase().startsWith('vary=')) {
          words.variant = word.slice('vary='.length)
          env.set(VARY_VALUE, words.variant)
        }
      }
      return true
    case 'cache-vary': {
      const named = partsOf(value)
      const all = new Set(words.cookies)
      for (const cookie of named ?? []) if (cookie !== '') all.add(cookie)
      if (named === null || all.size > MAX_NAMES) {
        words.off = true
        return true
      }
      words.cookies = [...all]
      env.set(VARY_COOKIE, words.cookies.join(','))
      return true
    }
    default:
      return false
  }
}

/** Whether a variable is how rules see what was said to the page cache. */
export const isCacheVariable = (name: string): boolean =>
  name.endsWith(VARY_VALUE) || name.endsWith(VARY_COOKIE)
