import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  convertLegacy,
  type Conversion,
  type LegacySource,
} from '#handlers/domain/legacy/convert-legacy.ts'
import { LegacyError } from '#handlers/domain/legacy/legacy-error.ts'
import type { RuleCheck } from '#handlers/domain/legacy/types.ts'
import { rulesProblem } from '#handlers/sites/htaccess/files/own-rules.ts'
import { rewriteProblem } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { CliError } from '../cli-error.ts'
import { findSource } from './find-source.ts'
import { reportLines } from './print-report.ts'
import { sourceFiles } from './source-files.ts'
import { appendHosts, checkText, writeNew } from './write-output.ts'
import { readGlobalOptions } from '../options.ts'
import { printable } from '../terminal/printable.ts'
import { createProgress } from '../terminal/progress.ts'

/** Options of the command. */
export interface ConvertOptions {
  input: string
  output?: string
  vhostsOnly?: boolean
  defaultDomain?: string
  strict?: boolean
  force?: boolean
}

const SERVERS = { apache: 'Apache httpd', nginx: 'nginx' }
const HOST_NAME = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/

const check: RuleCheck = { rules: rulesProblem, rewrite: rewriteProblem }

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

const readDefaultDomain = (given: string | undefined): string => {
  const name = (given ?? hostname()).toLowerCase()
  if (HOST_NAME.test(name)) return name
  if (given === undefined) return 'localhost'
  throw new CliError(
    `--default-domain ${printable(given)} is no host name. Write one such as www.example.com.`,
    2,
  )
}

const run = (options: ConvertOptions): Conversion & { kind: LegacySource['kind'] } => {
  const defaultDomain = readDefaultDomain(options.defaultDomain)
  const source = findSource(options.input)
  const progress = createProgress()
  let read = 0
  try {
    const conversion = convertLegacy(source, { files: sourceFiles, check, defaultDomain }, (path) =>
      progress.show(null, `${++read} files read, now ${path}`),
    )
    return { ...conversion, kind: source.kind }
  } catch (error) {
    if (error instanceof LegacyError) throw new CliError(printable(error.message))
    throw error
  } finally {
    progress.clear()
  }
}

const wholeText = ({ server, hosts, kind }: ReturnType<typeof run>, input: string): string =>
  [
    `# Converted from ${printable(input)} (${SERVERS[kind]}) by berth config convert-legacy.\n# What is not here has its default; see: berth config show-default\n`,
    ...(server === '' ? [] : [server]),
    ...hosts.map(({ toml }) => toml),
  ].join('\n')

/** Does what `berth config convert-legacy` says. */
export const runConvert = async (options: ConvertOptions, command: Command): Promise<void> => {
  const { json } = readGlobalOptions(command)
  const output = options.output === undefined ? null : resolve(options.output)
  if (options.force && options.vhostsOnly)
    throw new CliError('--vhosts-only replaces nothing: leave out --force.', 2)
  const conversion = run(options)
  const { hosts, findings, files, kind } = conversion
  const lost = findings.filter((finding) => finding.kind === 'lost')
  const text =
    options.vhostsOnly === true
      ? hosts.map(({ toml }) => toml).join('\n')
      : wholeText(conversion, resolve(options.input))
  const refused = options.strict === true && lost.length > 0
  const print = (written: boolean): void => {
    if (json) {
      const toml = output === null ? { toml: text } : {}
      const names = hosts.map((host) => host.names)
      const facts = { ok: written, server: kind, output, virtual_hosts: names, files, findings }
      console.log(JSON.stringify({ ...facts, ...toml }, null, 2))
      return
    }
    const stream = output === null ? process.stderr : process.stdout
    const head = `${SERVERS[kind]}, ${count(files.length, 'file', 'files')}: ${count(hosts.length, 'virtual host', 'virtual hosts')}${output !== null && written ? ` written to ${output}` : ''}.`
    stream.write(`${[...reportLines(findings, stream), head].join('\n')}\n`)
  }
  const stop = (why: string): never => {
    print(false)
    throw new CliError(why)
  }
  if (hosts.length === 0)
    stop('There is no virtual host that could be converted. Nothing was written.')
  if (refused)
    stop(
      `${count(lost.length, 'directive is', 'directives are')} lost (--strict). Nothing was written.`,
    )
  if (output === null) await checkText(text)
  else if (options.vhostsOnly === true) await appendHosts(output, hosts)
  else await writeNew(output, text, options.force === true)
  if (output === null && !json) process.stdout.write(text)
  print(true)
}
