// Carries out command lines one after the other, each as if the process were its own: what a
// command costs is its start, and suites give hundreds of them.
import { Console } from 'node:console'
import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '#cli/run-command-line.ts'

/** One command for the resident. */
export interface ResidentOrder {
  /** Without the program's own name. */
  argv: string[]
  env: Record<string, string | undefined>
  cwd: string
  /** Standard input, in base64. */
  input: string
}

const collected = (): { stream: Writable; text(): string } => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

const setEnvironment = (env: ResidentOrder['env']): void => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value
}

const carryOut = async ({ argv, env, cwd, input }: ResidentOrder) => {
  const stdout = collected()
  const stderr = collected()
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input, 'base64')], {
    objectMode: false,
  })
  for (const [name, value] of Object.entries({
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
  }))
    Object.defineProperty(process, name, { value, configurable: true })
  globalThis.console = new Console({ stdout: stdout.stream, stderr: stderr.stream })
  setEnvironment(env)
  process.chdir(cwd)
  process.argv = [process.execPath, 'berth', ...argv]
  process.exitCode = undefined
  await runCommandLine(process.argv)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

let last: Promise<unknown> = Promise.resolve()
process.on('message', (order: ResidentOrder) => {
  last = last.then(async () => process.send?.(await carryOut(order)))
})
process.on('disconnect', () => process.exit(0))
