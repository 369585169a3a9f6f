import { belowPattern, escapePattern, matchExpression } from '../rule-lines.ts'
import type { Directive } from '../types.ts'
import type { Scope } from './nginx-scope.ts'

/** A `location` with its modifier: `=`, `^~`, none, `~` or `~*`, `@name`. */
export interface Location {
  kind: 'exact' | 'preferred' | 'prefix' | 'pattern' | 'named'
  /** Path, pattern or name. */
  text: string
  noCase: boolean
  scope: Scope
  parent: Location | null
}

const readLocation = (at: Directive, scope: Scope, parent: Location | null): Location => {
  const [first = '', second] = at.args
  const modifier = /^(=|\^~|~\*|~)(.*)$/.exec(second === undefined ? first : `${first}${second}`)
  const sign = second === undefined ? (modifier?.[1] ?? '') : first
  const text = second ?? (modifier ? (modifier[2] ?? '') : first)
  const inner: Scope = { at, directives: at.inside ?? [], parent: scope }
  const kinds = { '=': 'exact', '^~': 'preferred', '~': 'pattern', '~*': 'pattern' } as const
  const kind = first.startsWith('@') ? 'named' : (kinds[sign as keyof typeof kinds] ?? 'prefix')
  return { kind, text, noCase: sign === '~*', scope: inner, parent }
}

/** All locations of a server, those in each other too. */
export const locationsOf = (scope: Scope, parent: Location | null = null): Location[] =>
  scope.directives
    .filter(({ name, inside }) => name === 'location' && inside !== null)
    .flatMap((at) => {
      const location = readLocation(at, scope, parent)
      return [location, ...locationsOf(location.scope, location)]
    })

const URI = '%{REQUEST_URI}'

const ownExpression = ({ kind, text, noCase }: Location): string | null => {
  if (kind === 'pattern') return matchExpression(URI, text, noCase)
  if (kind === 'exact') return matchExpression(URI, `^${escapePattern(text)}$`)
  return text === '/' ? 'true' : matchExpression(URI, `^${escapePattern(text)}`)
}

/** A location with the condition under which it is the one that counts; null: none can be written. */
export interface Branch {
  location: Location
  expression: string | null
}

/**
 * Locations in the order in which nginx chooses, as branches of which the first
 * that holds is the one: exact paths, preferred beginnings, patterns, then the
 * longest beginning.
 */
export const branchesOf = (locations: readonly Location[]): Branch[] => {
  const byLength = (one: Location, other: Location): number => other.text.length - one.text.length
  const prefixes = locations.filter(({ kind }) => kind === 'prefix').sort(byLength)
  const preferred = locations.filter(({ kind }) => kind === 'preferred').sort(byLength)
  const patterns = locations.filter(({ kind }) => kind === 'pattern')
  const branch = (location: Location, ...more: (string | null)[]): Branch => {
    const parts = [ownExpression(location), ...more]
    const known = parts.filter((part): part is string => part !== null && part !== 'true')
    if (parts.includes(null)) return { location, expression: null }
    return { location, expression: known.length === 0 ? 'true' : known.join(' && ') }
  }
  const nested = (outer: Location, around: (string | null)[] = []): Branch[] => {
    const within = [...around, ownExpression(outer)]
    return patterns
      .filter(({ parent }) => parent === outer)
      .flatMap((location) => [...nested(location, within), branch(location, ...within)])
  }
  const branches = locations.filter(({ kind }) => kind === 'exact').map((one) => branch(one))
  for (const location of preferred) {
    const longer = prefixes.filter(
      ({ text }) => text.length > location.text.length && text.startsWith(location.text),
    )
    const except = longer.map((one) => {
      const expression = ownExpression(one)
      return expression === null ? null : `!(${expression})`
    })
    branches.push(...nested(location), branch(location, ...except))
  }
  for (const prefix of prefixes) branches.push(...nested(prefix))
  const isInner = ({ parent }: Location): boolean =>
    parent !== null && ['prefix', 'preferred', 'pattern'].includes(parent.kind)
  for (const pattern of patterns)
    if (!isInner(pattern)) branches.push(...nested(pattern), branch(pattern))
  return [...branches, ...prefixes.map((one) => branch(one))]
}

/** The pattern of paths below a location, for proxies. */
export const isBelow = (path: string, prefix: string): boolean =>
  new RegExp(belowPattern(prefix)).test(path)
