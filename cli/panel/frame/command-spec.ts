import { Option, type Command } from 'commander'
import { withExamples } from '../../examples.ts'
import { readGlobalOptions } from '../../options.ts'
import { CommandOptions } from './command-options.ts'
import { PanelClient } from './panel-client.ts'
import { findPanelTarget } from './panel-target.ts'

/** An option: its flags, what it does, and what more is known of it. */
export type OptionSpec = readonly [
  flags: string,
  description: string,
  more?: { choices?: readonly string[]; preset?: string; repeatable?: boolean; required?: boolean },
]

/** What a command of the panel is given to run. */
export interface PanelCall {
  panel: PanelClient
  /** In the order of the declaration; absent ones are empty. */
  args: readonly string[]
  /** Arguments of a last `<name...>`. */
  rest: readonly string[]
  options: CommandOptions
  json: boolean
  /** Prints `data` as JSON where that is wanted, else what `show` prints. */
  print(data: unknown, show: () => void): void
}

/** A command that is a client of the panel's REST API. */
export interface CommandSpec {
  name: string
  summary: string
  /** What a reader cannot guess. */
  note?: string
  /** `<name>` is needed, `[name]` may be left out, `<name...>` takes several. */
  args?: readonly (readonly [name: string, description: string])[]
  options?: readonly OptionSpec[]
  examples: readonly [string, ...string[]]
  run(call: PanelCall): Promise<void>
}

/** Commands about one kind of thing, e.g. `berth accounts …`. */
export interface ResourceSpec {
  name: string
  /** E.g. the singular. */
  alias?: string
  summary: string
  commands: readonly CommandSpec[]
}

const collect = (value: string, before: string[] | undefined): string[] => [
  ...(before ?? []),
  value,
]

/** Adds a declared option to a command. */
const addOption = (command: Command, [flags, text, more = {}]: OptionSpec): void => {
  const option = new Option(flags, text)
  if (more.choices) option.choices([...more.choices])
  if (more.preset !== undefined) option.default(more.preset)
  if (more.required) option.makeOptionMandatory()
  if (more.repeatable) option.argParser(collect)
  command.addOption(option)
}

/** Options that say which panel is meant; see `findPanelTarget`. */
const TARGET_OPTIONS: readonly OptionSpec[] = [
  [
    '--url <url>',
    'a panel elsewhere (or BERTH_URL); default: the profile of berth login, else this machine',
  ],
  ['--token <token>', 'session or API token; others can see it in ps, rather set BERTH_TOKEN'],
  ['--token-file <file>', 'a file with the token, mode 0600'],
  ['--ca-file <file>', "PEM to trust: the authority, or the panel's own certificate"],
  ['--profile <name>', 'a profile of berth login (or BERTH_PROFILE); local is this machine'],
]

export const addTargetOptions = (command: Command): void => {
  for (const option of TARGET_OPTIONS) addOption(command, option)
}

/** Adds one declared command to its group. */
export const addCommandSpec = (group: Command, spec: CommandSpec): Command => {
  const command = group.command(spec.name).description(spec.summary)
  for (const [name, description] of spec.args ?? []) command.argument(name, description)
  for (const option of spec.options ?? []) addOption(command, option)
  const takesMany = (spec.args ?? []).at(-1)?.[0].includes('...') === true
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, -2)
    const rest = takesMany ? values.pop() : []
    const { json } = readGlobalOptions(command)
    await spec.run({
      panel: new PanelClient(await findPanelTarget(command)),
      args: values.map((value) => (typeof value === 'string' ? value : '')),
      rest: Array.isArray(rest) ? rest.map(String) : [],
      options: new CommandOptions(command.opts()),
      json,
      print(data, show) {
        if (json) console.log(JSON.stringify(data, null, 2))
        else show()
      },
    })
  })
  return withExamples(command, spec.examples, spec.note)
}

/** Adds all commands of a resource. `group` is given where it exists already. */
export const addResource = (program: Command, spec: ResourceSpec): void => {
  const group = program.command(spec.name).description(spec.summary)
  if (spec.alias !== undefined) group.alias(spec.alias)
  addTargetOptions(group)
  for (const command of spec.commands) addCommandSpec(group, command)
}
