import { hostTag } from './purge-scopes.ts'

/** Response headers that carry custom tags; they never reach the client. */
export const TAG_HEADERS = [
  'x-cache-tag',
  'surrogate-key',
  'cache-tag',
  'x-litespeed-tag',
  'x-magento-tags',
] as const

/** Per page: plugins of shops send lists of 32 KiB. */
const MAX_TAGS = 4000
const MAX_TAG_LENGTH = 1024

/** Of LiteSpeed's own field: a tag without the mark of the public space, and without words that only name it. */
const publicTag = (word: string): string => {
  if (word === 'public' || word === 'private') return ''
  return word.startsWith('public:') ? word.slice('public:'.length) : word
}

/**
 * Custom tags of a response, lower case, without repeats, separated by spaces or
 * commas in the headers; null when there are too many to keep. Such a page must
 * not be stored: a purge by a dropped tag would miss it. `host:` is reserved.
 */
export const responseTags = (headers: Headers): string[] | null => {
  const tags = new Set<string>()
  for (const name of TAG_HEADERS) {
    for (const word of (headers.get(name) ?? '').toLowerCase().split(/[\s,]+/)) {
      const tag = name === 'x-litespeed-tag' ? publicTag(word) : word
      if (tag.length > MAX_TAG_LENGTH) return null
      if (tag !== '' && !tag.startsWith('host:')) tags.add(tag)
    }
  }
  return tags.size > MAX_TAGS ? null : [...tags]
}

/** Of an entry's tags the one that names its site, i.e. the virtual host's primary domain. */
export const siteTagOf = (tags: readonly string[]): string => {
  const [host = '', primary] = tags
  return primary?.startsWith('host:') === true ? primary : host
}

/** All tags of an entry: its host, its virtual host's primary domain, the custom ones. */
export const entryTags = (
  host: string,
  primaryDomain: string,
  custom: readonly string[],
): string[] => [...new Set([hostTag(host), hostTag(primaryDomain), ...custom])]
