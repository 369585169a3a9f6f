import type { Command } from 'commander'
import { stringify } from 'smol-toml'
import { findSuspicions, loadPlacedConfig } from '#adapters/node/config/find-suspicions.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { CliError } from './cli-error.ts'
import { addConvertCommand } from './config-convert.ts'
import { withExamples } from './examples.ts'
import { loadOrFail, mistakesText } from './load-or-fail.ts'
import { maskSecrets } from './mask-secrets.ts'
import { readGlobalOptions } from './options.ts'
import { paint } from './terminal/paint.ts'

/** TOML has no null: an unset option is left out. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([key, entry]) => [key, withoutNulls(entry)]),
  )
}

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

const test = async (options: { strict?: boolean }, command: Command): Promise<void> => {
  const { configFile, json } = readGlobalOptions(command)
  const loaded = await loadPlacedConfig(configFile)
  const problems = loaded.ok ? [] : loaded.problems
  const warnings = loaded.ok ? await findSuspicions(loaded) : []
  const isRefused = options.strict === true && warnings.length > 0
  if (json) {
    const ok = loaded.ok && !isRefused
    console.log(JSON.stringify({ ok, file: configFile, problems, warnings }, null, 2))
    process.exitCode = loaded.ok ? (isRefused ? 1 : 0) : 2
    return
  }
  if (!loaded.ok) throw new CliError(mistakesText(loaded.problems), 2)
  for (const warning of warnings)
    console.error(`${paint('yellow', 'suspicious')}  ${describeProblem(warning)}`)
  if (isRefused)
    throw new CliError(`${count(warnings.length, 'thing is', 'things are')} suspicious (--strict).`)
  const hosts = count(loaded.config.virtualhost.length, 'virtual host', 'virtual hosts')
  const also = warnings.length === 0 ? '' : `, ${warnings.length} suspicious`
  console.log(`${configFile} is correct (${hosts}${also}).`)
}

/** `berth config test | show | show-default | convert-legacy`. */
export const addConfigCommands = (program: Command): void => {
  const config = program.command('config').description('look at the configuration')
  withExamples(
    config
      .command('test')
      .description('check the configuration and list every mistake, and what is suspicious')
      .option('--strict', 'exit code 1 when something is suspicious')
      .action(test),
    ['berth config test', 'berth --config ./berth.toml config test --json'],
    'Mistakes keep the configuration from being used: exit code 2. Suspicious is what would be served, but not as meant: document roots that are gone, certificates that expire or are for other names, ports that other programs hold, PHP that is not installed.',
  )
  withExamples(
    config
      .command('show')
      .description('print the effective configuration, secrets masked')
      .action(async (_options, command: Command) => {
        const { configFile, json } = readGlobalOptions(command)
        const { file, ...shown } = maskSecrets(await loadOrFail(configFile))
        if (json) console.log(JSON.stringify({ file, ...shown }, null, 2))
        else
          console.log(
            `# ${file} with defaults and included files\n${stringify(withoutNulls(shown))}`,
          )
      }),
    ['berth config show', 'berth config show --json | jq .cache'],
  )
  withExamples(
    config
      .command('show-default')
      .description('print a commented configuration with the defaults')
      .action((_options, command: Command) => {
        const text = renderDefaultConfig({ root: process.getuid?.() === 0 })
        if (readGlobalOptions(command).json) console.log(JSON.stringify({ toml: text }, null, 2))
        else process.stdout.write(text)
      }),
    ['berth config show-default > berth.toml'],
  )
  addConvertCommand(config)
}
