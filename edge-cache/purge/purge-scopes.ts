import { keyId, keyIds } from '../address/key.ts'
import { scriptTag } from '../fields/script-header.ts'
import type { PurgeScope } from '../types.ts'

/** Tag that every entry of a host or of a virtual host's primary domain carries. */
export const hostTag = (host: string): string => `host:${host.toLowerCase()}`

/** Everything, of all virtual hosts. */
export const purgeAll = (): PurgeScope[] => [{ kind: 'all' }]

/** All pages of a host; given the primary domain, those of its aliases too. */
export const purgeDomain = (domain: string): PurgeScope[] => [{ kind: 'tag', tag: hostTag(domain) }]

/** Pages with a custom tag, in any case. */
export const purgeTag = (tag: string): PurgeScope[] => [{ kind: 'tag', tag: tag.toLowerCase() }]

/**
 * Pages of one site with a custom tag; the site is named by its primary domain,
 * and no page of another site is hit, whatever tags it has. The blank cannot be
 * part of a tag that an origin gives.
 */
export const purgeSiteTag = (primaryDomain: string, tag: string): PurgeScope[] => [
  { kind: 'tag', tag: `${hostTag(primaryDomain)} ${tag.toLowerCase()}` },
]

/** Pages of one site that a script made. */
export const purgeScript = (primaryDomain: string, file: string): PurgeScope[] => [
  { kind: 'tag', tag: `${hostTag(primaryDomain)} ${scriptTag(file)}` },
]

const spellingsOf = (path: string): string[] => {
  const spellings = new Set([path])
  try {
    const decoded = decodeURI(path)
    spellings.add(decoded)
    spellings.add(encodeURI(decoded))
  } catch {
    // Not a valid escape sequence or a lone surrogate: only the spelling given can be meant.
  }
  return [...spellings]
}

/** All pages of the hosts whose path begins so; in every spelling, as with `purgePath`. */
export const purgePrefix = (hosts: string | readonly string[], pathPrefix: string): PurgeScope[] =>
  (typeof hosts === 'string' ? [hosts] : hosts).flatMap((host) =>
    spellingsOf(pathPrefix).map((spelling): PurgeScope => ({
      kind: 'prefix',
      prefix: keyId(host.toLowerCase(), spelling, null),
    })),
  )

/** The same purge, but entries become stale instead of dead. */
export const softly = (scopes: readonly PurgeScope[]): PurgeScope[] =>
  scopes.map((scope) => ({ ...scope, soft: true }))

/**
 * One page. `hosts` are the names under which it is served (a primary domain
 * with its aliases). People write a path as it is shown or as it is sent, so its
 * spelled-out, decoded and encoded forms are all hit.
 */
export const purgePath = (hosts: string | readonly string[], path: string): PurgeScope[] =>
  (typeof hosts === 'string' ? [hosts] : hosts).flatMap((host) =>
    spellingsOf(path).flatMap((spelling) =>
      keyIds(host, spelling).map((id): PurgeScope => ({ kind: 'key', id })),
    ),
  )
