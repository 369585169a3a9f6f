import { belowPattern, escapePattern, matchExpression } from '../rule-lines.ts'
import { LegacyError } from '../legacy-error.ts'
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

/** Each becomes a section of which a request asks one after the other. */
const MAX_LOCATIONS = 2000

/** All locations of a server, those in each other too. */
export const locationsOf = (scope: Scope): Location[] => {
  const found = locationsIn(scope, null)
  const beyond = found[MAX_LOCATIONS]
  if (beyond)
    throw new LegacyError(
      beyond.scope.at,
      `a server has more than ${MAX_LOCATIONS} locations. Put some of them together by a pattern, or give them sites of their own.`,
    )
  return found
}

const locationsIn = (scope: Scope, parent: Location | null): Location[] =>
  scope.directives
    .filter(({ name, inside }) => name === 'location' && inside !== null)
    .flatMap((at) => {
      const location = readLocation(at, scope, parent)
      return [location, ...locationsIn(location.scope, location)]
    })

const URI = '%{REQUEST_URI}'

const ownExpression = ({ kind, text, noCase }: Location): string | null => {
  if (kind === 'pattern') return matchExpression(URI, text, noCase)
  if (kind === 'exact') return matchExpression(URI, `^${escapePattern(text)}$`)
  return text === '/' ? 'true' : matchExpression(URI, `^${escapePattern(text)}`)
}

/** Paths that locations keep from others that begin them; beyond, what is written is longer than what was read. */
const MAX_EXCEPTIONS = 5000

/**
 * Of beginnings that are preferred to patterns, the longer ones below each that are not; what lies
 * below one of those is not named again. Throws `LegacyError` where they are too many.
 */
const longerBeginnings = (
  preferred: readonly Location[],
  prefixes: readonly Location[],
): Map<Location, Location[]> => {
  const sorted = [...prefixes].sort((one, other) => (one.text < other.text ? -1 : 1))
  const found = new Map<Location, Location[]>()
  let looks = 0
  for (const location of preferred) {
    const { text, scope } = location
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sorted[middle]?.text ?? '') < text) from = middle + 1
      else to = middle
    }
    const below: Location[] = []
    for (let at = from; sorted[at]?.text.startsWith(text) === true; at++) {
      if (++looks > MAX_EXCEPTIONS)
        throw new LegacyError(
          scope.at,
          `locations with "^~" lie above more than ${MAX_EXCEPTIONS} others in all, each of which would have to be excepted. Convert the sites one by one, or leave out "^~" where no pattern needs it.`,
        )
      const one = sorted[at] as Location
      if (one.text.length > text.length && !one.text.startsWith(below.at(-1)?.text ?? '\0'))
        below.push(one)
    }
    found.set(location, below)
  }
  return found
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
  const preferred = locations
    .filter(({ kind }) => kind === 'preferred')
    .sort(byLength)
    .sort(byLength)
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
  const longer = longerBeginnings(preferred, prefixes)
  for (const location of preferred) {
    const except = (longer.get(location) ?? []).map((one) => {
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
