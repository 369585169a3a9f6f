/** One thing that a response asks to be made new. */
export interface PurgeItem {
  kind: 'tag' | 'path' | 'prefix'
  /** A tag in lower case, or what the site wrote of a path, beginning with `/`. */
  name: string
  /** The old page may be served while one request renews it. */
  soft: boolean
}

/** What a response asks to be made new, within its own site. */
export interface PurgeOrder {
  /** Everything of the site; null: only `items`. */
  all: 'hard' | 'soft' | null
  items: PurgeItem[]
}

/** Beyond these the whole site is purged: nothing that should go may stay. */
const MAX_TEXT_LENGTH = 64 * 1024
const MAX_ITEMS = 1000
/** No page has a longer tag or address. */
const MAX_NAME_LENGTH = 1024

const SEPARATORS = /[\s,]+/
const STALE_MARK = /~s(?:tale)?$/i
const SCOPES = new Set(['public', 'private'])

const EVERYTHING: PurgeOrder = { all: 'hard', items: [] }

/** An item of a list; null where no page can be meant. `everything`: more than items can say. */
const readItem = (text: string, isStale: boolean): PurgeItem | 'everything' | null => {
  const marked = STALE_MARK.test(text)
  const soft = isStale || marked
  const bare = marked ? text.slice(0, text.lastIndexOf('~')) : text
  if (bare.startsWith('/')) {
    const prefix = bare.endsWith('*')
    const name = prefix ? bare.slice(0, -1) : bare
    return name.length > 8 * MAX_NAME_LENGTH
      ? 'everything'
      : { kind: prefix ? 'prefix' : 'path', name, soft }
  }
  const name = (bare.toLowerCase().startsWith('tag=') ? bare.slice(4) : bare).toLowerCase()
  if (name === '' || name.length > MAX_NAME_LENGTH || name.startsWith('host:')) return null
  // A pattern: no plugin is known to send one, and which tags it means is not kept anywhere.
  if (name.startsWith('*') || name.endsWith('*')) return 'everything'
  return { kind: 'tag', name, soft }
}

/**
 * Reads a purge field (`X-Cache-Purge`, `X-LiteSpeed-Purge`), several lines of it joined by
 * commas: sections that `;` parts, each an optional `public` or `private`, an optional
 * `stale`, then tags (`x` or `tag=x`), paths (a final `*`: all that begin so) and `*` for
 * everything of the site. `~s` behind a name is `stale` for that one. What is private
 * speaks of pages that are never stored here, and counts for nothing.
 *
 * Takes linear time; a text too long to keep purges everything of the site.
 */
export const readPurgeOrder = (text: string): PurgeOrder => {
  if (text.length > MAX_TEXT_LENGTH) return EVERYTHING
  const items = new Map<string, PurgeItem>()
  let all: PurgeOrder['all'] = null
  for (const section of text.split(';')) {
    let isPrivate = false
    let isStale = false
    for (const word of section.split(SEPARATORS)) {
      if (word === '') continue
      const lower = word.toLowerCase()
      // Also in the middle, where a second line of the field was joined to the first.
      if (SCOPES.has(lower)) {
        isPrivate = lower === 'private'
        isStale = false
      } else if (lower === 'stale') isStale = true
      else if (isPrivate) continue
      else {
        const marked = STALE_MARK.test(word)
        const item = word === '*' || lower === '*~s' ? 'everything' : readItem(word, isStale)
        if (item === null) continue
        if (item === 'everything') {
          if (!isStale && !marked) return EVERYTHING
          all = 'soft'
          continue
        }
        const key = `${item.kind} ${item.name}`
        // Asked for both ways, the stricter counts.
        if (items.get(key)?.soft !== false) items.set(key, item)
        if (items.size > MAX_ITEMS) return EVERYTHING
      }
    }
  }
  return { all, items: [...items.values()] }
}
