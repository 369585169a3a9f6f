import { printable } from './printable.ts'

/** What went wrong, as a program gets it with `--json`. */
export interface Failure {
  /** One line or several. */
  error: string
  exit_code: number
  /** Status of the panel's answer, where it refused the call. */
  status?: number
  /** What of the call is at fault, where the panel named it. */
  field?: string
}

/** Names and texts of others may be part of a message; its own lines stay lines. */
const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

/** Whether the command line asks for JSON. It may be wrong as a whole, so it is only looked at. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(2, end === -1 ? undefined : end).includes('--json')
}

/** Prints a failure on standard error: for people, or with `json` as one object. Standard output stays for answers. */
export const printFailure = (failure: Failure, json: boolean): void => {
  console.error(json ? JSON.stringify(failure, null, 2) : printableLines(failure.error))
}
