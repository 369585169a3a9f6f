import { askedMembers, type Member } from '../proxy-members.ts'
import { phpSocketProblem } from '../../config/site/php-socket.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacySite } from '../types.ts'
import { judgedParam } from './nginx-judged.ts'
import { CGI_NAMES } from './nginx-names.ts'
import type { NginxMaps } from './values/nginx-maps.ts'
import { variableOf } from './values/nginx-variables.ts'
import { nearestAll, own, type Scope } from './nginx-scope.ts'

/** Servers of `upstream` blocks by their names. */
export type Upstreams = ReadonlyMap<string, readonly Member[]>

/** The socket or address that a name stands for, with the number of those behind it. */
export const upstreamOf = (
  name: string,
  upstreams: Upstreams,
): { address: string; count: number; members: readonly Member[] } => {
  const members = upstreams.get(name) ?? []
  const address = askedMembers(members)[0]?.address ?? name
  return { address, count: Math.max(1, members.length), members }
}

/** What the conversion of PHP of one server shares. */
export interface PhpDeps {
  upstreams: Upstreams
  maps: NginxMaps
  /** Variables of maps that something was made of. */
  mapsUsed: Set<string>
  report: Report
}

/** What a variable of a `map` comes to, its default if it has one, with the number of its values; else the text. */
const ofMap = (
  text: string,
  maps: NginxMaps,
): { value: string; count: number; variable: string | null } => {
  const variable = variableOf(text) ?? ''
  const at = maps.get(variable)
  const entries = (at?.inside ?? []).filter(({ args }) => args.length === 1)
  const usual = entries.find(({ name }) => name === 'default') ?? entries[0]
  if (usual === undefined) return { value: text, count: 1, variable: null }
  const count = new Set(entries.map(({ args }) => args[0])).size
  return { value: usual.args[0] ?? '', count, variable }
}

/** `fastcgi_pass` of a block: the site's PHP. True: the block runs PHP. */
export const convertFastcgi = (
  scope: Scope,
  site: LegacySite,
  { upstreams, maps, mapsUsed, report }: PhpDeps,
): boolean => {
  const pass = own(scope, 'fastcgi_pass').at(-1)
  if (!pass) return false
  const chosen = ofMap(pass.args[0] ?? '', maps)
  if (chosen.variable !== null) mapsUsed.add(chosen.variable)
  if (chosen.count > 1)
    report.changed(
      pass,
      `A site has one PHP; of the ${chosen.count} of this map it is ${chosen.value}.`,
    )
  const { address, count } = upstreamOf(chosen.value, upstreams)
  if (count > 1) report.changed(pass, `Berth asks the first of its ${count} servers alone.`)
  const path = /^unix:(\/[^:$]+)$/.exec(address)?.[1]
  const port = /^[\w.-]+:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/i.test(address)
  const socket = path ?? (port ? `tcp://${address}` : undefined)
  if (socket === undefined || phpSocketProblem(socket) !== null)
    report.lost(
      pass,
      'It leads to no PHP that Berth could ask. Name its socket in [virtualhost.php].',
    )
  else if (site.phpSocket !== null && site.phpSocket !== socket)
    report.lost(pass, `A site has one PHP, and it is ${site.phpSocket}.`)
  else site.phpSocket = socket
  return true
}

/** Variables for PHP that it does not get anyway. */
export const fastcgiParamLines = (scope: Scope, report: Report): string[] => {
  const listens = nearestAll(scope, 'listen')
  const isSecure = listens.length > 0 && listens.every(({ args }) => args.includes('ssl'))
  return nearestAll(scope, 'fastcgi_param').flatMap((directive: Directive) => {
    const [name = '', value = ''] = directive.args
    if (CGI_NAMES.has(name)) {
      const missed = judgedParam(name, value, isSecure)
      if (missed === null) report.unneeded(directive, 'PHP gets it anyway.')
      else report[missed.kind](directive, missed.reason)
      return []
    }
    if (/^PHP_(?:ADMIN_)?VALUE$/.test(name)) {
      report.lost(directive, 'Set it in the pool of php-fpm, or in .user.ini.')
      return []
    }
    if (/\$\w|\$\{|["\\\r\n]/.test(value) || !/^[A-Za-z_]\w*$/.test(name)) {
      report.lost(directive, 'Its value cannot be written here. Set it in the pool of php-fpm.')
      return []
    }
    return [`SetEnv ${name} "${value}"`]
  })
}
