import type { ProxyRule } from '#handlers/domain/config/config-types.ts'
import { encodePath } from '#handlers/sites/paths/request-path.ts'

/** `/a` for `/a` and `/a/`; empty for `/`. */
const bare = (prefix: string): string => {
  const encoded = encodePath(prefix)
  return encoded.endsWith('/') ? encoded.slice(0, -1) : encoded
}

/** What follows a prefix without a final slash: empty, or from `/`, `?` or `#` on; null: it is another path. */
const behind = (address: string, prefix: string): string | null => {
  if (!address.startsWith(prefix)) return null
  const rest = address.slice(prefix.length)
  return rest === '' || /^[/?#]/.test(rest) ? rest : null
}

const joined = (prefix: string, rest: string): string => {
  // Two slashes at the beginning of an address would name a host.
  if (prefix === '') return rest.startsWith('/') ? `/${rest.replace(/^\/+/, '')}` : `/${rest}`
  return `${prefix}${rest}`
}

/** Of a text, what follows another one; null: it begins otherwise. */
const after = (text: string, start: string): string | null =>
  text.startsWith(start) ? text.slice(start.length) : null

/** Path and query as an application gets them that stands below another path than here. */
export const pathForApplication = (
  requestUri: string,
  { replace_prefix: replaced }: Pick<ProxyRule, 'replace_prefix'>,
): string => {
  if (replaced === undefined) return requestUri
  if (replaced.plain === true) {
    const rest = after(requestUri, encodePath(replaced.from))
    return rest === null ? requestUri : `${encodePath(replaced.to)}${rest}`
  }
  const rest = behind(requestUri, bare(replaced.from))
  return rest === null ? requestUri : joined(bare(replaced.to), rest)
}

/** A cookie's `Path`; whatever stands in front of the last counts for nothing (RFC 6265, 5.2.4). */
const COOKIE_PATH = /(;[ \t]*path[ \t]*=[ \t]*)([^;]*)/gi

/** Paths of an application as visitors have them. */
const wayBack = ({ replace_prefix: replaced }: Pick<ProxyRule, 'replace_prefix'>) => {
  if (replaced === undefined) return (path: string): string => path
  if (replaced.plain === true)
    return (path: string): string => {
      const rest = after(path, encodePath(replaced.to))
      return rest === null ? path : `${encodePath(replaced.from)}${rest}`
    }
  const [from, to] = [bare(replaced.from), bare(replaced.to)]
  return (path: string): string => {
    const rest = behind(path, to)
    return rest === null ? path : joined(from, rest)
  }
}

/**
 * Says in a response's head the paths under which visitors reach what the application names:
 * `Location` and `Content-Location` at its own origin lose that. Where it has another path, also those by
 * path alone and at the host that visitors ask, and `Path` of cookies; not where its prefix is `plain`.
 * Other addresses, and those outside of its prefix, stay.
 *
 * @param visitors hosts, in lower case
 * @param own origins, in lower case
 */
export const mapPathsBack = (
  headers: Headers,
  rule: Pick<ProxyRule, 'replace_prefix'>,
  { visitors, own }: { visitors: readonly string[]; own: readonly string[] },
): void => {
  const back = wayBack(rule)
  const { replace_prefix: replaced } = rule
  const isBelow = replaced !== undefined && replaced.plain !== true
  for (const name of ['location', 'content-location']) {
    const value = headers.get(name)
    if (value === null) continue
    const [start, scheme = '', authority = ''] = /^(https?:\/\/)([^/?#]+)/i.exec(value) ?? []
    if (start !== undefined) {
      const path = value.slice(start.length)
      const mapped = back(path.startsWith('/') ? path : `/${path}`)
      if (visitors.includes(authority.toLowerCase())) {
        if (isBelow) headers.set(name, `${scheme}${authority}${mapped}`)
        // Where the application is reached is nothing to visitors, who stay where they are.
      } else if (own.includes(start.toLowerCase())) headers.set(name, mapped.replace(/^\/+/, '/'))
    } else if (isBelow && value.startsWith('/') && !value.startsWith('//'))
      headers.set(name, back(value))
  }
  if (!isBelow) return
  const cookies = headers.getSetCookie()
  if (cookies.length === 0) return
  headers.delete('set-cookie')
  for (const cookie of cookies)
    headers.append(
      'set-cookie',
      cookie.replaceAll(
        COOKIE_PATH,
        (_all, key: string, path: string) => `${key}${back(path.trim())}`,
      ),
    )
}

/** Whether `mapPathsBack` may change anything. */
export const mayNameItself = (
  headers: Headers,
  { replace_prefix: replaced }: Pick<ProxyRule, 'replace_prefix'>,
): boolean => replaced !== undefined || headers.has('location') || headers.has('content-location')
