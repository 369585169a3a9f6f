import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  type PurgeScope,
  purgeTag,
  softly,
} from '../../edge-cache/index.ts'
import { hasWildcard, wildcardBase } from '../domain/domains/wildcard-name.ts'
import { invalid } from '../errors.ts'
import { readPurgePath, readPurgeTag } from './purge-values.ts'

/** A purge as it was asked for, and what it hits. */
export interface PurgeRequest {
  scope: 'all' | 'domain' | 'path' | 'prefix' | 'tag'
  /** The one domain or tag; `domains`, `tags` where there are several. */
  domain?: string
  domains?: string[]
  /** Of the domains, those that no virtual host has: marked all the same, as a host may just have gone. */
  unknown_domains?: string[]
  path?: string
  tag?: string
  tags?: string[]
  /** Whether pages become stale instead of absent. */
  soft?: true
  scopes: PurgeScope[]
}

const SEVERAL = ['domain', 'tag']
const ONCE = ['path', 'soft']
/** One call is one step in the order of purges, and one message to every worker. */
const MAX_VALUES = 1000

/** Values per known parameter; 400 for unknown and empty ones, and for repeated ones that are single. */
const readParameters = (query: URLSearchParams): Map<string, string[]> => {
  const values = new Map<string, string[]>()
  for (const [name, value] of query) {
    if (!SEVERAL.includes(name) && !ONCE.includes(name)) {
      throw invalid(
        name,
        `Unknown parameter "${name}". Use domain, path with domain, tag, or soft.`,
      )
    }
    const known = values.get(name) ?? []
    if (known.length > 0 && ONCE.includes(name)) {
      throw invalid(name, `Parameter "${name}" is given twice. Give it once.`)
    }
    const parts = SEVERAL.includes(name) ? value.split(',').map((part) => part.trim()) : [value]
    if (parts.includes('')) {
      throw invalid(name, `Parameter "${name}" is empty. Give it a value or leave it out.`)
    }
    values.set(name, [...known, ...parts])
    if (known.length + parts.length > MAX_VALUES) {
      throw invalid(name, `More than ${MAX_VALUES} values of "${name}". Split them over calls.`)
    }
  }
  return values
}

/** A host name in lower case, in its A-label form. */
const readDomain = (text: string): string => {
  const base = wildcardBase(text)
  if (base !== null && !base.startsWith('*')) return `*.${readDomain(base)}`
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

const readSoft = (text: string | undefined): boolean => {
  if (text === undefined || ['0', 'false'].includes(text)) return false
  if (['1', 'true'].includes(text)) return true
  throw invalid('soft', 'soft is 1 (pages become stale) or 0 (pages become absent, the default).')
}

/** One value under its own name, several under the plural. */
const named = (name: 'domain' | 'tag', values: readonly string[]) =>
  values.length === 1 ? { [name]: values[0] } : { [`${name}s`]: [...values] }

const unique = (values: readonly string[]): string[] => [...new Set(values)]

/**
 * Reads the query of a purge: `domain` and `tag` may be repeated or hold several
 * values with commas between them; a `path` that ends in `*` is a prefix; `soft=1`
 * goes with all. Nothing widens by mistake: a path without a domain and a tag
 * beside a domain are 400. `namesOf` answers the names under which the pages of a
 * domain are served.
 */
export const readPurge = (
  query: URLSearchParams,
  namesOf: (domain: string) => readonly string[],
): PurgeRequest => {
  const values = readParameters(query)
  const soft = readSoft(values.get('soft')?.[0])
  const purge = (asked: PurgeRequest): PurgeRequest =>
    soft ? { ...asked, soft: true, scopes: softly(asked.scopes) } : asked
  const pathText = values.get('path')?.[0]

  const tagTexts = values.get('tag')
  if (tagTexts) {
    if (values.has('domain') || pathText !== undefined) {
      throw invalid('tag', 'tag cannot be combined with domain or path. Purge them one by one.')
    }
    const tags = unique(tagTexts.map((tag) => readPurgeTag(tag)))
    return purge({ scope: 'tag', ...named('tag', tags), scopes: tags.flatMap(purgeTag) })
  }
  const domainTexts = values.get('domain')
  if (!domainTexts) {
    if (pathText === undefined) return purge({ scope: 'all', scopes: purgeAll() })
    throw invalid('path', 'path needs a domain: a page is addressed by both. Add domain=<name>.')
  }
  const domains = unique(domainTexts.map(readDomain))
  const unknown = domains.filter((domain) => namesOf(domain).length === 0)
  const asked = {
    ...named('domain', domains),
    ...(unknown.length > 0 ? { unknown_domains: unknown } : {}),
  }
  if (pathText === undefined) {
    return purge({ scope: 'domain', ...asked, scopes: domains.flatMap(purgeDomain) })
  }
  // Under which of the names of a wildcard a page lies is nowhere written down: all of them go.
  const wild = domains.filter((domain) => hasWildcard(namesOf(domain)))
  const whole = wild.flatMap(purgeDomain)
  const tame = domains.filter((domain) => !wild.includes(domain))
  const names = unique(tame.flatMap((domain) => [domain, ...namesOf(domain)]))
  const isPrefix = pathText.endsWith('*')
  const path = readPurgePath(isPrefix ? pathText.slice(0, -1) : pathText)
  return isPrefix
    ? purge({
        scope: 'prefix',
        ...asked,
        path: `${path}*`,
        scopes: [...whole, ...purgePrefix(names, path)],
      })
    : purge({ scope: 'path', ...asked, path, scopes: [...whole, ...purgePath(names, path)] })
}
