import { parseProxyUpstream } from '../upstreams/proxy-upstream.ts'
import type { LegacyProxy } from './types.ts'

/** One address of a balancer, as it is written there. */
export interface Member {
  address: string
  /** From 1; 0: it is asked when no other is there. */
  weight: number
  /** By what visitors stay at one member, as written there. */
  staysBy?: string
}

/** Said where visitors stayed at one server. */
export const NOT_STAYING =
  'Each request goes to the server that has the fewest under way: visitors do not stay at one. What they began there must be known to the others.'

const MAX_MEMBERS = 32
const MAX_WEIGHT = 100

/** The members of an `upstream` of nginx, without those that are switched off. */
export const nginxMember = (args: readonly string[]): Member | null => {
  if (args.includes('down')) return null
  const said = args.map((arg) => /^weight=(\d{1,5})$/.exec(arg)?.[1]).find(Boolean)
  return { address: args[0] ?? '', weight: args.includes('backup') ? 0 : Number(said ?? 1) }
}

/** A `BalancerMember` of Apache; null: it is switched off. */
export const apacheMember = (args: readonly string[]): Member | null => {
  const status = args.map((arg) => /^status=(.*)$/i.exec(arg)?.[1]).find(Boolean) ?? ''
  if (/[ds]/i.test(status)) return null
  const said = args.map((arg) => /^loadfactor=(\d{1,3})(?:\.\d*)?$/i.exec(arg)?.[1]).find(Boolean)
  return {
    address: (args.find((arg) => /^[a-z]+:/i.test(arg)) ?? '').replace(/\/$/, ''),
    weight: /h/i.test(status) ? 0 : Number(said ?? 1),
  }
}

/** What a balancer of Apache, or one of its members, says that has no counterpart: visitors stay at one server by it. */
export const stayingOf = (args: readonly string[]): string | null =>
  args.find((arg) => /^(?:stickysession|route|lbmethod=(?!byrequests|bybusyness))/i.test(arg)) ??
  null

/** Those that are asked: without the ones for need, unless there are no others. */
export const askedMembers = (members: readonly Member[]): readonly Member[] => {
  const usual = members.filter(({ weight }) => weight > 0)
  return usual.length > 0 ? usual : members
}

/** The addresses of an application that has several; none where one is left. */
export const upstreamsOfMembers = (
  members: readonly Member[],
  originOf: (address: string) => string,
): Pick<LegacyProxy, 'upstreams'> => {
  const weights = new Map<string, number>()
  for (const { address, weight } of askedMembers(members)) {
    const origin = originOf(address)
    if (typeof parseProxyUpstream(origin) === 'string' || weights.size >= MAX_MEMBERS) continue
    weights.set(origin, Math.min(MAX_WEIGHT, (weights.get(origin) ?? 0) + Math.max(1, weight)))
  }
  if (weights.size < 2) return {}
  return { upstreams: [...weights].map(([upstream, weight]) => ({ upstream, weight })) }
}

/** What of a balancer is otherwise than it was; null: nothing. */
export const changedBalancing = (
  members: readonly Member[],
  kept: Pick<LegacyProxy, 'upstreams'>,
): string | null => {
  if (members.length < 2) return null
  const all = kept.upstreams?.length ?? 1
  return all === members.length
    ? null
    : `Berth asks ${all} of its ${members.length} servers: those for need, written twice or at no address are left out.`
}
