/** A failure with a text for the person at the terminal: what, why, and how to fix it. */
export class CliError extends Error {
  readonly exitCode: 1 | 2
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}
