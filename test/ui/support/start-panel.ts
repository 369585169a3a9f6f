import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { LogFile } from '#handlers/ports/logs.ts'
import { ensureBuild } from './ensure-build.ts'

export interface TestPanel {
  /** e.g. `http://127.0.0.1:40123`. */
  origin: string
  /** Lets `<port>.<method>` of the host fail with 503 until `mend`. */
  breakHost(method: string): Promise<void>
  mend(): Promise<void>
  /** Writes lines to a log of the host. */
  writeLog(file: LogFile, ...lines: string[]): Promise<void>
  /** Gives every site a day of visitors and some pages. */
  fillCache(): Promise<void>
  /** What it wrote to its standard error. */
  errors(): string
  stop(): Promise<void>
}

/** Starts the panel over a fake host, with `history` one that was measured for a day, with the UI freshly built where that is needed. */
export const startPanel = async (
  options: { setupToken?: string; history?: boolean } = {},
): Promise<TestPanel> => {
  await ensureBuild()
  const child = fork(resolve(import.meta.dirname, 'panel-process.ts'), [], {
    execArgv: [],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...(options.history ? { TEST_HISTORY: '1' } : {}),
      ...(options.setupToken === undefined ? {} : { TEST_SETUP_TOKEN: options.setupToken }),
    },
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [started] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the test panel ended before it was ready')
    }),
  ])) as [{ port: number }]
  const tell = async (message: object): Promise<void> => {
    const answered = once(child, 'message')
    child.send(message)
    await answered
  }
  return {
    origin: `http://127.0.0.1:${started.port}`,
    breakHost: (method) => tell({ fault: method }),
    errors: () => errors,
    mend: () => tell({ clear: true }),
    fillCache: () => tell({ cache: true }),
    writeLog: (file, ...lines) => tell({ log: [file, lines] }),
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
