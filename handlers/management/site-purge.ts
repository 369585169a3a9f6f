import {
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeSiteTag,
} from '../../edge-cache/index.ts'
import { hasWildcard } from '../domain/domains/wildcard-name.ts'
import type { SitePurgeScope } from '../ports/host/cache/page-cache.ts'
import { readPurgePath, readPurgeTag } from './purge-values.ts'

/**
 * What a purge of one site hits: `domain` is its primary name, `names` are all of
 * its names. No scope reaches beyond them: paths are addressed by host, and tags
 * count within the site alone. Throws 400 for what no page can have.
 */
export const sitePurgeScopes = (
  domain: string,
  names: readonly string[],
  scope: SitePurgeScope,
): PurgeScope[] => {
  if (scope.kind === 'all') return purgeDomain(domain)
  if (scope.kind === 'tags')
    return scope.tags.flatMap((tag) => purgeSiteTag(domain, readPurgeTag(tag, 'tags')))
  // Under which of the names of a wildcard a page lies is nowhere written down.
  const isWhole = hasWildcard(names)
  const pages = scope.paths.flatMap((path) =>
    path.endsWith('*')
      ? purgePrefix(names, readPurgePath(path.slice(0, -1), 'paths'))
      : purgePath(names, readPurgePath(path, 'paths')),
  )
  return isWhole ? purgeDomain(domain) : pages
}
