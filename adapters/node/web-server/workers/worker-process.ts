import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { compileCacheEnv } from '../../process/compile-cache-env.ts'
import { HeartbeatFile } from '../watchdog/heartbeat-file.ts'
import type { HeartbeatRecord } from '../watchdog/heartbeat-record.ts'
import { ProcessChannel } from './process-channel.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './messages.ts'

const ENTRY = fileURLToPath(new URL('../../bin/web-worker.ts', import.meta.url))

/** First inherited descriptor in a child; 0 to 2 are the standard streams. */
export const FIRST_FD = 3

export type WorkerState = 'starting' | 'serving' | 'draining' | 'gone'

export interface WorkerProcessOptions {
  /** Descriptors of this process that become `FIRST_FD` and following in the worker; its heartbeat is behind them. */
  fds: readonly number[]
  start: Omit<WorkerStart, 'heartbeatFd'>
  onMessage(worker: WorkerProcess, body: ToPrimary): unknown
  /** `was` is the state it was in before. */
  onExit(worker: WorkerProcess, was: WorkerState, how: string): void
}

/** One worker as the primary sees it. It ends by itself when its channel to the primary breaks. */
export class WorkerProcess {
  state: WorkerState = 'starting'
  /** The signal that ended it; null when it runs or ended by itself. */
  killedBy: NodeJS.Signals | null = null
  /** The code that it ended with by itself; null when it runs or was ended by a signal. */
  exitCode: number | null = null
  readonly #child: ChildProcess
  readonly #heartbeat = new HeartbeatFile()
  readonly #channel: ProcessChannel<ToWorker, ToPrimary>
  /** Resolves when it accepts connections; rejects when it could not start. */
  readonly listening: Promise<void>
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>

  constructor(options: WorkerProcessOptions) {
    const { BERTH_LOG_LEVEL: level } = process.env
    this.#child = spawn(process.execPath, ['--disable-sigusr1', ENTRY], {
      cwd: '/',
      env: {
        ...CLEAN_ENV,
        NODE_ENV: 'production',
        ...(level === undefined ? {} : { BERTH_LOG_LEVEL: level }),
        ...compileCacheEnv(),
      },
      stdio: ['ignore', 'inherit', 'inherit', ...options.fds, this.#heartbeat.fd, 'ipc'],
      serialization: 'advanced',
    })
    const child = this.#child
    this.#channel = new ProcessChannel(
      {
        get connected() {
          return child.connected
        },
        send: (message, callback) => child.send(message as object, callback),
        on: (event, listener) => child.on(event, listener),
      },
      (body) => options.onMessage(this, body),
    )
    this.exited = new Promise((resolve) => {
      const gone = (how: string): void => {
        if (this.state === 'gone') return
        const was = this.state
        this.state = 'gone'
        this.#channel.close()
        this.#heartbeat.close()
        options.onExit(this, was, how)
        resolve()
      }
      child.on('exit', (code, signal) => {
        this.killedBy = signal
        this.exitCode = code
        gone(signal ?? `code ${code ?? 'unknown'}`)
      })
      child.on('error', (error) => {
        if (child.pid === undefined) gone(error.message)
      })
    })
    const start = { ...options.start, heartbeatFd: FIRST_FD + options.fds.length }
    this.listening = this.#channel.ask({ type: 'start', start }).then(() => {
      if (this.state === 'starting') this.state = 'serving'
    })
    // Whoever starts it listens too; a rejection must not end the primary.
    this.listening.catch(() => undefined)
  }

  get pid(): number | null {
    return this.#child.pid ?? null
  }

  /** What it said last of itself; null when that cannot be known. */
  heartbeat(): HeartbeatRecord | null {
    return this.#heartbeat.read()
  }

  tell(body: ToWorker): void {
    this.#channel.tell(body)
  }

  /** Asks; rejects after `timeoutMs` or when the worker dies meanwhile. */
  ask(body: ToWorker, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`Worker ${this.pid} did not answer "${body.type}" in ${timeoutMs} ms.`))
      }, timeoutMs)
      this.#channel
        .ask(body)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  /** Lets it finish what is under way; killed after `timeoutMs`. Resolves when it is gone. */
  async drain(timeoutMs: number): Promise<void> {
    if (this.state === 'gone') return
    this.state = 'draining'
    this.tell({ type: 'drain' })
    const timer = setTimeout(() => this.kill(), timeoutMs)
    await this.exited
    clearTimeout(timer)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
