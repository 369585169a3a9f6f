import { siteName } from '../config/values.ts'
import { wildcardBase } from '../domains/wildcard-name.ts'
import { endsInNumber } from '../text/ends-in-number.ts'
import type { Report } from './report.ts'
import type { ConvertContext, Directive, LegacyHost } from './types.ts'

/** Names that one http host and one https host share; one of the two may be missing. */
export interface HostPair {
  names: string[]
  http: LegacyHost | null
  https: LegacyHost | null
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

const nameProblem = (name: string): string | null => {
  if (wildcardBase(name) !== null)
    return siteName.safeParse(name).success
      ? null
      : 'It stands for names that belong to others. Add each name of yours to aliases.'
  if (name.includes('*'))
    return 'A "*" stands at the beginning of a name here, for one label. Add the names to aliases.'
  if (name.startsWith('~')) return 'Berth knows sites by whole names, not by patterns.'
  if (endsInNumber(name)) return 'No site answers at a bare address. Give it a name.'
  const isName = name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
  return isName
    ? null
    : 'It is not a host name. International names are written in their xn-- form.'
}

/** How hosts without a name get one; see `ConvertContext`. */
export type NamingRules = Pick<ConvertContext, 'defaultDomain' | 'joining'>

const usableNames = (
  host: LegacyHost,
  { defaultDomain, joining }: NamingRules,
  report: Report,
): string[] => {
  const given = host.names
    .filter((name) => name !== '' && name !== '_')
    // In nginx `.a.example` is the name and all below it.
    .flatMap((name) => (name.startsWith('.') ? [name.slice(1), `*${name}`] : [name]))
  if (given.every(endsInNumber)) {
    report.changed(
      host.at,
      `It answers every name that no other host has. Here it has the name ${defaultDomain}${joining ? ' alone; default_host = true lets it answer unknown ones' : ', and answers unknown ones by default_host'}.`,
    )
    return [defaultDomain]
  }
  for (const name of given.filter((one) => wildcardBase(one) !== null))
    report.changed(naming(host.at, name), `${name} stands for names of one label more here.`)
  return given.filter((name) => {
    const problem = nameProblem(name)
    if (problem !== null) report.lost(naming(host.at, name), problem)
    return problem === null
  })
}

/** The directive that names a host, so that the report shows its line. */
const naming = (at: Directive, name: string): Directive =>
  (at.inside ?? []).find(
    (inner) =>
      /^server_?(?:name|alias)$/.test(inner.name) &&
      inner.args.some((arg) => arg.toLowerCase().includes(name)),
  ) ?? at

/** Whether a host answers at names that no other has, by what it says or because it has none. */
const isFallback = ({ names, isDefault }: LegacyHost): boolean =>
  isDefault === true || names.every((name) => name === '' || name === '_' || endsInNumber(name))

/** The pair that answers at unknown names: the first that says so, before one that is left without a name. */
export const fallbackOf = (pairs: readonly HostPair[]): HostPair | null => {
  const hostsOf = ({ http, https }: HostPair): LegacyHost[] =>
    [http, https].filter((host) => host !== null)
  return (
    pairs.find((pair) => hostsOf(pair).some(({ isDefault }) => isDefault === true)) ??
    pairs.find((pair) => hostsOf(pair).some(isFallback)) ??
    null
  )
}

/** Joins hosts for http and for https by their names: each name belongs to one pair. */
export const pairHosts = (
  hosts: readonly LegacyHost[],
  rules: NamingRules,
  report: Report,
): HostPair[] => {
  const claims = new Map<string, { http: LegacyHost | null; https: LegacyHost | null }>()
  for (const host of hosts) {
    for (const name of usableNames(host, rules, report)) {
      const claim = claims.get(name) ?? { http: null, https: null }
      claims.set(name, claim)
      const kind = host.secure ? 'https' : 'http'
      const first = claim[kind]
      if (first === null) claim[kind] = host
      else if (first !== host)
        report.lost(
          naming(host.at, name),
          `${name} belongs to the host at ${first.at.file}:${first.at.line}, which comes first.`,
        )
    }
  }
  const pairs: HostPair[] = []
  const known = new Map<LegacyHost | null, Map<LegacyHost | null, HostPair>>()
  for (const [name, { http, https }] of claims) {
    const partners = known.get(http) ?? new Map<LegacyHost | null, HostPair>()
    known.set(http, partners)
    let pair = partners.get(https)
    if (!pair) {
      pair = { names: [], http, https }
      partners.set(https, pair)
      pairs.push(pair)
    }
    pair.names.push(name)
  }
  return pairs
}
