import { randomInt } from 'node:crypto'
import { CliError } from '../cli-error.ts'
import { readNewPassword, readPasswordLine } from '../read-password.ts'

/** Without characters that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

/** A password of 20 letters and digits, 115 bits. */
export const generatePassword = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

export interface NewPassword {
  password: string
  /** Whether it was made here and has to be shown, once. */
  generated: boolean
}

/**
 * A new password, never from the command line, which `ps` shows to all: from
 * standard input with `--password-stdin`, made here with `--generate-password`,
 * asked for twice at a terminal otherwise.
 */
export const newPassword = async (options: {
  stdin: boolean
  generate: boolean
}): Promise<NewPassword> => {
  if (options.stdin && options.generate)
    throw new CliError('Give either --password-stdin or --generate-password.', 2)
  if (options.generate) return { password: generatePassword(), generated: true }
  if (options.stdin) return { password: await readPasswordLine(), generated: false }
  if (!process.stdin.isTTY)
    throw new CliError(
      'There is no terminal to ask for a password. Give --password-stdin, or --generate-password to have one made.',
      2,
    )
  return { password: await readNewPassword(), generated: false }
}
