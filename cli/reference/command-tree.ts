import type { Argument, Command, Option } from 'commander'
import { examplesOf, noteOf } from '../examples.ts'

/** One command of the tree as completion, manual page and reference see it. */
export interface TreeCommand {
  /** Names from below `berth`; empty for `berth` itself. */
  path: readonly string[]
  aliases: readonly string[]
  summary: string
  note: string | null
  /** Without children: it is run; otherwise it only holds them. */
  children: readonly TreeCommand[]
  args: readonly Argument[]
  /** Its own. */
  options: readonly Option[]
  examples: readonly string[]
}

const treeOf = (command: Command, path: readonly string[]): TreeCommand => ({
  path,
  aliases: command.aliases(),
  summary: command.description(),
  note: noteOf(command),
  children: command.commands.map((child) => treeOf(child, [...path, child.name()])),
  args: command.registeredArguments,
  options: command.options.filter(({ hidden }) => !hidden),
  examples: examplesOf(command),
})

/** The tree of a program. */
export const commandTree = (program: Command): TreeCommand => treeOf(program, [])

/** A command and all below it, parents first. */
export const flatten = (command: TreeCommand): TreeCommand[] => [
  command,
  ...command.children.flatMap(flatten),
]

/** `<name>`, `[name]` or `<name...>`, as usage shows an argument. */
export const argumentText = (argument: Argument): string => {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

/** What an option says of itself, with its choices and default. */
export const optionText = (option: Option): string => {
  const more = [
    ...(option.argChoices ? [`one of ${option.argChoices.join(', ')}`] : []),
    ...(option.defaultValue === undefined || typeof option.defaultValue === 'boolean'
      ? []
      : [`default: ${String(option.defaultValue)}`]),
    ...(option.mandatory ? ['needed'] : []),
  ]
  return more.length === 0 ? option.description : `${option.description} (${more.join('; ')})`
}

/** How a command is called, e.g. `berth accounts show [options] <account>`. */
export const usageText = ({ path, children, args, options }: TreeCommand): string =>
  [
    'berth',
    ...path,
    ...(options.length > 0 ? ['[options]'] : []),
    ...(children.length > 0 ? ['<command>'] : args.map(argumentText)),
  ].join(' ')

const FILE = /^(file|directory)$/

/** Whether an option's value is a file of this machine. */
export const takesFile = (option: Option): boolean =>
  FILE.test(/[<[]([^<[>\]]+)[>\]]/.exec(option.flags)?.[1] ?? '') &&
  !['--root', '--webroot'].includes(option.long ?? '')

/** Whether an argument is a file of this machine. */
export const isFileArgument = (argument: Argument): boolean => FILE.test(argument.name())
