import { CliError } from './cli-error.ts'
import { PanelError } from './panel/frame/panel-error.ts'
import { buildProgram, CommanderError, ZodError } from './program.ts'
import { printFailure, wantsJson, type Failure } from './terminal/print-failure.ts'

/** Exit codes: 0 done, 1 it failed, 2 the command line or the configuration was wrong. */
const failureOf = (error: unknown): Failure => {
  if (error instanceof CommanderError)
    return {
      error: error.code === 'commander.help' ? 'The name of a command is missing.' : error.message,
      exit_code: 2,
    }
  if (error instanceof PanelError) {
    const { message, exitCode, status, field } = error
    return { error: message, exit_code: exitCode, status, ...(field === null ? {} : { field }) }
  }
  if (error instanceof CliError) return { error: error.message, exit_code: error.exitCode }
  if (error instanceof ZodError) {
    const places = error.issues.map(({ path }) => path.join('.')).slice(0, 5)
    return {
      error: `The answer has another shape than this version of berth knows (${places.join(', ')}). Use the command of the version that runs there, or --json.`,
      exit_code: 1,
    }
  }
  const why = error instanceof Error ? error.message : String(error)
  if (process.env['BERTH_DEBUG'] && error instanceof Error) console.error(error.stack)
  return {
    error: `berth could not go on: ${why}\nIf this is no fault of the machine, run it again with BERTH_DEBUG=1 for details.`,
    exit_code: 1,
  }
}

/** Carries out a command line, `process.argv` for one; says in `process.exitCode` how it ended. Never rejects. */
export const runCommandLine = async (argv: readonly string[]): Promise<void> => {
  const json = wantsJson(argv)
  try {
    await buildProgram(json).parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) process.exitCode = 0
    else {
      const failure = failureOf(error)
      // For people commander has printed what it found already.
      if (json || !(error instanceof CommanderError)) printFailure(failure, json)
      process.exitCode = failure.exit_code
    }
  }
}
