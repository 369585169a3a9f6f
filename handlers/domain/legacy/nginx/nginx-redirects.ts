import {
  cookiePathLine,
  COOKIES_BACK,
  isPlainReplacement,
  LEADS_BACK,
  redirectLine,
} from '../mapped-heads.ts'
import type { Report } from '../report.ts'
import { escapePattern } from '../rule-lines.ts'
import type { Directive } from '../types.ts'
import { nearestAll, type Scope } from './nginx-scope.ts'

/** An application as one location passes on to it. */
export interface PassedOn {
  /** Address that `proxy_pass` names, e.g. `http://app:3000`. */
  address: string
  /** Of the location; null: it is no beginning of paths. */
  here: string | null
  /** What the application gets in its place; empty: the path as it came. */
  there: string
  /** Names of the server. */
  names: readonly string[]
}

const ELSEWHERE =
  'Redirects to the application’s own address are given back as visitors reach it, not to another place.'
const VARIABLES = 'It asks for variables that no rule about headers has.'

/** The beginning of an address at the site itself. */
const AT_SITE =
  /^(?:(https?|\$scheme):)?\/\/(?:\$host|\$http_host|\$server_name)(?::\$server_port)?/

/** What visitors see of a text in place of what an application says; null: it cannot be said. */
const replacementOf = (text: string, names: readonly string[]): string | null => {
  const [start, scheme] = AT_SITE.exec(text) ?? []
  if (start === undefined) return isPlainReplacement(text) ? text : null
  const path = text.slice(start.length)
  if (!isPlainReplacement(path)) return null
  if (scheme === undefined || scheme === '$scheme') return path === '' ? '/' : path
  // At the scheme that visitors came with it would be the same for some of them alone.
  const [name, ...others] = names.filter((one) => /^[a-z0-9.-]+$/.test(one))
  return name !== undefined && others.length === 0 ? `${scheme}://${name}${path}` : null
}

/** A text that addresses begin with, as a pattern; null: it asks for something else than names of the site. */
const patternOf = (text: string, names: readonly string[]): string | null => {
  const plain = names.filter((one) => /^[a-z0-9.-]+$/.test(one))
  const host = plain.length === names.length && plain.length > 0 ? plain : null
  const parts = text.split(/(\$\w+)/).map((part) => {
    if (!part.startsWith('$')) return escapePattern(part)
    if (part === '$scheme') return 'https?'
    const isName = part === '$host' || part === '$http_host' || part === '$server_name'
    return isName && host !== null ? `(?:${host.map(escapePattern).join('|')})` : null
  })
  return parts.includes(null) ? null : `^${parts.join('')}`
}

/** `proxy_redirect FROM TO` as a line; null: Berth does it by itself; undefined: not, and it was told. */
const convertRedirect = (
  directive: Directive,
  { address, here, there, names }: PassedOn,
  report: Report,
): string | null | undefined => {
  const [from = '', to = ''] = directive.args
  if (directive.args.length < 2) return null
  const replacement = replacementOf(to, names)
  if (/^~/.test(from)) {
    const pattern = from.replace(/^~\*?\s*/, '')
    const isCaseless = from.startsWith('~*')
    if (!/^[^$\r\n\0]*$/.test(to.replaceAll(/\$\d/g, '')) || /[\r\n\0]/.test(pattern)) {
      report.lost(directive, VARIABLES)
      return undefined
    }
    return redirectLine(isCaseless ? `(?i)${pattern}` : pattern, to)
  }
  if (from === address || from.startsWith(`${address}/`)) {
    const path = from.slice(address.length)
    const [start] = AT_SITE.exec(to) ?? ['']
    const place = to.slice(start.length)
    const isSame = there === '' ? path === place : path === there && place === here
    // Of a whole address without a path both may end with a slash, or not.
    if (isSame || (there === '' && `${path}/` === place)) return null
    report.lost(directive, ELSEWHERE)
    return undefined
  }
  const pattern = patternOf(from, names)
  if (pattern === null || replacement === null) {
    report.lost(directive, VARIABLES)
    return undefined
  }
  // What then began with two slashes would name another host.
  const isOpen = replacement.endsWith('/') && !from.endsWith('/') && from.includes('//')
  return redirectLine(isOpen && !/\/\/$/.test(from) ? `${pattern}/?` : pattern, replacement)
}

const convertCookiePath = (
  directive: Directive,
  { here, there }: PassedOn,
  report: Report,
): string | null | undefined => {
  const [from = '', to = ''] = directive.args
  const isOwn = directive.args.length < 2 || (there !== '' && from === there && to === here)
  if (isOwn) return null
  if (/^~/.test(from) || from.includes('$') || !isPlainReplacement(to)) {
    report.lost(directive, 'Paths of cookies are changed by their beginning, not by patterns.')
    return undefined
  }
  return cookiePathLine(from, to)
}

/** What `proxy_redirect` and `proxy_cookie_path` make of an application's answers, as lines; the first that fits counts. */
export const convertRedirects = (scope: Scope, passed: PassedOn, report: Report): string[] => {
  const lines: string[] = []
  for (const [name, convert, reason] of [
    ['proxy_redirect', convertRedirect, LEADS_BACK],
    ['proxy_cookie_path', convertCookiePath, COOKIES_BACK],
  ] as const)
    for (const directive of nearestAll(scope, name)) {
      const line = convert(directive, passed, report)
      if (line === null) report.unneeded(directive, reason)
      else if (line !== undefined) {
        report.carried(directive)
        lines.push(line)
      }
    }
  return lines
}
