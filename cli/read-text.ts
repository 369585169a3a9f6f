import { readFileSync } from 'node:fs'
import { CliError } from './cli-error.ts'

/** Why something failed, in the words of whoever threw. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** The code of a failed system call; empty for other errors. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** A file that was named on the command line. */
export const readText = (file: string, exitCode: 1 | 2 = 1): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}`, exitCode)
  }
}
