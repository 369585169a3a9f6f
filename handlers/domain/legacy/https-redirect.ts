import type { LegacyRedirect, LegacyRewrite } from './types.ts'

/** Patterns that every path matches, and what of them is the whole path. */
const EVERYTHING = new Set([
  ...[
    '^',
    '.*',
    '(.*)',
    '^(.*)',
    '^(.*)$',
    '^.*$',
    '^/(.*)',
    '^/(.*)$',
    '^/?(.*)',
    '^/?(.*)$',
    '/(.*)',
  ],
  ...['.?', '^/?', '^.*', '/', '^/', '(.+)', '^(.+)$', '^/(.+)$', '^.+$', ''],
])

/** A condition without the `[flags]` at its end. */
const withoutFlags = (text: string): string => {
  if (!text.endsWith(']')) return text
  const at = text.indexOf('[', text.lastIndexOf(']', text.length - 2) + 1)
  return at === -1 ? text : text.slice(0, at).trimEnd()
}

/** Conditions that hold for every page of a host that is for http alone. */
const isTrueOverHttp = (condition: string, names: readonly string[]): boolean => {
  const text = withoutFlags(condition.replaceAll('"', '').trim())
  const [subject = '', test = ''] = text.split(/\s+/)
  const variable = subject.toUpperCase()
  if (variable === '%{HTTPS}') return /^(=?off|!=?on|!\^?on\$?|\^?off\$?)$/i.test(test)
  if (variable === '%{SERVER_PORT}') return /^(!\^?443\$?|\^?80\$?|!=443|=80)$/.test(test)
  if (variable === '%{REQUEST_SCHEME}') return /^(=?http|!=?https|!\^?https\$?)$/.test(test)
  if (variable === '%{SERVER_NAME}' || variable === '%{HTTP_HOST}')
    return test.startsWith('=') && names.includes(test.slice(1).toLowerCase())
  // The paths of certificate authorities are never led away.
  return /^%\{REQUEST_URI\}$/.test(variable) && /^!\^?\/?\\?\.well-known/.test(test)
}

const REST = /^(?:%\{REQUEST_URI\}|\/?\$1|\/\$1)$/

/**
 * What a rule does when it leads every path of a host to another address; null
 * when it does something else. `names`: those of the host, for http alone.
 */
export const redirectOf = (
  rule: LegacyRewrite,
  names: readonly string[],
): LegacyRedirect | null => {
  const given = /(?:^|,)R(?:EDIRECT)?(?:=(\w+))?(?:,|$)/i.exec(rule.flags)
  const words: Record<string, number> = { permanent: 301, temp: 302, seeother: 303 }
  if (!EVERYTHING.has(rule.pattern)) return null
  if (!rule.conditions.every((condition) => isTrueOverHttp(condition, names))) return null
  const address = /^https?:\/\//i.test(rule.target)
  if (!given && !address) return null
  const word = given?.[1] ?? '302'
  const status = words[word.toLowerCase()] ?? Number(word)
  if (!(status >= 300 && status <= 399)) return null
  const target = /^https:\/\/(%\{[A-Z_]+\}|[^/%$:]+)/i.exec(rule.target)
  const host = target?.[1] ?? ''
  const rest = rule.target.slice(target?.[0].length)
  if (!target || !REST.test(rest.replace(/\?$/, ''))) return { status, httpsHost: undefined }
  if (/^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(host)) return { status, httpsHost: null }
  return { status, httpsHost: host.startsWith('%') ? undefined : host.toLowerCase() }
}
