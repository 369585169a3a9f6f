import { nginxMember, NOT_STAYING, type Member } from '../proxy-members.ts'
import type { Report } from '../report.ts'
import type { Directive } from '../types.ts'

/** Visitors stay at one server by these, which Berth does not do. */
const STAYING = new Set(['ip_hash', 'hash', 'sticky', 'sticky_cookie_insert', 'jvm_route'])
/** What Berth does by itself, or what only makes nginx' own way work. */
const BY_ITSELF = new Set(['least_conn', 'least_time', 'random', 'queue', 'ntlm', 'zone', 'state'])
/** Parameters of a server that are carried over. */
const KNOWN = /^(?:weight=|backup$|down$)/
/** Parameters that only say when nginx leaves a server out, or how it looks up its name. */
const SELF_MADE = /^(?:max_fails=|fail_timeout=|slow_start=|resolve$|service=)/

const reportUpstream = (
  inside: readonly Directive[],
  isBalanced: boolean,
  report: Report,
): void => {
  for (const directive of inside) {
    const { name, args } = directive
    if (name === 'server') {
      const others = args.slice(1).filter((arg) => !KNOWN.test(arg))
      const lost = others.filter((arg) => !SELF_MADE.test(arg))
      if (lost.length > 0) report.lost(directive, `Not kept is ${lost.join(' ')}.`)
      else if (others.length > 0)
        report.unneeded(
          directive,
          'A server that does not answer is left out for a while without being told to.',
        )
    } else if (STAYING.has(name)) {
      if (isBalanced) report.lost(directive, NOT_STAYING)
      else report.unneeded(directive, 'There is one server.')
    } else if (BY_ITSELF.has(name) || name.startsWith('keepalive'))
      report.unneeded(
        directive,
        'Each request goes to the server that has the fewest under way for its weight, over connections that are kept.',
      )
    else report.lost(directive, 'It has no counterpart.')
  }
}

/** The `upstream` blocks by their name, without servers that are switched off; tells what is not kept of them. */
export const readUpstreams = (
  directives: readonly Directive[],
  report: Report,
): Map<string, Member[]> =>
  new Map(
    directives
      .filter(({ name, inside }) => name === 'upstream' && inside !== null)
      .map(({ args, inside }) => {
        const members = (inside ?? [])
          .filter(({ name }) => name === 'server')
          .flatMap((server) => nginxMember(server.args) ?? [])
        reportUpstream(inside ?? [], members.length > 1, report)
        return [args[0] ?? '', members]
      }),
  )
