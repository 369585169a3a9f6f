import { escapePattern, matchExpression } from '../../rule-lines.ts'
import type { Directive } from '../../types.ts'
import type { NginxMaps } from './nginx-maps.ts'
import { nginxTemplate, variableOf, type NginxNames } from './nginx-variables.ts'

/** Entries of one map that become lines. */
const MAX_ENTRIES = 40

/** A value of a map in a header of the response, and when it is the one. */
export interface ResponseValue {
  value: string
  /** Expression of Apache's over request and response; null: always. */
  expression: string | null
}

/** What a text with the variable of one map comes to. */
export interface ResponseValues {
  /** Of the map. */
  variable: string
  values: readonly ResponseValue[]
}

/** An expression that holds where an entry with this key is the one; null: it cannot be written. */
type KeyTest = (key: string) => string | null

const matching =
  (subject: string): KeyTest =>
  (key) => {
    const pattern = /^~(\*?)([\s\S]*)$/.exec(key)
    if (pattern) return matchExpression(subject, pattern[2] ?? '', pattern[1] === '*')
    return matchExpression(subject, `^${escapePattern(key.replace(/^\\/, ''))}$`, true)
  }

/** A parameter of the query; an empty one, and one that is not there, are the same. */
const ofParameter =
  (name: string): KeyTest =>
  (key) => {
    if (key.startsWith('~')) return null
    const begin = `(?:^|&)${name}=`
    const found = (rest: string): string | null =>
      matchExpression('%{QUERY_STRING}', `${begin}${rest}`, true)
    if (key !== '') return found(`${escapePattern(key.replace(/^\\/, ''))}(?:&|$)`)
    const some = found('[^&]')
    return some === null ? null : `!(${some})`
  }

const keyTest = (asked: string, names: NginxNames | null): KeyTest | null => {
  const variable = variableOf(asked) ?? ''
  const header = /^sent_http_(\w+)$/.exec(variable)?.[1]
  if (header !== undefined) return matching(`%{resp:${header.replaceAll('_', '-')}}`)
  if (names === null) return null
  const parameter = /^arg_(\w+)$/.exec(variable)?.[1]
  if (parameter !== undefined) return ofParameter(parameter)
  const subject = nginxTemplate(asked, names)
  return subject !== null && /^%\{[^{}]+\}$/.test(subject) ? matching(subject) : null
}

const VARIABLES = /\$(?:\{\w{1,64}\}|[A-Za-z_]\w{0,63})/g

/**
 * What a text with the variable of a map comes to, value by value; of several expressions one holds
 * at most. Undefined: it has no such variable, or rules give it its value; null: it cannot be
 * written. `names`: null for maps over headers of the response alone.
 */
export const responseValues = (
  text: string,
  maps: NginxMaps,
  names: NginxNames | null,
): ResponseValues | null | undefined => {
  const [asked, ...more] = text.match(VARIABLES) ?? []
  const variable = variableOf(asked ?? '') ?? ''
  const at = maps.get(variable)
  if (asked === undefined || more.length > 0 || at?.name !== 'map') return undefined
  if (names?.own.has(variable) === true) return undefined
  const test = keyTest(at.args[0] ?? '', names)
  if (test === null) return undefined
  const entries = (at.inside ?? []).filter(({ name }) => name !== 'volatile')
  if (entries.length > MAX_ENTRIES || entries.some(({ args }) => args.length !== 1)) return null
  const values: ResponseValue[] = []
  const before: string[] = []
  const whole = ({ args }: Directive): string => text.replace(asked, () => args[0] ?? '')
  const isPattern = ({ spelled }: Directive): boolean => spelled.startsWith('~')
  const others = entries.filter(({ spelled }) => spelled !== 'default')
  // Exact ones come first, then patterns in their order, and the default where none fits.
  for (const entry of [...others.filter((one) => !isPattern(one)), ...others.filter(isPattern)]) {
    const holds = test(entry.spelled)
    if (holds === null || (entry.args[0] ?? '').includes('$')) return null
    const expression = [holds, ...before.map((one) => `!(${one})`)].join(' && ')
    values.push({ value: whole(entry), expression })
    before.push(holds)
  }
  const usual = entries.find(({ spelled }) => spelled === 'default')
  if (usual?.args[0]?.includes('$') === true) return null
  const none = before.map((one) => `!(${one})`).join(' && ')
  const value = usual ? whole(usual) : text.replace(asked, '')
  return { variable, values: [...values, { value, expression: none === '' ? null : none }] }
}
