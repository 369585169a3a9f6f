import type { CacheEntry } from '../types.ts'

/** Lists, fields and tags remembered to be shared; then it begins anew. */
const MAX_REMEMBERED = 4096
/** What is longer is hardly ever the same on two pages. */
const MAX_LENGTH = 1024

/** Answers the first of all things with the same text, which is made when there is none. */
const createPool = <T>(): ((text: string, make: () => T) => T) => {
  let known = new Map<string, T>()
  return (text, make) => {
    if (text.length > MAX_LENGTH) return make()
    const first = known.get(text)
    if (first !== undefined) return first
    if (known.size >= MAX_REMEMBERED) known = new Map()
    const made = make()
    known.set(text, made)
    return made
  }
}

/** Makes entries share what is the same in them. */
export interface SharedParts {
  /** Exchanges the entry's fields and tags for equal ones of other entries. */
  share(entry: CacheEntry): void
}

/** Most pages of a site have the same fields and tags: of a million entries they would be the larger part. */
export const createSharedParts = (): SharedParts => {
  const fields = createPool<CacheEntry['headers']>()
  const field = createPool<readonly [string, string]>()
  const tags = createPool<CacheEntry['tags']>()
  const tag = createPool<string>()
  return {
    share(entry) {
      const { headers, tags: own } = entry
      // Neither names nor values hold a line feed.
      const text = headers.map((one) => one.join('\n')).join('\n')
      entry.headers = fields(text, () => headers.map((one) => field(one.join('\n'), () => one)))
      entry.tags = tags(own.join('\n'), () => own.map((one) => tag(one, () => one)))
    },
  }
}
