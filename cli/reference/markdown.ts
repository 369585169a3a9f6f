import { argumentText, flatten, optionText, usageText, type TreeCommand } from './command-tree.ts'
import { COMMON_FACTS } from './common-facts.ts'

/** Text between markup: signs that would become markup are escaped. */
const plain = (text: string): string => text.replace(/[\\<>*_[\]]/g, (sign) => `\\${sign}`)

const items = (entries: readonly (readonly [string, string])[]): string[] =>
  entries.length === 0
    ? []
    : [entries.map(([head, text]) => `- \`${head}\`: ${plain(text)}`).join('\n')]

const commandBlocks = (command: TreeCommand): string[] => {
  const { path, summary, note, aliases, args, options, examples } = command
  return [
    `${'#'.repeat(path.length + 2)} berth ${path.join(' ')}`,
    `${summary.charAt(0).toUpperCase()}${plain(summary.slice(1))}.`,
    ...(note === null ? [] : [plain(note)]),
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((name) => `\`${name}\``).join(', ')}.`]),
    ...(command.children.length > 0 ? [] : [`\`\`\`\n${usageText(command)}\n\`\`\``]),
    ...items([
      ...args.map((argument) => [argumentText(argument), argument.description] as const),
      ...options.map((option) => [option.flags, optionText(option)] as const),
    ]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ]
}

/** The reference of the command line, `docs/cli.md`. */
export const markdownReference = (root: TreeCommand): string => {
  const commands = flatten(root).filter(({ path }) => path.length > 0)
  return `${[
    '# Command line',
    'Written by `berth man --markdown`; a test compares it with the commands.',
    ...COMMON_FACTS.description.map(plain),
    '## Options of every command',
    'They may stand before or after the name of the command.',
    ...items([
      ...root.options.map((option) => [option.flags, optionText(option)] as const),
      ['-h, --help', 'show help for a command'],
    ]),
    '## Exit codes',
    ...items(COMMON_FACTS.exitCodes),
    '## Environment',
    ...items(COMMON_FACTS.environment),
    '## Commands',
    ...commands.flatMap(commandBlocks),
  ].join('\n\n')}\n`
}
