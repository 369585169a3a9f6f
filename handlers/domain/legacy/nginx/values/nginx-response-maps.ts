import { escapePattern, matchExpression } from '../../rule-lines.ts'
import type { Directive } from '../../types.ts'
import type { NginxMaps } from './nginx-maps.ts'
import { variableOf } from './nginx-variables.ts'

/** Entries of one map that become lines. */
const MAX_ENTRIES = 40

/** A value of a map of a header of the response, and when it is the one. */
export interface ResponseValue {
  value: string
  /** Expression of Apache's over the response; null: always. */
  expression: string | null
}

/** The map of a variable that asks for a header of the response; null: it is none. */
const mapOf = (text: string, maps: NginxMaps): { at: Directive; subject: string } | null => {
  const at = maps.get(variableOf(text) ?? '')
  const header = /^sent_http_(\w+)$/.exec(variableOf(at?.args[0] ?? '') ?? '')?.[1]
  if (at?.name !== 'map' || header === undefined) return null
  return { at, subject: `%{resp:${header.replaceAll('_', '-')}}` }
}

const testOf = (subject: string, key: string): string | null => {
  const pattern = /^~(\*?)([\s\S]*)$/.exec(key)
  if (pattern) return matchExpression(subject, pattern[2] ?? '', pattern[1] === '*')
  return matchExpression(subject, `^${escapePattern(key.replace(/^\\/, ''))}$`, true)
}

/**
 * What a variable of a map over a response's header comes to, value by value; of several expressions
 * one holds at most. Undefined: it is no such variable; null: it cannot be written.
 */
export const responseValues = (
  text: string,
  maps: NginxMaps,
): readonly ResponseValue[] | null | undefined => {
  const found = mapOf(text, maps)
  if (found === null) return undefined
  const { at, subject } = found
  const entries = (at.inside ?? []).filter(({ name }) => name !== 'volatile')
  if (entries.length > MAX_ENTRIES || entries.some(({ args }) => args.length !== 1)) return null
  const isPattern = ({ spelled }: Directive): boolean => spelled.startsWith('~')
  const others = entries.filter(({ spelled }) => spelled !== 'default')
  const values: ResponseValue[] = []
  const before: string[] = []
  // Exact ones come first, then patterns in their order, and the default where none fits.
  for (const entry of [...others.filter((one) => !isPattern(one)), ...others.filter(isPattern)]) {
    const test = testOf(subject, entry.spelled)
    const value = entry.args[0] ?? ''
    if (test === null || value.includes('$')) return null
    const expression = [test, ...before.map((one) => `!(${one})`)].join(' && ')
    values.push({ value, expression })
    before.push(test)
  }
  const usual = entries.find(({ spelled }) => spelled === 'default')?.args[0] ?? ''
  if (usual.includes('$')) return null
  const none = before.map((one) => `!(${one})`).join(' && ')
  return [...values, { value: usual, expression: none === '' ? null : none }]
}
