import { argumentText, flatten, optionText, usageText, type TreeCommand } from './command-tree.ts'
import { COMMON_FACTS } from './common-facts.ts'

/** Text as roff prints it: no escape, no macro, hyphens that can be copied. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/['"`^~]/g, (sign) => ROFF_SIGNS[sign] ?? sign)
    .replace(
      /[^\x20-\x7e]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^\./, '\\&.')

const ROFF_SIGNS: Readonly<Record<string, string>> = {
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

const item = (head: string, text: string): string => `.TP\n.B ${head}\n${text}`

const commandLines = (command: TreeCommand): string[] => [
  `.SS ${roff(usageText(command))}`,
  `${roff(sentence(command.summary))}`,
  ...(command.note === null ? [] : ['.PP', roff(command.note)]),
  ...(command.aliases.length === 0 ? [] : ['.PP', roff(`Also: ${command.aliases.join(', ')}.`)]),
  ...command.args.map((argument) =>
    item(roff(argumentText(argument)), roff(sentence(argument.description))),
  ),
  ...command.options.map((option) => item(roff(option.flags), roff(sentence(optionText(option))))),
  ...(command.examples.length === 0
    ? []
    : ['.PP', '.nf', '.RS 4', ...command.examples.map(roff), '.RE', '.fi']),
]

/** Begins with a capital and ends with a full stop. */
const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')

/** The manual page berth(1), in roff with the macros of man(7). */
export const manPage = (root: TreeCommand, version: string): string => {
  const commands = flatten(root).filter(({ path }) => path.length > 0)
  return `${[
    `.TH BERTH 1 "" "Berth ${roff(version)}" "Berth manual"`,
    '.SH NAME',
    'berth \\- hosting control panel and web server with a page cache',
    '.SH SYNOPSIS',
    '.B berth',
    roff('[--config <file>] [--json] <command> [options]'),
    '.SH DESCRIPTION',
    ...COMMON_FACTS.description.flatMap((text, at) => [...(at === 0 ? [] : ['.PP']), roff(text)]),
    '.SH OPTIONS',
    'Every command takes these, before or after its name.',
    ...root.options.map((option) => item(roff(option.flags), roff(sentence(optionText(option))))),
    item(roff('-h, --help'), 'Show help for a command.'),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...COMMON_FACTS.exitCodes.map(([code, text]) => item(code, roff(text))),
    '.SH ENVIRONMENT',
    ...COMMON_FACTS.environment.map(([name, text]) => item(roff(name), roff(text))),
    '.SH FILES',
    ...COMMON_FACTS.files.map(([name, text]) => item(roff(name), roff(text))),
  ].join('\n')}\n`
}
