import {
  OWN_PURGE_FIELD,
  PURGE_FIELDS,
  purgeDomain,
  type PurgeItem,
  type PurgeOrder,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeSiteTag,
  readOnly,
  readPurgeOrder,
  softly,
} from '../../../edge-cache/index.ts'
import { hasWildcard } from '../../domain/domains/wildcard-name.ts'
import { normalizeTarget } from '../paths/request-path.ts'

/**
 * Makes pages of a site new on the site's own word. Resolves when no worker can answer
 * an old one any more.
 */
export type PurgeSite = (domain: string, scopes: readonly PurgeScope[]) => Promise<void>

/** A site by its names. */
export interface NamedSite {
  domain: string
  aliases: readonly string[]
}

const scopesOf = ({ kind, name }: PurgeItem, { domain, aliases }: NamedSite): PurgeScope[] => {
  if (kind === 'tag') return purgeSiteTag(domain, name)
  // A stored page has no query but in mode "http", where a purge of its path takes all.
  const path = normalizeTarget(name)?.path
  if (path === undefined) return []
  const names = [domain, ...aliases]
  // Under which of the names of a wildcard the page lies is nowhere written down.
  if (hasWildcard(names)) return purgeDomain(domain)
  return kind === 'prefix' ? purgePrefix(names, path) : purgePath(names, path)
}

/**
 * What the purge fields of a response ask for; null: it has none of them. `isAll`: they say to name all that the
 * request changed.
 */
export const orderedBy = (headers: Headers): { order: PurgeOrder; isAll: boolean } | null => {
  let isAll = false
  const texts = PURGE_FIELDS.flatMap((name) => {
    const given = headers.get(name)
    if (given === null || name !== OWN_PURGE_FIELD) return given ?? []
    const { text, only } = readOnly(given)
    isAll = only
    return text
  })
  return texts.length === 0 ? null : { order: readPurgeOrder(texts.join(';')), isAll }
}

/** Pages and tags that a site may name at once, a page at each of its names. */
const MAX_NAMED = 200

/** Whether items are so many that the site as a whole is made new: each leaves marks of its own. */
const isTooMuch = (items: readonly PurgeItem[], { aliases }: NamedSite): boolean => {
  const paths = items.filter(({ kind }) => kind !== 'tag').length
  return items.length + paths * aliases.length > MAX_NAMED
}

/**
 * Scopes of what a site asks to be made new; of more than 200 pages and tags, counted at
 * each of its names, the whole site, softly only when all of them are. None reaches beyond
 * the virtual host: tags count within it alone, and paths are those of its own names.
 */
export const siteScopes = ({ all, items }: PurgeOrder, vhost: NamedSite): PurgeScope[] => {
  if (all === 'hard') return purgeDomain(vhost.domain)
  if (isTooMuch(items, vhost)) {
    const whole = purgeDomain(vhost.domain)
    return items.every(({ soft }) => soft) ? softly(whole) : whole
  }
  const scopes = items.flatMap((item) => {
    const own = scopesOf(item, vhost)
    return item.soft ? softly(own) : own
  })
  return all === 'soft' ? [...softly(purgeDomain(vhost.domain)), ...scopes] : scopes
}
