import { APPLICATION_RULES } from '#handlers/domain/applications/application-rules.ts'
import { CliError } from '../../cli-error.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import type { OptionSpec } from '../frame/command-types.ts'

/** Options of an application but its start line. */
export const APPLICATION_OPTIONS: readonly OptionSpec[] = [
  [
    '--runtime <kind>',
    'whose programs come first in PATH',
    { choices: ['node', 'python', 'none'] },
  ],
  ['--runtime-version <version>', 'as berth app runtimes shows it; newest: the newest'],
  ['--folder <path>', 'below the home (default: apps/ and the name)'],
  [
    '--git <url>',
    'repository that it is made from; push: one of its own, to which you push; none: what lies in its folder',
  ],
  ['--branch <name>', "branch or tag; none: the repository's own"],
  ['--install <line>', 'line of sh that brings what it needs, e.g. "npm ci"; none: nothing'],
  ['--build <line>', 'line of sh that makes what runs, e.g. "npm run build"; none: nothing'],
  ['--public <folder>', 'of a site: folder of a release that is served; none: all of it'],
  [
    '--shared <path>',
    'file or folder (a slash at the end) that releases have in common; none: nothing; repeatable',
    { repeatable: true },
  ],
  [
    '--listen <where>',
    'at the path in SOCKET, or the number in PORT',
    { choices: ['socket', 'port'] },
  ],
  ['--health <path>', 'asked before visitors are sent to it, e.g. /health; none: nothing is'],
  ['--start-limit <seconds>', 'it may take until it answers (default: 60)'],
  [
    '--restart <when>',
    'what happens when it ends by itself (default: always)',
    { choices: ['always', 'on-failure', 'never'] },
  ],
  ['--instances <number>', 'how many of its program run beside each other (default: 1)'],
  ['--memory <megabytes>', 'of each of its instances; none: what any program may use'],
  [
    '--cpu <percent>',
    'of one processor, of all its processes together, e.g. 50; none: as much as the account has',
  ],
  ['--sleep-after <seconds>', 'without a visitor it is ended; none: never'],
]

/** `none` clears a text. */
const textOrNone = (options: CommandOptions, name: string): string | null | undefined => {
  const text = options.text(name)
  return text === 'none' ? null : text
}

const sourceOf = (git: string | undefined): Record<string, unknown> => {
  if (git === undefined) return {}
  const isPush = git === 'push'
  return { source_url: isPush || git === 'none' ? null : git, source_push: isPush }
}

/** Of `none` alone nothing is left. */
const sharedOf = (options: CommandOptions): string[] | undefined => {
  const paths = options.list('shared')
  return paths?.length === 1 && paths[0] === 'none' ? [] : paths
}

/** The settings that were given, by their names in the API. */
export const settingsOf = (options: CommandOptions): Record<string, unknown> => {
  const version = options.text('runtimeVersion')
  return {
    runtime_kind: options.text('runtime'),
    runtime_version: version === 'newest' ? null : version,
    folder: options.text('folder'),
    ...sourceOf(options.text('git')),
    source_branch: textOrNone(options, 'branch'),
    install_command: textOrNone(options, 'install'),
    build_command: textOrNone(options, 'build'),
    start_command: textOrNone(options, 'start'),
    public_folder: options.text('public') === 'none' ? '' : options.text('public'),
    shared_paths: sharedOf(options),
    listen: options.text('listen'),
    health_path: textOrNone(options, 'health'),
    start_limit_secs: options.number('startLimit', APPLICATION_RULES.startLimitSecs),
    restart: options.text('restart'),
    instances: options.number('instances', APPLICATION_RULES.instances),
    memory_mb: options.numberOr('none', 'memory', APPLICATION_RULES.memoryMb),
    cpu_percent: options.numberOr('none', 'cpu', APPLICATION_RULES.cpuPercent),
    sleep_after_secs: options.numberOr('none', 'sleepAfter', APPLICATION_RULES.sleepAfterSecs),
  }
}

/** `NAME=value` of each; exit code 2 for what is none. */
export const variablesOf = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CliError(`"${pair}" is not a variable such as MODE=production.`, 2)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
