import type { Command } from 'commander'
import { stringify } from 'smol-toml'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import { describeProblem } from '#handlers/domain/server-config-describe.ts'
import { renderDefaultConfig } from '#handlers/domain/server-config-template.ts'
import { CliError } from './cli-error.ts'
import { maskSecrets } from './mask-secrets.ts'
import { readGlobalOptions } from './options.ts'

/** The configuration, or an error that lists every mistake. */
export const loadOrFail = async (file: string): Promise<ServerConfig> => {
  const loaded = await loadConfig(file)
  if (loaded.ok) return loaded.config
  const count = loaded.problems.length
  throw new CliError(
    `${count} ${count === 1 ? 'mistake' : 'mistakes'} in the configuration:\n${loaded.problems
      .map((problem) => `  ${describeProblem(problem)}`)
      .join('\n')}`,
  )
}

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

/** `berth config test | show | show-default`. */
export const addConfigCommands = (program: Command): void => {
  const config = program.command('config').description('look at the configuration')
  config
    .command('test')
    .description('check the configuration and list every mistake')
    .action(async (_options, command: Command) => {
      const { configFile, json } = readGlobalOptions(command)
      if (json) {
        const loaded = await loadConfig(configFile)
        const problems = loaded.ok ? [] : loaded.problems
        console.log(JSON.stringify({ ok: loaded.ok, file: configFile, problems }, null, 2))
        process.exitCode = loaded.ok ? 0 : 1
        return
      }
      const { virtualhost } = await loadOrFail(configFile)
      const hosts =
        virtualhost.length === 1 ? '1 virtual host' : `${virtualhost.length} virtual hosts`
      console.log(`${configFile} is correct (${hosts}).`)
    })
  config
    .command('show')
    .description('print the effective configuration, secrets masked')
    .action(async (_options, command: Command) => {
      const { configFile, json } = readGlobalOptions(command)
      const { file, ...shown } = maskSecrets(await loadOrFail(configFile))
      if (json) console.log(JSON.stringify({ file, ...shown }, null, 2))
      else
        console.log(`# ${file} with defaults and included files\n${stringify(withoutNulls(shown))}`)
    })
  config
    .command('show-default')
    .description('print a commented configuration with the defaults')
    .action(() => {
      process.stdout.write(renderDefaultConfig({ root: process.getuid?.() === 0 }))
    })
}
