import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CLEAN_ENV } from './clean-env.ts'
import { CommandError } from './run-command.ts'

const MAX_ERROR_BYTES = 4096
const STALL_MS = 600_000

const errorText = (child: ChildProcess, hear?: (text: string) => void): (() => string) => {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    hear?.(chunk)
    if (text.length < MAX_ERROR_BYTES) text += chunk
  })
  return () => text.slice(0, MAX_ERROR_BYTES)
}

const ended = async (child: ChildProcess): Promise<number | null> => {
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}

/**
 * What a program writes, as a stream: argv only, clean environment. The stream
 * fails when the program cannot be started or ends with another code than
 * `goodCodes` (default 0);
 * destroying the stream kills the program. `onErrorText` hears what it says on
 * standard error, all of it before the stream ends.
 */
export const outputOf = (
  program: string,
  args: readonly string[],
  options: {
    goodCodes?: readonly number[]
    env?: Record<string, string>
    onErrorText?: (text: string) => void
    /** What it reads on standard input. Default: nothing. */
    input?: Buffer
  } = {},
): Readable => {
  const out = new PassThrough()
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...CLEAN_ENV, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const stderr = errorText(child, options.onErrorText)
  // A program that ends early breaks the pipe; its exit code tells why.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input)
  child.stdout?.on('error', (error) => out.destroy(error))
  child.stdout?.pipe(out, { end: false })
  out.once('close', () => child.kill('SIGKILL'))
  ended(child).then(
    (code) => {
      if (code !== null && (options.goodCodes ?? [0]).includes(code)) out.end()
      else out.destroy(new CommandError(program, code, stderr()))
    },
    (error: unknown) => out.destroy(new CommandError(program, null, String(error), error)),
  )
  return out
}

/**
 * Runs a program that reads `input` to its end. Rejects with `CommandError` when
 * it fails, takes nothing for `stallMs` (default 600000), also at its end, or is
 * not done after `limitMs` (default: no limit); a failure of `input` kills it and is thrown as it is.
 */
export const feed = async (
  program: string,
  args: readonly string[],
  input: Readable,
  options: {
    cwd?: string
    env?: Record<string, string>
    stallMs?: number
    limitMs?: number
  } = {},
): Promise<void> => {
  const child = spawn(program, args, {
    cwd: options.cwd ?? '/',
    env: { ...CLEAN_ENV, ...options.env },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const stderr = errorText(child)
  const exit = ended(child)
  let inputFault: unknown = null
  let brokenPipe: unknown = null
  child.stdin.once('error', (error) => {
    brokenPipe = error
  })
  input.once('error', (error) => {
    // The pipeline hands a program's broken pipe on to its input, or that it was closed.
    const { code } = error as NodeJS.ErrnoException
    const closed = child.stdin.destroyed && code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (error === brokenPipe || closed) return
    inputFault = error
    child.kill('SIGKILL')
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), options.stallMs ?? STALL_MS)
  const whole =
    options.limitMs === undefined
      ? undefined
      : setTimeout(() => child.kill('SIGKILL'), options.limitMs)
  const alive = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      done(null, chunk)
    },
  })
  // A program that ends early breaks the pipe; its exit code tells why.
  const fed = pipeline(input, alive, child.stdin).catch(() => undefined)
  let code: number | null
  try {
    code = await exit
  } catch (error) {
    input.destroy()
    throw new CommandError(program, null, String(error), error)
  } finally {
    clearTimeout(timer)
    clearTimeout(whole)
  }
  input.destroy()
  await fed
  if (inputFault !== null) throw inputFault
  if (code !== 0) throw new CommandError(program, code, stderr())
}
