import { stringify } from 'smol-toml'
import { findSuspicions, loadPlacedConfig } from '#adapters/node/config/find-suspicions.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { CliError } from './cli-error.ts'
import { loadOrFail, mistakesText } from './load-or-fail.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { LocalCall, ResourceSpec } from './panel/frame/command-types.ts'
import { count } from './terminal/format.ts'
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

const test = async ({ configFile, options, json, print }: LocalCall): Promise<void> => {
  const loaded = await loadPlacedConfig(configFile)
  const problems = loaded.ok ? [] : loaded.problems
  const warnings = loaded.ok ? await findSuspicions(loaded) : []
  const isRefused = options.isOn('strict') && warnings.length > 0
  if (json) {
    print({ ok: loaded.ok && !isRefused, file: configFile, problems, warnings }, '')
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
export const config: ResourceSpec = {
  name: 'config',
  summary: 'look at the configuration',
  commands: {
    test: {
      summary: 'check the configuration and list every mistake, and what is suspicious',
      note: 'Mistakes keep the configuration from being used: exit code 2. Suspicious is what would be served, but not as meant: document roots that are gone, certificates that expire or are for other names, ports that other programs hold, PHP that is not installed.',
      options: [['--strict', 'exit code 1 when something is suspicious']],
      examples: ['berth config test', 'berth --config ./berth.toml config test --json'],
      act: test,
    },
    show: {
      summary: 'print the effective configuration, secrets masked',
      examples: ['berth config show', 'berth config show --json | jq .cache'],
      async act({ configFile, print }) {
        const { file, ...shown } = maskSecrets(await loadOrFail(configFile))
        print({ file, ...shown }, () =>
          console.log(
            `# ${file} with defaults and included files\n${stringify(withoutNulls(shown))}`,
          ),
        )
      },
    },
    'show-default': {
      summary: 'print a commented configuration with the defaults',
      examples: ['berth config show-default > berth.toml'],
      act({ print }) {
        const toml = renderDefaultConfig({ root: process.getuid?.() === 0 })
        print({ toml }, () => process.stdout.write(toml))
      },
    },
    'convert-legacy': {
      summary: "convert another web server's configuration (Apache httpd, nginx)",
      note: 'Every directive that is not carried over is named with its file, line and the reason.',
      options: [
        ['--input <path>', 'its main file, its directory, or files of sites', { required: true }],
        ['--output <path>', 'file to write; without it the result is printed'],
        ['--vhosts-only', 'only virtual hosts, added to the end of an existing file'],
        ['--default-domain <name>', 'name of a host that has none'],
        ['--strict', 'exit code 1, and nothing written, when anything is lost'],
        ['--force', 'replace --output when it exists'],
      ],
      examples: [
        'berth config convert-legacy --input /etc/apache2',
        'berth config convert-legacy --input /etc/nginx --output ./berth.toml --strict',
        'berth config convert-legacy --input /etc/nginx/sites-enabled/shop --vhosts-only --output /etc/berth/berth.toml',
      ],
      async act(call) {
        // Loaded when it is wanted: it is large, and no other command needs it.
        const { runConvert } = await import('./convert/run-convert.ts')
        await runConvert(call)
      },
    },
  },
}
