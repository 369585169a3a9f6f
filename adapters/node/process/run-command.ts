import { execFile } from 'node:child_process'
import { CLEAN_ENV } from './clean-env.ts'

/** Outcome of a finished command; output is cut at `maxOutputBytes`. */
export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

export interface RunOptions {
  /** Written to standard input, e.g. a password that must not stand in argv. */
  input?: string
  /** Default 60000. */
  timeoutMs?: number
  /** Default 8 MiB. */
  maxOutputBytes?: number
  env?: Record<string, string>
  /** Default `/`. */
  cwd?: string
}

/** A command could not be started, timed out, or (in `mustRun`) exited non-zero. */
export class CommandError extends Error {
  readonly program: string
  readonly code: number | null
  readonly stderr: string
  constructor(program: string, code: number | null, stderr: string, cause?: unknown) {
    super(`${program} failed (${code ?? 'not run'}): ${stderr.trim().slice(0, 2000)}`, { cause })
    this.name = 'CommandError'
    this.program = program
    this.code = code
    this.stderr = stderr
  }
}

/**
 * Runs a program with an argv array: no shell, clean environment, neutral
 * working directory, bounded time and output. Rejects only when it could not
 * run to its end; a non-zero exit code is a result.
 */
export const runCommand = (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        cwd: options.cwd ?? '/',
        env: { ...CLEAN_ENV, ...options.env },
        timeout: options.timeoutMs ?? 60_000,
        killSignal: 'SIGKILL',
        maxBuffer: options.maxOutputBytes ?? 8 * 2 ** 20,
        encoding: 'utf8',
      },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') {
          const reason = error.killed ? 'timed out' : error.message
          reject(new CommandError(program, null, stderr || reason, error))
          return
        }
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
      },
    )
    // A program that ends before reading its input breaks the pipe; its exit code tells why.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })

/** As `runCommand`, but a non-zero exit code rejects with `CommandError`. */
export const mustRun = async (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> => {
  const result = await runCommand(program, args, options)
  if (result.code !== 0)
    throw new CommandError(program, result.code, result.stderr || result.stdout)
  return result
}
