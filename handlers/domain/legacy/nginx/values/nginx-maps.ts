import { escapePattern } from '../../rule-lines.ts'
import type { Directive, LegacyRewrite } from '../../types.ts'
import {
  envOf,
  envsIn,
  isFlagValue,
  nginxTemplate,
  variablesIn,
  type NginxNames,
} from './nginx-variables.ts'

/** A `map` or `geo` of the whole configuration, by the variable that it sets. */
export type NginxMaps = ReadonlyMap<string, Directive>

const KINDS = new Set(['map', 'geo'])

/** Every `map` and `geo` that sets a variable, the last of each. */
export const readMaps = (directives: readonly Directive[]): NginxMaps =>
  new Map(
    directives
      .filter(({ name, inside }) => KINDS.has(name) && inside !== null)
      .map((at) => [at.args.at(-1)?.replace(/^\$/, '') ?? '', at] as const),
  )

/** A rule that gives a variable its value where its conditions hold; null: the value cannot be written. */
const setting = (
  variable: string,
  value: string,
  names: NginxNames,
  conditions: string[],
): LegacyRewrite | null => {
  const filled = nginxTemplate(value, names, '%')
  if (filled === null || !isFlagValue(filled)) return null
  return { pattern: '^', target: '-', flags: `"E=${envOf(variable)}:${filled}"`, conditions }
}

/** What has to hold for an entry of a `map`; null: it cannot be asked. */
const mapCondition = (subject: string, key: string, hostnames: boolean): string | null => {
  const plain = key.startsWith('\\') ? key.slice(1) : key
  const pattern = /^~(\*?)([\s\S]*)$/.exec(key)
  if (pattern) {
    const [, noCase = '', text = ''] = pattern
    return text.includes('"') ? null : `${subject} "${text}"${noCase === '' ? '' : ' [NC]'}`
  }
  if (plain.includes('"')) return null
  if (!hostnames) return `${subject} "^${escapePattern(plain)}$" [NC]`
  const below = /^(\*?)\.(.+)$/.exec(plain)
  const text = below
    ? `${below[1] === '*' ? '\\.' : '(?:^|\\.)'}${escapePattern(below[2] ?? '')}$`
    : ''
  return `${subject} "${below ? text : `^${escapePattern(plain)}$`}" [NC]`
}

/** Which entries come last, so that they win: exact ones before patterns, earlier patterns before later ones. */
const mapRules = (at: Directive, variable: string, names: NginxNames): LegacyRewrite[] | null => {
  const subject = nginxTemplate(at.args[0] ?? '', names)
  if (subject === null) return null
  const entries = (at.inside ?? []).filter(({ name }) => !['hostnames', 'volatile'].includes(name))
  const hostnames = (at.inside ?? []).some(({ name }) => name === 'hostnames')
  const rules: LegacyRewrite[] = []
  const isPattern = ({ spelled }: Directive): boolean => /^~|^\*?\./.test(spelled)
  const add = ({ spelled, args }: Directive): boolean => {
    const conditions = spelled === 'default' ? [] : [mapCondition(subject, spelled, hostnames)]
    if (conditions.includes(null) || args.length !== 1 || spelled === 'include') return false
    const rule = setting(variable, args[0] ?? '', names, conditions as string[])
    if (rule) rules.push(rule)
    return rule !== null
  }
  const others = entries.filter(({ spelled }) => spelled !== 'default')
  const ordered = [
    ...entries.filter(({ spelled }) => spelled === 'default'),
    ...others.filter(isPattern).reverse(),
    ...others.filter((entry) => !isPattern(entry)),
  ]
  return ordered.every(add) ? rules : null
}

const bitsOf = (block: string): number => Number(/\/(\d{1,3})$/.exec(block)?.[1] ?? 128)

/** The narrowest block that an address lies in wins, so it comes last. */
const geoRules = (at: Directive, variable: string, names: NginxNames): LegacyRewrite[] | null => {
  const subject = at.args.length > 1 ? nginxTemplate(at.args[0] ?? '', names) : '%{REMOTE_ADDR}'
  const entries = at.inside ?? []
  const odd = ['ranges', 'delete', 'proxy', 'proxy_recursive', 'include']
  if (subject === null || entries.some(({ name }) => odd.includes(name))) return null
  const rules = entries
    .toSorted((one, other) => {
      const first = one.name === 'default' ? -1 : bitsOf(one.name)
      return first - (other.name === 'default' ? -1 : bitsOf(other.name))
    })
    .map(({ name, args }) => {
      if (name !== 'default' && !/^[\da-f.:]+(?:\/\d{1,3})?$/.test(name)) return null
      const block = `expr "${subject} -ipmatch '${name}'"`
      return setting(variable, args[0] ?? '', names, name === 'default' ? [] : [block])
    })
  return rules.every((rule) => rule !== null) ? rules : null
}

/** Maps that ask for each other one after the other; more is no table that anybody reads. */
const MAX_CHAIN = 30
/** Why a map is lost that stands behind too many others. */
export const CHAIN_TOO_LONG = `More than ${MAX_CHAIN} maps ask for each other in a row. Write their values out in one map.`

/** Rules that set the variables of maps; those that cannot be carried over are left out, and told. */
export interface MapRules {
  names: NginxNames
  /** Rules by variable; what a map asks of others stands before it. */
  rules: ReadonlyMap<string, readonly LegacyRewrite[]>
  /** Variables of maps behind a chain that is too long. */
  tooLong: ReadonlySet<string>
}

const note = (lists: Map<string, string[]>, key: string, value: string): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Other maps that one asks for, by their variables. */
const referencesOf = (at: Directive, maps: NginxMaps): Set<string> => {
  const texts = [...at.args.slice(0, -1), ...(at.inside ?? []).flatMap(({ args }) => args)]
  const found = new Set<string>()
  for (const text of texts)
    for (const name of variablesIn(text)) if (maps.has(name)) found.add(name)
  return found
}

/** The maps that `wanted` asks for, directly or by others, in the order of the configuration. */
const reachable = (maps: NginxMaps, wanted: Iterable<string>): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  const open = [...wanted]
  for (let variable = open.pop(); variable !== undefined; variable = open.pop()) {
    const at = maps.get(variable)
    if (at === undefined || found.has(variable)) continue
    const references = referencesOf(at, maps)
    found.set(variable, references)
    open.push(...references)
  }
  const place = new Map([...maps.keys()].map((variable, index) => [variable, index] as const))
  return new Map(
    [...found].sort(([one], [other]) => (place.get(one) ?? 0) - (place.get(other) ?? 0)),
  )
}

/**
 * Reads the maps that one server asks for. Each is looked at once, behind those that it asks
 * for itself; maps that ask for each other in a ring are left out.
 */
export const convertMaps = (
  maps: NginxMaps,
  serverName: string,
  wanted: Iterable<string> = maps.keys(),
): MapRules => {
  const own = new Set<string>()
  const names: NginxNames = { serverName, own }
  const rules = new Map<string, readonly LegacyRewrite[]>()
  const tooLong = new Set<string>()
  const asking = reachable(maps, wanted)
  const askedBy = new Map<string, string[]>()
  const missing = new Map<string, number>()
  const chain = new Map<string, number>()
  for (const [variable, references] of asking) {
    missing.set(variable, references.size)
    for (const one of references) note(askedBy, one, variable)
  }
  const ready = [...asking.keys()].filter((variable) => missing.get(variable) === 0)
  for (const variable of ready) {
    const at = maps.get(variable) as Directive
    const length = chain.get(variable) ?? 1
    for (const one of askedBy.get(variable) ?? []) {
      chain.set(one, Math.max(chain.get(one) ?? 1, length + 1))
      const left = (missing.get(one) ?? 0) - 1
      missing.set(one, left)
      if (left === 0) ready.push(one)
    }
    if (length > MAX_CHAIN) tooLong.add(variable)
    else if (/^\w{1,64}$/.test(variable)) {
      const made = at.name === 'map' ? mapRules(at, variable, names) : geoRules(at, variable, names)
      if (made === null) continue
      own.add(variable)
      rules.set(variable, made)
    }
  }
  return { names, rules, tooLong }
}

/** Of all map rules those whose variables occur in what a site became, and in each other. */
export const neededMapRules = (
  rules: MapRules['rules'],
  text: string,
): { variables: string[]; rules: LegacyRewrite[] } => {
  const needed = new Set<string>()
  const open = envsIn(text)
  for (let variable = open.pop(); variable !== undefined; variable = open.pop()) {
    const made = rules.get(variable)
    if (made === undefined || needed.has(variable)) continue
    needed.add(variable)
    open.push(...envsIn(JSON.stringify(made)))
  }
  const variables = [...rules.keys()].filter((variable) => needed.has(variable))
  return { variables, rules: variables.flatMap((variable) => rules.get(variable) ?? []) }
}
