import type { Command } from 'commander'

const EXAMPLES = new WeakMap<Command, readonly string[]>()
const NOTES = new WeakMap<Command, string>()

/**
 * Gives a command the examples that its help, the manual page and the reference
 * show, and `note`, what a reader cannot guess.
 */
export const withExamples = (
  command: Command,
  examples: readonly string[],
  note?: string,
): Command => {
  EXAMPLES.set(command, examples)
  if (note !== undefined) NOTES.set(command, note)
  const lines = examples.map((line) => `  ${line}`).join('\n')
  return command.addHelpText(
    'after',
    `${note === undefined ? '' : `\n${note}\n`}\nExamples:\n${lines}`,
  )
}

/** The examples of a command; none were given where the list is empty. */
export const examplesOf = (command: Command): readonly string[] => EXAMPLES.get(command) ?? []

/** What the help says beside the examples. */
export const noteOf = (command: Command): string | null => NOTES.get(command) ?? null
