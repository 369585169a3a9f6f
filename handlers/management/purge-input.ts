import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgeTag,
  type PurgeScope,
} from '../../edge-cache/page-cache.ts'
import { invalid, notFound } from '../errors.ts'
import { normalizePathText } from '../sites/request-path.ts'

/** A purge as it was asked for, and what it hits. */
export interface PurgeRequest {
  scope: 'all' | 'domain' | 'path' | 'tag'
  domain?: string
  path?: string
  tag?: string
  scopes: PurgeScope[]
}

const PARAMETERS = ['domain', 'path', 'tag']

/** One value per known parameter; 400 for unknown, repeated and empty ones. */
const readParameters = (query: URLSearchParams): Map<string, string> => {
  const values = new Map<string, string>()
  for (const [name, value] of query) {
    if (!PARAMETERS.includes(name)) {
      throw invalid(name, `Unknown parameter "${name}". Use domain, path with domain, or tag.`)
    }
    if (values.has(name)) throw invalid(name, `Parameter "${name}" is given twice. Give it once.`)
    if (value === '') {
      throw invalid(name, `Parameter "${name}" is empty. Give it a value or leave it out.`)
    }
    values.set(name, value)
  }
  return values
}

/** A host name in lower case, in its A-label form. */
const readDomain = (text: string): string => {
  const problem = invalid(
    'domain',
    `"${text.slice(0, 253)}" is no domain name. Give a name such as example.com, without scheme, port and path.`,
  )
  if (text.length > 253 || /[\s/:?#@%\\*]/.test(text)) throw problem
  let name: string
  try {
    name = new URL(`http://${text}`).hostname
  } catch {
    throw problem
  }
  if (!/^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(name) || name.includes('..')) throw problem
  return name
}

/** A path in the spelling of the cache keys: from the root, without query, dot segments and wildcards. */
const readPath = (path: string): string => {
  if (!path.startsWith('/')) throw invalid('path', 'path must begin with "/", e.g. /blog/post.')
  if (path.length > 8192) throw invalid('path', 'path is longer than 8192 characters.')
  if (/[\p{Cc}?#\\]/u.test(path)) {
    throw invalid(
      'path',
      'path must not hold a query, a fragment, a backslash or control characters: only plain paths are stored.',
    )
  }
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw invalid('path', 'path must not hold the segments "." and "..". Give the final path.')
  }
  if (path.endsWith('*')) {
    throw invalid(
      'path',
      'path names one page; wildcards are not supported. Purge by domain or tag.',
    )
  }
  const normal = normalizePathText(path)
  if (normal === null) {
    throw invalid('path', 'path is no path a request can have. Give it as the browser shows it.')
  }
  return normal
}

const readTag = (text: string): string => {
  if (text.length > 1024 || /[\s,\p{Cc}]/u.test(text)) {
    throw invalid('tag', 'tag must be at most 1024 characters, without spaces and commas.')
  }
  return text.toLowerCase()
}

/**
 * Reads the query of a purge. Nothing widens by mistake: a path without a domain
 * and a tag beside anything else are 400. `namesOf` answers the names under
 * which the pages of a domain are served.
 */
export const readPurge = (
  query: URLSearchParams,
  namesOf: (domain: string) => readonly string[],
): PurgeRequest => {
  const values = readParameters(query)
  const [domainText, pathText, tagText] = PARAMETERS.map((name) => values.get(name))
  if (tagText !== undefined) {
    if (values.size > 1) {
      throw invalid('tag', 'tag cannot be combined with domain or path. Purge them one by one.')
    }
    const tag = readTag(tagText)
    return { scope: 'tag', tag, scopes: purgeTag(tag) }
  }
  if (domainText === undefined) {
    if (pathText === undefined) return { scope: 'all', scopes: purgeAll() }
    throw invalid('path', 'path needs a domain: a page is addressed by both. Add domain=<name>.')
  }
  const domain = readDomain(domainText)
  if (namesOf(domain).length === 0) {
    throw notFound(
      `"${domain}" is no name of a virtual host, so there is nothing to purge. Check the spelling; \`berth config show\` and GET /api/v1/cache/config list the names.`,
    )
  }
  if (pathText === undefined) return { scope: 'domain', domain, scopes: purgeDomain(domain) }
  const path = readPath(pathText)
  const names = new Set([domain, ...namesOf(domain)])
  return { scope: 'path', domain, path, scopes: purgePath([...names], path) }
}
