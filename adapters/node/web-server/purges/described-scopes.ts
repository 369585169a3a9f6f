import { pageId } from '#edge-cache/index.ts'
import type { PurgeScope } from '#edge-cache/types.ts'

/** What of one site a purge meant, as people would say it. */
export interface DescribedPurge {
  scope: 'all' | 'paths' | 'tags'
  /** The first paths (with `*` where it is a prefix) or tags; an address that only its hash names is not among them. */
  items: string[]
  /** How many there were. */
  count: number
}

/** Named of one purge. */
const MAX_ITEMS = 5
const MAX_ITEM = 200

/** One spelling for all in which a path is purged. */
const spelledOut = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Host and path of `https://host/path`, `//host/path`. */
const partsOf = (address: string): { host: string; path: string } | null => {
  const mark = address.indexOf('//')
  if (mark === -1) return null
  const slash = address.indexOf('/', mark + 2)
  if (slash === -1) return null
  return { host: address.slice(mark + 2, slash), path: address.slice(slash) }
}

type Meant = { host: string } & ({ kind: 'all' } | { kind: 'path' | 'tag'; item: string })

const meantBy = (scope: PurgeScope): Meant | null => {
  if (scope.kind === 'all') return null
  if (scope.kind === 'tag') {
    const [kind, host = '', ...rest] = scope.tag.split(/[: ]/, 3)
    if (kind === 'uri') return { kind: 'path', host, item: scope.tag }
    if (kind !== 'host') return null
    const [tag] = rest
    return tag === undefined ? { kind: 'all', host } : { kind: 'tag', host, item: tag }
  }
  const isPrefix = scope.kind === 'prefix'
  const parts = partsOf(isPrefix ? scope.prefix : pageId(scope.id))
  if (parts === null) return null
  return { kind: 'path', host: parts.host, item: spelledOut(parts.path) + (isPrefix ? '*' : '') }
}

/**
 * What scopes mean, by site; `siteOf` gives the primary domain of a host. A purge
 * of all sites, and one by a tag of all sites, belong to none and are left out.
 */
export const describedScopes = (
  scopes: readonly PurgeScope[],
  siteOf: (host: string) => string | null,
): Map<string, DescribedPurge> => {
  const sites = new Map<string, { all: boolean; paths: Set<string>; tags: Set<string> }>()
  for (const scope of scopes) {
    const meant = meantBy(scope)
    const site = meant === null ? null : siteOf(meant.host)
    if (meant === null || site === null) continue
    let own = sites.get(site)
    if (own === undefined)
      sites.set(site, (own = { all: false, paths: new Set(), tags: new Set() }))
    if (meant.kind === 'all') own.all = true
    else own[meant.kind === 'path' ? 'paths' : 'tags'].add(meant.item)
  }
  const described = (set: Set<string>, scope: 'paths' | 'tags'): DescribedPurge => ({
    scope,
    items: [...set]
      .filter((item) => scope === 'tags' || !item.startsWith('uri:'))
      .slice(0, MAX_ITEMS)
      .map((item) => item.slice(0, MAX_ITEM)),
    count: set.size,
  })
  return new Map(
    [...sites].map(([site, { all, paths, tags }]): [string, DescribedPurge] => {
      if (all) return [site, { scope: 'all', items: [], count: 1 }]
      return [site, paths.size > 0 ? described(paths, 'paths') : described(tags, 'tags')]
    }),
  )
}
