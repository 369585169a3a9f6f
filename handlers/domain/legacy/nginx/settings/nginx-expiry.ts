import type { Report } from '../../report.ts'
import type { NginxMaps } from '../values/nginx-maps.ts'
import { responseValues } from '../values/nginx-response-maps.ts'
import { variableOf } from '../values/nginx-variables.ts'
import { nearest, type Scope } from '../nginx-scope.ts'

const UNITS: Readonly<Record<string, string>> = {
  ...{ s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks', M: 'months', y: 'years' },
}

const LONG_AGO = 'Thu, 01 Jan 1970 00:00:01 GMT'

/** `1h 30m` in Apache's words; null: it is no time. */
const wordsOf = (time: string): string | null => {
  const parts = [...time.matchAll(/(\d+)([smhdwMy]?)/g)]
  if (time === '' || parts.map(([whole]) => whole).join('') !== time.replaceAll(' ', ''))
    return null
  return parts.map(([, count, unit = '']) => `${count} ${UNITS[unit || 's']}`).join(' ')
}

const isPast = (time: string): boolean => time === 'epoch' || time.startsWith('-')

const pastLines = (condition = ''): string[] => [
  `Header set Expires "${LONG_AGO}"${condition}`,
  `Header set Cache-Control no-cache${condition}`,
]

/** Media type that an entry of a map means; null: it means several. */
const typeOf = (key: string): string | null => {
  const plain = key
    .replace(/^~\*?\^?/, '')
    .replace(/\$$/, '')
    .replaceAll('\\', '')
  return /^[\w.+-]+\/[\w.+-]+$/.test(plain) ? plain.toLowerCase() : null
}

/** `expires $of_the_type`: by a map of the type that a response has. Null: it cannot be written. */
const byTypes = (variable: string, maps: NginxMaps): string[] | null => {
  const at = maps.get(variable)
  if (!at || variableOf(at.args[0] ?? '') !== 'sent_http_content_type') return null
  if (!responseValues(`$${variable}`, maps, null)) return null
  const lines: string[] = ['ExpiresActive On']
  for (const { spelled, args } of at.inside ?? []) {
    const time = args[0] ?? ''
    const type = typeOf(spelled)
    const words = time === 'max' ? '10 years' : wordsOf(time)
    if (spelled === '' || spelled === 'volatile' || time === 'off') continue
    if (spelled !== 'default' && type === null) return null
    if (isPast(time) && type !== null)
      lines.push(
        ...pastLines(` "expr=%{resp:Content-Type} =~ m#^${type.replace(/[.+]/g, '\\$&')}#i"`),
      )
    else if (words === null) return null
    else if (type === null) lines.push(`ExpiresDefault "access plus ${words}"`)
    else lines.push(`ExpiresByType ${type} "access plus ${words}"`)
  }
  return lines
}

/** `expires` of a block. */
export const expiryLines = (
  scope: Scope,
  { report, maps, mapsUsed }: { report: Report; maps: NginxMaps; mapsUsed: Set<string> },
): string[] => {
  const directive = nearest(scope, 'expires')
  const [first = 'off', second] = directive?.args ?? []
  if (directive === undefined || first === 'off') return []
  if (first === 'max') return ['ExpiresActive On', 'ExpiresDefault "access plus 10 years"']
  if (isPast(first)) return pastLines()
  const variable = variableOf(first)
  const mapped = variable === null ? null : byTypes(variable, maps)
  if (mapped !== null && variable !== null) {
    mapsUsed.add(variable)
    return mapped
  }
  const words = wordsOf(first === 'modified' ? (second ?? '') : first)
  if (words === null) {
    report.lost(directive, 'Berth cannot read this time.')
    return []
  }
  const base = first === 'modified' ? 'modification' : 'access'
  return ['ExpiresActive On', `ExpiresDefault "${base} plus ${words}"`]
}
