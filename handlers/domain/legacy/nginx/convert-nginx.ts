import type { Report } from '../report.ts'
import { createWrittenLimit } from '../written-limit.ts'
import type { ConvertContext, Directive, LegacyConfig } from '../types.ts'
import { convertNginxServer, reportOthers } from './nginx-server.ts'
import { readRequestZones } from './nginx-limits.ts'
import { askedVariables } from './values/nginx-variables.ts'
import { CHAIN_TOO_LONG, convertMaps, readMaps } from './values/nginx-maps.ts'
import type { Scope } from './nginx-scope.ts'
import { readUpstreams } from './nginx-upstreams.ts'

/** `80`, `[::]:80`, `*:80`, `10.0.0.1` as an address of Berth; null for sockets. */
const addressOf = (text: string): string | null => {
  if (text.startsWith('unix:')) return null
  if (/^\d+$/.test(text)) return `0.0.0.0:${text}`
  const given = text.replace(/^\*:/, '0.0.0.0:')
  return /:\d+$/.test(given.replace(/^\[[^\]]*\]/, '')) ? given : `${given}:80`
}

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

const bytesOf = (text: string): number | null => {
  const found = /^(\d{1,9})([kmg]?)$/i.exec(text)
  return found ? Number(found[1]) * (UNITS[(found[2] ?? '').toLowerCase()] ?? 1) : null
}

const secsOf = (text: string | undefined): number | null => {
  const found = /^(\d{1,6})(s|m)?$/.exec(text ?? '')
  return found ? Number(found[1]) * (found[2] === 'm' ? 60 : 1) : null
}

/** Blocks that stand beside servers; there may be many, and no server has them from outside. */
const NOT_TAKEN_OVER = new Set(['server', 'upstream', 'map', 'geo', 'split_clients', 'types'])

/** Every directive of a name, wherever it stands. */
const everywhere = (directives: readonly Directive[], name: string): Directive[] =>
  directives.flatMap((one) => [
    ...(one.name === name ? [one] : []),
    ...everywhere(one.inside ?? [], name),
  ])

/** What a configuration of nginx comes to. */
export const convertNginx = (
  tree: readonly Directive[],
  context: ConvertContext,
  report: Report,
  prefix: string,
): LegacyConfig => {
  const blocks = tree.filter(({ name, inside }) => name === 'http' && inside !== null)
  const outer: Directive[] = [
    ...tree.filter(({ name }) => name !== 'http'),
    ...blocks.flatMap(({ inside }) => inside ?? []),
  ]
  const [first] = outer
  const http: Scope | null =
    first === undefined
      ? null
      : {
          at: first,
          directives: outer.filter(({ name }) => !NOT_TAKEN_OVER.has(name)),
          parent: null,
        }
  const upstreams = readUpstreams(outer, report)
  const maps = readMaps(outer)
  const zones = readRequestZones(outer, report)
  const mapsUsed = new Set<string>()
  const { files, check } = context
  const asked = askedVariables(http?.directives ?? [])
  const deps = { files, check, report, prefix, upstreams, maps, mapsUsed, zones, asked }
  const servers = outer.filter(({ name, inside }) => name === 'server' && inside !== null)
  const listens = servers.flatMap((server) =>
    (server.inside ?? []).filter(({ name }) => name === 'listen'),
  )
  const addresses = (secure: boolean): string[] =>
    listens
      .filter(({ args }) => !args.includes('quic') && args.includes('ssl') === secure)
      .map(({ args }) => addressOf(args[0] ?? ''))
      .filter((address): address is string => address !== null)
  const sizes = everywhere(tree, 'client_max_body_size')
  const limits = sizes.map(({ args }) => bytesOf(args[0] ?? '') ?? 0)
  for (const size of sizes)
    report.changed(size, 'The largest of these limits is the server’s: [server] max_body_size.')
  const countWritten = createWrittenLimit()
  const hosts = servers.flatMap((server) => {
    const made = convertNginxServer(server, http, deps)
    countWritten(made)
    return made
  })
  reportOthers(
    outer.filter(({ name }) => name !== 'server'),
    report,
  )
  const { rules: known, tooLong } = convertMaps(maps, '')
  for (const [variable, at] of maps)
    if (mapsUsed.has(variable)) continue
    else if (tooLong.has(variable)) report.lost(at, CHAIN_TOO_LONG)
    else if (!known.has(variable))
      report.lost(at, 'What it asks for, or a value, cannot be written as a rule.')
    else report.unneeded(at, 'Nothing that is carried over asks for its variable.')
  return {
    server: {
      listen: addresses(false),
      listenSsl: addresses(true),
      keepaliveSecs: secsOf(everywhere(tree, 'keepalive_timeout').at(-1)?.args[0]),
      maxBodyBytes: limits.length === 0 ? null : limits.includes(0) ? 0 : Math.max(...limits),
    },
    hosts,
  }
}
