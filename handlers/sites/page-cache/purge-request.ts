import {
  OWN_PURGE_FIELD,
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeSiteTag,
  readOnly,
  readPurgeOrder,
} from '../../../edge-cache/index.ts'
import { hasWildcard } from '../../domain/domains/wildcard-name.ts'
import { magentoTags } from './magento-tags.ts'
import { siteScopes, type NamedSite } from './site-purges.ts'

/** What a regular expression says beyond the text that it begins with. */
const PATTERN_CHARACTERS = /[()[\]{}|\\^$+*?]/

/** Names at which a page is purged; at a site with more of them everything is. */
const MAX_NAMES = 200

/**
 * What a PURGE hits: the page of its path in all variants, whatever the query; with
 * `.*` at its end all that begins so. Any other expression is not run: it takes the site.
 */
const scopesOf = (path: string, method: string | null, vhost: NamedSite): PurgeScope[] => {
  const names = [vhost.domain, ...vhost.aliases]
  const isPattern = method?.trim().toLowerCase() === 'regex'
  const everything = purgeDomain(vhost.domain)
  // nginx-helper's word for all, which it sends to the site's own name.
  if (path === '/purgeall' || names.length > MAX_NAMES || hasWildcard(names)) return everything
  if (!path.endsWith('.*')) return isPattern ? everything : purgePath(names, path)
  const prefix = path.slice(0, -2)
  if (prefix === '/' || (isPattern && PATTERN_CHARACTERS.test(prefix))) return everything
  return purgePrefix(names, prefix)
}

/** By this field Magento names tags in place of a path. */
const MAGENTO_PATTERN = 'x-magento-tags-pattern'

/** What a PURGE hits by the tags that it names; any pattern but a list of tags takes the site. */
const taggedScopes = (pattern: string, { domain }: NamedSite): PurgeScope[] =>
  magentoTags(pattern.trim())?.flatMap((tag) => purgeSiteTag(domain, tag)) ?? purgeDomain(domain)

/**
 * What a PURGE hits: by our own field what a response's would, by Magento's tags, else by its path.
 *
 * @param path decoded and normalized
 */
export const scopesOfRequest = (headers: Headers, path: string, vhost: NamedSite): PurgeScope[] => {
  const named = headers.get(OWN_PURGE_FIELD)
  if (named !== null) return siteScopes(readPurgeOrder(readOnly(named).text), vhost)
  const pattern = headers.get(MAGENTO_PATTERN)
  return pattern === null
    ? scopesOf(path, headers.get('x-purge-method'), vhost)
    : taggedScopes(pattern, vhost)
}
