import { pageId, type PurgeScope } from '#edge-cache/index.ts'

/** What of one site a purge meant, as people would say it. */
export interface DescribedPurge {
  scope: 'all' | 'paths' | 'tags' | 'scripts'
  /** The first paths (with `*` where it is a prefix) tags or script files; an address that only its hash names is not among them. */
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

type Meant = { host: string } & (
  { kind: 'all' } | { kind: 'paths' | 'tags' | 'scripts'; item: string }
)

/** What is told where a purge means several. */
const KINDS = ['paths', 'tags', 'scripts'] as const

const SITE = 'host:'
const SCRIPT = 'script: '

const meantByTag = (tag: string): Meant | null => {
  if (tag.startsWith('uri:')) return { kind: 'paths', host: tag.split(':', 2)[1] ?? '', item: tag }
  if (!tag.startsWith(SITE)) return null
  const end = tag.indexOf(' ')
  if (end === -1) return { kind: 'all', host: tag.slice(SITE.length) }
  const [host, item] = [tag.slice(SITE.length, end), tag.slice(end + 1)]
  return item.startsWith(SCRIPT)
    ? { kind: 'scripts', host, item: item.slice(SCRIPT.length) }
    : { kind: 'tags', host, item }
}

const meantBy = (scope: PurgeScope): Meant | null => {
  if (scope.kind === 'all') return null
  if (scope.kind === 'tag') return meantByTag(scope.tag)
  const isPrefix = scope.kind === 'prefix'
  const parts = partsOf(isPrefix ? scope.prefix : pageId(scope.id))
  if (parts === null) return null
  return { kind: 'paths', host: parts.host, item: spelledOut(parts.path) + (isPrefix ? '*' : '') }
}

/**
 * What scopes mean, by site; `siteOf` gives the primary domain of a host. A purge
 * of all sites, and one by a tag of all sites, belong to none and are left out.
 */
export const describedScopes = (
  scopes: readonly PurgeScope[],
  siteOf: (host: string) => string | null,
): Map<string, DescribedPurge> => {
  type Items = Record<'paths' | 'tags' | 'scripts', Set<string>>
  const sites = new Map<string, Items & { all: boolean }>()
  for (const scope of scopes) {
    const meant = meantBy(scope)
    const site = meant === null ? null : siteOf(meant.host)
    if (meant === null || site === null) continue
    let own = sites.get(site)
    if (own === undefined) {
      own = { all: false, paths: new Set(), tags: new Set(), scripts: new Set() }
      sites.set(site, own)
    }
    if (meant.kind === 'all') own.all = true
    else own[meant.kind].add(meant.item)
  }
  return new Map(
    [...sites].map(([site, own]): [string, DescribedPurge] => {
      if (own.all) return [site, { scope: 'all', items: [], count: 1 }]
      const scope = KINDS.find((kind) => own[kind].size > 0) ?? 'tags'
      const items = [...own[scope]]
        .filter((item) => !item.startsWith('uri:'))
        .slice(0, MAX_ITEMS)
        .map((item) => item.slice(0, MAX_ITEM))
      return [site, { scope, items, count: own[scope].size }]
    }),
  )
}
