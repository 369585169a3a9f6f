import type { Option } from 'commander'
import { flatten, isFileArgument, takesFile, type TreeCommand } from './command-tree.ts'

/** An option as a shell completes it. */
interface CompletedOption {
  /** `--name` and `-n`. */
  names: readonly string[]
  description: string
  takesValue: boolean
  takesFile: boolean
  choices: readonly string[]
}

/** A place in the tree as a shell completes it. */
export interface CompletedCommand {
  /** E.g. `accounts list`; empty for `berth` itself. */
  key: string
  /** All spellings of `key`, aliases included. */
  children: readonly { name: string; aliases: readonly string[]; summary: string }[]
  /** Its own and those of all above it. */
  options: readonly CompletedOption[]
  takesFiles: boolean
  /** Of its first argument. */
  choices: readonly string[]
}

const HELP: CompletedOption = {
  names: ['--help', '-h'],
  description: 'show help for a command',
  takesValue: false,
  takesFile: false,
  choices: [],
}

const completed = (option: Option): CompletedOption => ({
  names: [option.long, option.short].filter((name) => name !== undefined),
  description: option.description,
  takesValue: option.required || option.optional,
  takesFile: takesFile(option),
  choices: option.argChoices ?? [],
})

/** Everything that the scripts of all shells are made of. */
export const completionFacts = (root: TreeCommand): CompletedCommand[] =>
  flatten(root).map((command) => {
    const above = flatten(root).filter(
      ({ path }) =>
        path.length < command.path.length && path.every((name, at) => name === command.path[at]),
    )
    return {
      key: command.path.join(' '),
      children: command.children.map(({ path, aliases, summary }) => ({
        name: path.at(-1) ?? '',
        aliases,
        summary,
      })),
      options: [
        ...command.options.map(completed),
        ...above.flatMap(({ options }) => options.map(completed)),
        HELP,
      ],
      takesFiles: command.args.some(isFileArgument),
      choices: command.args[0]?.argChoices ?? [],
    }
  })

/** Names of options that a value follows, anywhere. */
export const valueOptions = (commands: readonly CompletedCommand[]): string[] => [
  ...new Set(
    commands.flatMap(({ options }) =>
      options.flatMap(({ takesValue, names }) => (takesValue ? names : [])),
    ),
  ),
]

/** A word in single quotes, for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
