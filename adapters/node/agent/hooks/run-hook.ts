import { spawn } from 'node:child_process'
import { asUser, type RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { signalGroup } from '../../process/programs/signal-group.ts'

/** Of standard output and error together; a program that says more is ended. */
export const MAX_OUTPUT_BYTES = 64 * 1024

/** How a program ended. */
export interface HookEnd {
  /** Null: it was ended, or could not be started. */
  code: number | null
  /** Why it counts as failed; null: it did not. */
  fault: string | null
  output: string
  durationMs: number
}

/**
 * Runs one program with `message` on its standard input: no shell, no arguments,
 * a clean environment, its own process group, which is ended with it.
 */
export const runHook = (
  program: string,
  message: string,
  options: { event: string; runAs: RunAs | null; timeoutMs: number },
): Promise<HookEnd> =>
  new Promise((resolve) => {
    const begun = performance.now()
    const command = asUser(options.runAs, program, [])
    const child = spawn(command.program, command.args, {
      cwd: '/',
      env: { ...CLEAN_ENV, BERTH_EVENT: options.event },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let fault: string | null = null
    const killGroup = (): void => signalGroup(child, 'SIGKILL')
    const end = (reason: string): void => {
      fault ??= reason
      killGroup()
    }
    const timer = setTimeout(
      () => end(`it was ended after ${options.timeoutMs / 1000} s`),
      options.timeoutMs,
    )
    const take = (chunk: Buffer): void => {
      if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes))
      bytes += chunk.byteLength
      if (bytes > MAX_OUTPUT_BYTES)
        end(`it wrote more than ${MAX_OUTPUT_BYTES} bytes and was ended`)
    }
    const settle = (code: number | null): void => {
      clearTimeout(timer)
      killGroup() // what it left running behind it
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({
        code,
        fault:
          fault ??
          (code === 0 ? null : `it ended with ${code === null ? 'a signal' : `code ${code}`}`),
        output: Buffer.concat(chunks).toString('utf8'),
        durationMs: Math.round(performance.now() - begun),
      })
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('error', (error) => {
      fault ??= `it cannot be started: ${error.message}`
      if (child.pid === undefined) settle(null)
    })
    // Not 'close': something left behind may hold its output open. Output that is there is taken first.
    child.on('exit', (code) => setImmediate(() => settle(code)))
    // A program that does not read its input breaks the pipe, which is its right.
    child.stdin.on('error', () => undefined)
    child.stdin.end(message)
  })
