import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { createConfigLoader } from '#adapters/node/config/config-loader.ts'
import { accessOfWeb, type NeededAccess } from '#adapters/node/swap/access-of-web.ts'
import { withBlock, withoutBlock } from '#adapters/node/swap/config-block.ts'
import type { OldServer, ProbeTarget } from '#adapters/node/swap/swap-types.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { convertLegacy, type LegacySource } from '#handlers/domain/legacy/convert-legacy.ts'
import { LegacyError } from '#handlers/domain/legacy/legacy-error.ts'
import type { Finding } from '#handlers/domain/legacy/types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { rulesProblem } from '#handlers/sites/htaccess/files/own-rules.ts'
import { rewriteProblem } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { CliError } from '../cli-error.ts'
import { sourceFiles } from '../convert/source-files.ts'
import { mistakesText } from '../load-or-fail.ts'
import { printable } from '../terminal/printable.ts'

/** What a swap would do. */
export interface SwapPlan {
  source: string
  /** Null: it does not run. */
  old: OldServer | null
  /** Names of the sites that are taken over. */
  sites: string[][]
  /** Sites that Berth has already. */
  kept: string[][]
  findings: Finding[]
  /** What would not work, as far as can be seen beforehand. */
  warnings: string[]
  /** What keeps the swap from being done. */
  problems: string[]
  configText: string
  targets: ProbeTarget[]
}

type Host = ReturnType<typeof convertLegacy>['hosts'][number]

const load = async (file: string, text: string): Promise<ServerConfig> => {
  const loaded = await createConfigLoader(file, { generatedHosts: 'optional', text }).load()
  if (loaded.ok) return loaded.config
  throw new CliError(
    `${file} with the sites of the other server would not be accepted. Nothing was changed. ${mistakesText(loaded.problems)}`,
  )
}

const readConfig = (file: string): string => {
  if (existsSync(file)) return readFileSync(file, 'utf8')
  throw new CliError(
    `${file} does not exist, so there is nothing that the sites could be added to. Make it first: berth config show-default > ${file}`,
    2,
  )
}

const convert = (source: LegacySource): { hosts: Host[]; findings: Finding[] } => {
  const name = hostname().toLowerCase()
  const defaultDomain = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? name : 'localhost'
  const check = { rules: rulesProblem, rewrite: rewriteProblem }
  try {
    return convertLegacy(source, { files: sourceFiles, check, defaultDomain })
  } catch (error) {
    if (error instanceof LegacyError) throw new CliError(printable(error.message))
    throw error
  }
}

const portsOf = (addresses: readonly string[]): Set<number> =>
  new Set(addresses.flatMap((address) => parseListenAddress(address)?.port ?? []))

const LOCAL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const hasCertificate = ({ toml }: Host): boolean => /^ssl_certificate = /m.test(toml)

/** Every name of every site, on each port that the old server serves and Berth will. */
const targetsOf = (
  hosts: readonly Host[],
  old: OldServer,
  { server }: ServerConfig,
  paths: readonly string[],
): ProbeTarget[] => {
  const plain = portsOf(server.listen)
  const secure = portsOf(server.listen_ssl)
  const places = new Map(old.listening.toReversed().map((one) => [one.port, one.address]))
  return hosts.flatMap((host) =>
    host.names
      .filter((name) => !name.includes('*'))
      .flatMap((name) =>
        [...places].flatMap(([port, at]) => {
          const isSecure = secure.has(port)
          if (isSecure ? !hasCertificate(host) : !plain.has(port)) return []
          const address = LOCAL[at] ?? at
          return paths.map((path) => ({ host: name, address, port, secure: isSecure, path }))
        }),
      ),
  )
}

const portProblems = (old: OldServer, { server }: ServerConfig): string[] => {
  const ours = new Set([...portsOf(server.listen), ...portsOf(server.listen_ssl)])
  return [...new Set(old.listening.map(({ port }) => port))]
    .filter((port) => !ours.has(port))
    .map(
      (port) =>
        `It serves port ${port}, which Berth would not: name it in [server] listen (or listen_ssl for https).`,
    )
}

/** Files of the new sites that the web server reads by itself, not as root as others do. */
const neededBy = (names: ReadonlySet<string>, { virtualhost }: ServerConfig): NeededAccess[] =>
  virtualhost
    .filter(({ domain }) => names.has(domain))
    .flatMap(({ root, php, ssl_certificate, ssl_certificate_key }) => {
      const files = [ssl_certificate, ssl_certificate_key].filter((file) => file !== null)
      return [
        { path: root, right: 'x' as const, what: 'the document root' },
        ...(php.socket === null
          ? []
          : [{ path: php.socket, right: 'w' as const, what: "PHP's socket" }]),
        ...files.map((path) => ({ path, right: 'r' as const, what: 'the certificate file' })),
      ]
    })

/** Puts together what a swap would do. Reads only. */
export const planSwap = async (
  configFile: string,
  source: LegacySource,
  old: OldServer | null,
  paths: readonly string[],
): Promise<SwapPlan> => {
  const text = readConfig(configFile)
  const base = await load(configFile, withoutBlock(text))
  const taken = new Set(base.virtualhost.flatMap(({ domain, aliases }) => [domain, ...aliases]))
  const { hosts, findings } = convert(source)
  const isTaken = ({ names }: Host): boolean => names.some((name) => taken.has(name))
  const fresh = hosts.filter((host) => !isTaken(host))
  const configText =
    fresh.length === 0
      ? text
      : withBlock(
          text,
          fresh.map(({ toml }) => toml),
        )
  const config = await load(configFile, configText)
  const problems = old === null ? [] : portProblems(old, config)
  if (hosts.length === 0) problems.push('It has no site that could be taken over.')
  if (old?.foreground === true && old.unit === null)
    problems.push(
      'It runs in the foreground, so whatever started it (a container, runit, supervisord) would start it again. End it there, then: berth swap --config-only --from FILE, and berth service start',
    )
  return {
    source: resolve(source.paths[0] ?? ''),
    old,
    sites: fresh.map(({ names }) => names),
    kept: hosts.filter(isTaken).map(({ names }) => names),
    findings,
    warnings: await accessOfWeb(neededBy(new Set(fresh.flatMap(({ names }) => names)), config)),
    problems,
    configText,
    targets: old === null ? [] : targetsOf(hosts, old, config, paths),
  }
}
