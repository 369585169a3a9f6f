import { createInterface } from 'node:readline/promises'
import { CliError } from '../cli-error.ts'

/** One line typed at the terminal; what is asked goes to standard error. */
export const askLine = async (question: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}

/**
 * Asks to type `name` before something is done that cannot be undone. Without a
 * terminal nobody can be asked: then `--yes` has to be given.
 */
export const confirmByName = async (what: string, name: string, yes: boolean): Promise<void> => {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new CliError(`${what} cannot be undone. Confirm it with --yes.`, 2)
  console.error(`${what} cannot be undone.`)
  const typed = await askLine(`Type "${name}" to go on: `)
  if (typed.trim() !== name) throw new CliError('That is not the name. Nothing was changed.')
}
