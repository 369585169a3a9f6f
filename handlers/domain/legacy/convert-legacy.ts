import { apacheServerName, convertApache } from './apache/convert-apache.ts'
import { DEBIAN_ENVVARS } from './apache/read-envvars.ts'
import { readApache } from './apache/read-apache.ts'
import { IncludeStack } from './include-stack.ts'
import { mergePair, type ConvertedHost } from './merge-pair.ts'
import { convertNginx } from './nginx/convert-nginx.ts'
import { readNginx } from './nginx/read-nginx.ts'
import { fallbackOf, pairHosts } from './pair-hosts.ts'
import { renderHost, renderServer } from './render-toml.ts'
import { Report } from './report.ts'
import type { ConvertContext, Finding, LegacyConfig } from './types.ts'

/** A configuration to convert. */
export interface LegacySource {
  kind: 'apache' | 'nginx'
  /** Absolute; read one after the other. */
  paths: string[]
  /** Where relative paths begin. */
  base: string
  /** Apache: variables of the environment; default: Debian's. */
  environment?: ReadonlyMap<string, string>
}

/** What `berth config convert-legacy` makes of a configuration. */
export interface Conversion {
  /** `[server]`, empty when nothing of it is needed. */
  server: string
  /** Each `[[virtualhost]]` as TOML, with its names. */
  hosts: { names: string[]; toml: string }[]
  findings: Finding[]
  /** Files that were read. */
  files: string[]
}

const byPlace = (one: Finding, other: Finding): number =>
  one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1

/**
 * Converts a configuration of Apache httpd or nginx. Throws `LegacyError` for
 * what cannot be read. `onFile` is told of each file that is read.
 */
export const convertLegacy = (
  source: LegacySource,
  context: ConvertContext,
  onFile?: (path: string) => void,
): Conversion => {
  const report = new Report()
  const { files } = context
  const stack = new IncludeStack(files, onFile)
  let config: LegacyConfig
  let { defaultDomain } = context
  if (source.kind === 'apache') {
    const environment = source.environment ?? DEBIAN_ENVVARS
    const tree = readApache(source.paths, {
      files,
      stack,
      report,
      serverRoot: source.base,
      environment,
    })
    defaultDomain = apacheServerName(tree) ?? defaultDomain
    config = convertApache(tree, context, report)
  } else {
    const tree = readNginx(source.paths, { files, stack, report, prefix: source.base })
    config = convertNginx(tree, context, report, source.base)
  }
  const { joining = false } = context
  const pairs = pairHosts(config.hosts, { defaultDomain, joining }, report)
  const fallback = joining ? null : fallbackOf(pairs)
  const hosts = pairs
    .map((pair) => mergePair(pair, files, report, pair === fallback))
    .filter((host): host is ConvertedHost => host !== null)
  return {
    server: renderServer(config.server),
    hosts: hosts.map((host) => ({ names: host.names, toml: renderHost(host) })),
    findings: report.findings.sort(byPlace),
    files: stack.seen,
  }
}
