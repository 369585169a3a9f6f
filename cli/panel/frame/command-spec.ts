import { Argument, Option, type Command } from 'commander'
import { withExamples } from '../../examples.ts'
import { readGlobalOptions } from '../../options.ts'
import { CommandOptions } from './command-options.ts'
import type { CommandSpec, LocalCall, OptionSpec, ResourceSpec } from './command-types.ts'
import { PanelClient } from './panel-client.ts'
import { findPanelTarget } from './panel-target.ts'
import { optionsOf, runOrder } from './run-order.ts'

/** The values of an option that may be repeated. */
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
export const addCommandSpec = (group: Command, name: string, spec: CommandSpec): Command => {
  const command = group.command(name).description(spec.summary)
  const { args = [] } = spec
  for (const [argument, description, { choices, preset } = {}] of args) {
    const added = new Argument(argument, description)
    if (choices) added.choices([...choices])
    if (preset !== undefined) added.default(preset)
    command.addArgument(added)
  }
  for (const option of optionsOf(spec)) addOption(command, option)
  const takesMany = args.at(-1)?.[0].includes('...') === true
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, -2)
    const rest = takesMany ? values.pop() : []
    const { json, configFile } = readGlobalOptions(command)
    const call: LocalCall = {
      args: values.map((value) => (typeof value === 'string' ? value : '')),
      rest: Array.isArray(rest) ? rest.map(String) : [],
      options: new CommandOptions(command.opts()),
      configFile,
      json,
      print(data, show) {
        if (json) console.log(JSON.stringify(data, null, 2))
        else if (typeof show === 'string') console.log(show)
        else show()
      },
    }
    if ('act' in spec) return spec.act(call)
    const panel = new PanelClient(await findPanelTarget(command))
    await ('order' in spec ? runOrder(spec, { ...call, panel }) : spec.run({ ...call, panel }))
  })
  return withExamples(command, spec.examples, spec.note)
}

/** Adds a group of commands and answers it. */
export const addGroup = (program: Command, spec: ResourceSpec): Command => {
  const group = program.command(spec.name).description(spec.summary)
  if (spec.alias !== undefined) group.alias(spec.alias)
  for (const [name, command] of Object.entries(spec.commands)) addCommandSpec(group, name, command)
  return group
}

/** Adds all commands of a resource of the panel, and answers their group. */
export const addResource = (program: Command, spec: ResourceSpec): Command => {
  const group = addGroup(program, spec)
  addTargetOptions(group)
  return group
}
