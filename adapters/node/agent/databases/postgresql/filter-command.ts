import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CLEAN_ENV } from '../../../process/clean-env.ts'
import { CommandError } from '../../../process/run-command.ts'

const MAX_ERROR_BYTES = 4096

/**
 * What a program makes of `input`, which it reads from its standard input: argv only, clean
 * environment. Fails with `CommandError` when the program does or is not done after `limitMs`;
 * a failure of `input` is thrown as it is. Whoever stops reading ends the program.
 */
export async function* filtered(
  program: string,
  args: readonly string[],
  input: AsyncIterable<Buffer>,
  { limitMs }: { limitMs: number },
): AsyncGenerator<Buffer> {
  const child = spawn(program, args, { cwd: '/', env: CLEAN_ENV, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (said.length < MAX_ERROR_BYTES) said += chunk
  })
  const exit = once(child, 'close').then(
    ([code]) => code as number | null,
    (error: unknown) => error,
  )
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const source = Readable.from(input)
  let fault: unknown = null
  source.once('error', (error) => {
    const { code } = error as NodeJS.ErrnoException
    // A program that ends early breaks the pipe; its exit code tells why.
    if (code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE') return
    fault = error
    child.kill('SIGKILL')
  })
  const fed = pipeline(source, child.stdin).catch(() => undefined)
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer
    const code = await exit
    await fed
    if (fault !== null) throw fault
    if (code !== 0)
      throw new CommandError(
        program,
        typeof code === 'number' ? code : null,
        said.slice(0, MAX_ERROR_BYTES),
      )
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}
