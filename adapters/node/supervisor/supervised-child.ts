import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { formatIdentity, identifyProcess } from '../process/process-identity.ts'
import { restartDelayMs, STABLE_MS } from '../process/restart-delay.ts'

/** How to start a child; asked anew at every start. */
export interface ChildCommand {
  program: string
  args: string[]
  env: Record<string, string>
  /** Descriptors that become 3, 4, ... in the child. */
  fds: number[]
}

export interface ChildOptions {
  name: string
  command: () => ChildCommand
  /** `<run_dir>/<name>.pid`. */
  pidFile: string
  onOutput: (chunk: Buffer) => void
  /** Told what happens, for people. */
  report: (text: string) => void
  /** Time for a graceful stop before SIGKILL. */
  stopTimeoutMs: number
  /** Called whenever it has begun to serve or has ended. Default: nobody is told. */
  onChange?: () => void
}

/** A start that can never succeed by repeating it: the child said so, or it kept dying. */
export class ChildFailedError extends Error {
  constructor(name: string, reason: string) {
    super(`The ${name} process could not start: ${reason}`)
    this.name = 'ChildFailedError'
  }
}

/** Ends that are remembered. */
const MOST_ENDS = 20
/** A reason is a line, not a stack. */
const MOST_HOW = 300

/** Deaths before the first `ready` after which starting is given up. */
const MAX_FIRST_ATTEMPTS = 4

/**
 * One child of the supervisor: started, restarted when it dies (at once the
 * first time, then with growing pauses), stopped on request.
 */
export class SupervisedChild {
  private readonly options: ChildOptions
  private process: ChildProcess | null = null
  private stopping = false
  /** Its end was asked for by `restart`. */
  private renewing = false
  private failures = 0
  private everReady = false
  private failure: string | null = null
  private readyAtMs: number | null = null
  private timer: NodeJS.Timeout | null = null
  private ended: Promise<void> = Promise.resolve()
  private after: Promise<unknown> | null = null
  private readonly ends: { atMs: number; how: string }[] = []
  private settleReady: { resolve: () => void; reject: (error: Error) => void } | null = null

  constructor(options: ChildOptions) {
    this.options = options
  }

  get pid(): number | null {
    return this.process?.pid ?? null
  }

  /** How it stands, with the latest ends that nobody asked for. */
  standing(): { name: string; running: boolean; ends: { atMs: number; how: string }[] } {
    const running = this.process !== null && this.readyAtMs !== null
    return { name: this.options.name, running, ends: [...this.ends] }
  }

  /**
   * Starts it; resolves at its first `ready`, rejects with `ChildFailedError`. With
   * `after` it only loads until that resolves, and is then told `{type:'serve'}`.
   */
  start(after: Promise<unknown> | null = null): Promise<void> {
    this.after = after
    return new Promise((resolve, reject) => {
      this.settleReady = { resolve, reject }
      this.launch()
    })
  }

  /** SIGTERM, then SIGKILL after `stopTimeoutMs`; resolves when it is gone. It is not started again. */
  async stop(): Promise<void> {
    this.stopping = true
    if (this.timer !== null) clearTimeout(this.timer)
    await this.terminate()
    rmSync(this.options.pidFile, { force: true })
  }

  /** Ends the present process gracefully; the next is started with a fresh command. */
  async restart(): Promise<void> {
    if (this.process === null) return
    this.failures = 0
    this.renewing = true
    await this.terminate()
  }

  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal)
  }

  private async terminate(): Promise<void> {
    const child = this.process
    if (child === null) return
    child.kill('SIGTERM')
    const killer = setTimeout(() => {
      this.options.report(`${this.options.name} did not stop in time and was killed`)
      child.kill('SIGKILL')
    }, this.options.stopTimeoutMs)
    await this.ended
    clearTimeout(killer)
  }

  private launch(): void {
    if (this.stopping) return
    const { name, command, onOutput, pidFile, report } = this.options
    const { program, args, env, fds } = command()
    this.failure = null
    this.readyAtMs = null
    const child = spawn(program, args, {
      cwd: '/',
      env,
      // Its own session: Ctrl+C in the terminal reaches the supervisor alone.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...fds, 'ipc'],
    })
    this.process = child
    child.stdout?.on('data', onOutput)
    child.stderr?.on('data', onOutput)
    child.on('message', (message) => this.onMessage(message))
    this.after?.then(
      () => child.connected && child.send({ type: 'serve' }, () => undefined),
      // Whoever started both is told, and stops this one.
      () => undefined,
    )
    child.on('spawn', () => {
      const identity = child.pid === undefined ? null : identifyProcess(child.pid)
      if (identity !== null) writeFileSync(pidFile, formatIdentity(identity))
    })
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        if (child.pid !== undefined) return
        report(`${name} cannot be started: ${error.message}`)
        this.onEnd(error.message)
        resolve()
      })
      child.on('exit', (code, signal) => {
        this.onEnd(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`)
        resolve()
      })
    })
  }

  private onMessage(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('type' in message)) return
    if (message.type === 'ready') {
      this.everReady = true
      this.readyAtMs = performance.now()
      this.settleReady?.resolve()
      this.settleReady = null
      this.options.onChange?.()
    } else if (message.type === 'failed' && 'message' in message)
      this.failure = String(message.message)
  }

  private onEnd(how: string): void {
    this.process = null
    if (this.stopping) {
      this.settleReady?.reject(new ChildFailedError(this.options.name, 'it was stopped'))
      this.settleReady = null
      return
    }
    if (this.renewing) {
      this.renewing = false
      this.launch()
      return
    }
    if (this.readyAtMs !== null && performance.now() - this.readyAtMs >= STABLE_MS)
      this.failures = 0
    const reason = this.failure ?? how
    const { name, report } = this.options
    this.ends.push({ atMs: Date.now(), how: reason.slice(0, MOST_HOW) })
    if (this.ends.length > MOST_ENDS) this.ends.shift()
    this.options.onChange?.()
    if (!this.everReady && (this.failure !== null || this.failures + 1 >= MAX_FIRST_ATTEMPTS)) {
      this.stopping = true
      this.settleReady?.reject(new ChildFailedError(name, reason))
      this.settleReady = null
      return
    }
    const delayMs = restartDelayMs(this.failures++)
    report(`${name}: ${reason}; starting it again${delayMs === 0 ? '' : ` in ${delayMs} ms`}`)
    this.timer = setTimeout(() => this.launch(), delayMs)
  }
}
