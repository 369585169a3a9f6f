import { keepLocal } from '../keep-local.ts'
import type { Report } from '../report.ts'
import { createWrittenLimit } from '../written-limit.ts'
import type { ConvertContext, Directive, LegacyConfig, LegacyHost } from '../types.ts'
import { convertApacheHost } from './apache-host.ts'
import { phpRouteOf } from './apache-handlers.ts'
import type { ApacheTree } from './read-apache.ts'

const PORT = /(?:^|:)(\d{1,5})$/

/** Whether a virtual host is for https, before its own word (`SSLEngine`) is heard. */
const isSecureAddress = (address: string): boolean => PORT.exec(address)?.[1] === '443'

/** `Listen 80`, `Listen 1.2.3.4:8443 https`, as addresses of Berth. */
const listenAddresses = (directive: Directive): string[] => {
  const [address = ''] = directive.args
  const port = PORT.exec(address)?.[1]
  if (port === undefined) return []
  return address === port ? [`0.0.0.0:${port}`, `[::]:${port}`] : [address]
}

const SERVER = new Set(['listen', 'keepalivetimeout', 'virtualhost'])

/** Addresses that a host is reached at: for all of a port, those that the server listens on. */
const reachedAt = (address: string, listens: readonly Directive[]): string[] => {
  if (!/^(?:\*|_default_|0\.0\.0\.0|\[::\])(?::|$)/i.test(address)) return [address]
  const port = PORT.exec(address)?.[1]
  const same = listens
    .map(({ args }) => args[0] ?? '')
    .filter((one) => port === undefined || PORT.exec(one)?.[1] === port)
  return same.length === 0 ? [address] : same
}

/** Whether Apache ran PHP inside itself, by a module. */
const hasPhpModule = ({ facts }: ApacheTree): boolean =>
  [...facts.modules].some((name) => /^php\d*$/.test(name))

/** Whether a site runs scripts by anything that is no socket. */
const mentionsPhp = (directives: readonly Directive[]): boolean =>
  directives.some(
    ({ name, args, inside }) =>
      (/^(?:add|set)handler$|^addtype$/.test(name) && phpRouteOf(args[0] ?? '') !== null) ||
      (inside !== null && mentionsPhp(inside)),
  )

/** What a configuration of Apache httpd comes to. */
export const convertApache = (
  tree: ApacheTree,
  context: ConvertContext,
  report: Report,
): LegacyConfig => {
  const { directives } = tree
  const sections = directives.filter(({ name, inside }) => name === 'virtualhost' && inside)
  const common = directives.filter(({ name }) => !SERVER.has(name))
  const used = new Set<Directive>()
  const deps = {
    files: context.files,
    check: context.check,
    report,
    serverRoot: tree.serverRoot,
    used,
  }

  const listens = directives.filter(({ name }) => name === 'listen')
  const isSecureListen = ({ args }: Directive): boolean =>
    /^https$/i.test(args[1] ?? '') || isSecureAddress(args[0] ?? '')
  const keepalive = directives.findLast(({ name }) => name === 'keepalivetimeout')
  const keepaliveSecs = Number(keepalive?.args[0] ?? Number.NaN)

  const countWritten = createWrittenLimit()
  const convert = (at: Directive, all: readonly Directive[]): LegacyHost => {
    const host = convertApacheHost(at, all, at.args.some(isSecureAddress), deps)
    const addresses = at.args.length === 0 ? ['*'] : at.args
    const reached = addresses.flatMap((address) => reachedAt(address, listens))
    keepLocal(reached, at, host.site, report)
    if (host.site.phpSocket === null && hasPhpModule(tree) && !mentionsPhp(all) && !host.redirect)
      report.lost(
        at,
        'PHP ran inside Apache. Name a socket of php-fpm in [virtualhost.php], or an account in username.',
      )
    countWritten([host])
    return host
  }
  let hosts: LegacyHost[]
  const [main] = common
  const named = common.some(({ name }) => name === 'documentroot')
  if (sections.length > 0) {
    hosts = sections.map((section) =>
      convert(section, [
        ...common.filter(({ name }) => name !== 'servername'),
        ...(section.inside ?? []),
      ]),
    )
  } else if (main !== undefined && named) {
    // A server without virtual hosts is one host itself.
    hosts = [
      convert({ ...main, name: 'server', spelled: 'server', args: [], inside: common }, common),
    ]
  } else {
    hosts = []
    convertUnused(common, report)
  }
  for (const directive of common)
    if (directive.name.startsWith('directory') && directive.inside !== null && !used.has(directive))
      report.unneeded(directive, 'No site’s files lie there.')
  return {
    server: {
      listen: listens.filter((one) => !isSecureListen(one)).flatMap(listenAddresses),
      listenSsl: listens.filter(isSecureListen).flatMap(listenAddresses),
      keepaliveSecs: keepaliveSecs > 0 ? keepaliveSecs : null,
      maxBodyBytes: null,
    },
    hosts,
  }
}

const convertUnused = (directives: readonly Directive[], report: Report): void => {
  for (const directive of directives) report.lost(directive, 'There is no site that it is about.')
}

/** The name that a server gives hosts without one; null when it gives none. */
export const apacheServerName = ({ directives }: ApacheTree): string | null =>
  directives
    .findLast(({ name }) => name === 'servername')
    ?.args[0]?.replace(/^[a-z]+:\/\//i, '')
    .replace(/:\d+$/, '')
    .toLowerCase() ?? null
