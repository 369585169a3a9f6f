import { escapePattern } from '../../rule-lines.ts'
import type { Directive, LegacyRewrite } from '../../types.ts'
import { envOf, isFlagValue, nginxTemplate, type NginxNames } from './nginx-variables.ts'

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

/** Rules that set the variables of maps; those that cannot be carried over are left out, and told. */
export interface MapRules {
  names: NginxNames
  /** Rules by variable; what a map asks of others stands before it. */
  rules: ReadonlyMap<string, readonly LegacyRewrite[]>
}

/** Reads all maps of a configuration for one server. */
export const convertMaps = (maps: NginxMaps, serverName: string): MapRules => {
  const own = new Set<string>()
  const names: NginxNames = { serverName, own }
  const rules = new Map<string, readonly LegacyRewrite[]>()
  // A map may ask for the variable of one that stands behind it.
  for (let before = -1; before < own.size;) {
    before = own.size
    for (const [variable, at] of maps) {
      if (own.has(variable) || !/^\w{1,64}$/.test(variable)) continue
      const made = at.name === 'map' ? mapRules(at, variable, names) : geoRules(at, variable, names)
      if (made === null) continue
      own.add(variable)
      rules.set(variable, made)
    }
  }
  return { names, rules }
}

/** Of all map rules those whose variables occur in what a site became, and in each other. */
export const neededMapRules = (
  rules: MapRules['rules'],
  text: string,
): { variables: string[]; rules: LegacyRewrite[] } => {
  const mentions = (where: string, variable: string): boolean =>
    where.includes(`${envOf(variable)}}`)
  const needed = new Set<string>()
  for (let before = -1; before < needed.size;) {
    before = needed.size
    for (const variable of rules.keys()) {
      const asking = [...needed].map((one) => JSON.stringify(rules.get(one)))
      if ([text, ...asking].some((where) => mentions(where, variable))) needed.add(variable)
    }
  }
  const variables = [...rules.keys()].filter((variable) => needed.has(variable))
  return { variables, rules: variables.flatMap((variable) => rules.get(variable) ?? []) }
}
