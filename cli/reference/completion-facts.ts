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

/** The lines by which bash and zsh alike go through the words before the present one. */
export const walkLines = (commands: readonly CompletedCommand[]): string => {
  const steps = commands.flatMap(({ key, children }) =>
    children.flatMap(({ name, aliases }) =>
      [name, ...aliases].map(
        (word) => `        ${quoted(`${key}:${word}`)}) at=${quoted(`${key} ${name}`.trim())} ;;`,
      ),
    ),
  )
  return `    if ((skip)); then skip=0; continue; fi
    case $word in
      ${valueOptions(commands).join('|')}) skip=1 ;;
      -*) ;;
      *) case "$at:$word" in
${steps.join('\n')}
      esac ;;
    esac
  done`
}

/** A line for each option that a value follows, by what `valueOf` writes for it; null writes none. */
export const valueLines = (
  commands: readonly CompletedCommand[],
  valueOf: (option: CompletedOption) => string | null,
): string =>
  commands
    .flatMap(({ key, options }) =>
      options.flatMap((option) => {
        const value = option.takesValue ? valueOf(option) : null
        const pattern = option.names.map((name) => quoted(`${key}:${name}`)).join('|')
        return value === null ? [] : [`    ${pattern}) ${value} ;;`]
      }),
    )
    .join('\n')
