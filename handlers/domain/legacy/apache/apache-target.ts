import { parseProxyUpstream } from '../../upstreams/proxy-upstream.ts'
import {
  apacheMember,
  askedMembers,
  stayingOf,
  upstreamsOfMembers,
  type Member,
} from '../proxy-members.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyProxy } from '../types.ts'
import { balancerParameters, tellParameters } from './apache-proxy-parameters.ts'

/** Where something is passed on to. */
export interface PassTarget {
  /** As `upstream` of `[virtualhost.proxy]`. */
  origin: string
  /** What follows the port, as written; may be empty. */
  path: string
  /** A name for it, from its address. */
  name: string
  /** All addresses, where it has several. */
  several: Pick<LegacyProxy, 'upstreams'>
}

/** Members of `<Proxy balancer://…>` by their name. */
export type Balancers = ReadonlyMap<string, readonly Member[]>

/** The balancers that a server and its host name; tells what is not kept of their parameters. */
export const balancersOf = (directives: readonly Directive[], report: Report): Balancers =>
  new Map(
    directives
      .filter(({ name, args }) => name === 'proxy' && /^balancer:\/\//i.test(args[0] ?? ''))
      .map(({ args, inside }) => {
        const all = inside ?? []
        const lines = all.filter(({ name }) => ['proxyset', 'balancermember'].includes(name))
        for (const line of lines) {
          tellParameters(line, balancerParameters(line), report)
          if (line.args.some((arg) => /^timeout=/i.test(arg)))
            report.lost(line, 'timeout: Write it yourself: [virtualhost.proxy] timeout_secs.')
        }
        const staysBy = lines.map((one) => stayingOf(one.args)).find((by) => by !== null)
        const members = all
          .filter(({ name }) => name === 'balancermember')
          .flatMap((member) => apacheMember(member.args) ?? [])
        return [
          (args[0] ?? '').slice('balancer://'.length).toLowerCase(),
          members.map((member) => (staysBy === undefined ? member : { ...member, staysBy })),
        ]
      }),
  )

/** A member's address, which has no path of its own, as `upstream`. */
const plainOrigin = (address: string): string =>
  address.replace(/^ws/i, 'http').replace(/^(unix:[^|]+)\|.*$/is, '$1')

/** Reads `http://app:3000/path`, `unix:/run/app.sock|http://app/path`; text: why nothing can be passed on there. */
export const readTarget = (
  given: string,
  balancers: Balancers,
): (PassTarget & { members: readonly Member[] }) | string => {
  const balanced = /^balancer:\/\/([^/]+)(\/.*)?$/is.exec(given)
  const members = balanced ? (balancers.get((balanced[1] ?? '').toLowerCase()) ?? []) : []
  if (balanced && members.length === 0) return 'it is no balancer with members'
  const first = askedMembers(members)[0]?.address ?? ''
  const text = balanced ? `${first}${balanced[2] ?? ''}` : given
  const unix = /^unix:([^|]+)\|(?:https?|wss?):\/\/[^/]*(\/.*)?$/is.exec(text)
  const url = /^((?:https?|wss?):\/\/([^/:$%]+)(?::\d{1,5})?)(\/.*)?$/is.exec(text)
  if (!unix && !url) return 'it is no address'
  const origin = unix ? `unix:${unix[1]}` : (url?.[1] ?? '').replace(/^ws/i, 'http')
  const wrong = parseProxyUpstream(origin)
  if (typeof wrong === 'string') return wrong
  const path = (unix ? unix[2] : url?.[3]) ?? ''
  const name = unix ? 'app' : (url?.[2] ?? '')
  const several = upstreamsOfMembers(members, plainOrigin)
  return { origin, path, name, members, several }
}
