import { hostname } from 'node:os'
import { resolve } from 'node:path'
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
import type { LocalCall } from '../panel/frame/command-types.ts'
import { count } from '../terminal/format.ts'
import { printable } from '../terminal/printable.ts'
import { createProgress } from '../terminal/progress.ts'

const SERVERS = { apache: 'Apache httpd', nginx: 'nginx' }
const HOST_NAME = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/

const check: RuleCheck = { rules: rulesProblem, rewrite: rewriteProblem }

const readDefaultDomain = (given: string | undefined): string => {
  const name = (given ?? hostname()).toLowerCase()
  if (HOST_NAME.test(name)) return name
  if (given === undefined) return 'localhost'
  throw new CliError(
    `--default-domain ${printable(given)} is no host name. Write one such as www.example.com.`,
    2,
  )
}

const run = (
  input: string,
  name: string | undefined,
  joining: boolean,
): Conversion & { kind: LegacySource['kind'] } => {
  const defaultDomain = readDefaultDomain(name)
  const source = findSource(input)
  const progress = createProgress()
  let read = 0
  try {
    const context = { files: sourceFiles, check, defaultDomain, joining }
    const conversion = convertLegacy(source, context, (path) =>
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
export const runConvert = async ({ options, json, print: answer }: LocalCall): Promise<void> => {
  const { input = '', output: to } = options.texts('input', 'output')
  const output = to === undefined ? null : resolve(to)
  const [vhostsOnly, force] = [options.isOn('vhostsOnly'), options.isOn('force')]
  if (force && vhostsOnly)
    throw new CliError('--vhosts-only replaces nothing: leave out --force.', 2)
  const conversion = run(input, options.text('defaultDomain'), vhostsOnly)
  const { hosts, findings, files, kind } = conversion
  const lost = findings.filter((finding) => finding.kind === 'lost')
  const text = vhostsOnly
    ? hosts.map(({ toml }) => toml).join('\n')
    : wholeText(conversion, resolve(input))
  const refused = options.isOn('strict') && lost.length > 0
  const print = (written: boolean): void => {
    const names = hosts.map((host) => host.names)
    const facts = { ok: written, server: kind, output, virtual_hosts: names, files, findings }
    answer({ ...facts, ...(output === null ? { toml: text } : {}) }, () => {
      const stream = output === null ? process.stderr : process.stdout
      const head = `${SERVERS[kind]}, ${count(files.length, 'file', 'files')}: ${count(hosts.length, 'virtual host', 'virtual hosts')}${output !== null && written ? ` written to ${output}` : ''}.`
      stream.write(`${[...reportLines(findings, stream), head].join('\n')}\n`)
    })
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
  else if (vhostsOnly) await appendHosts(output, hosts)
  else await writeNew(output, text, force)
  if (output === null && !json) process.stdout.write(text)
  print(true)
}
