import type { Log } from '#handlers/ports/log.ts'
import { restartDelayMs, STABLE_MS } from '../../process/restart-delay.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './messages.ts'
import { WorkerProcess } from './worker-process.ts'

export interface WorkerPoolOptions {
  count: number
  fds: readonly number[]
  /** Asked at every start, so that a new worker begins with the present configuration and marks. */
  start(): Omit<WorkerStart, 'heartbeatFd'>
  /** Longest time from the start of a worker to its first accept. */
  startLimitMs(): number
  onMessage(worker: WorkerProcess, body: ToPrimary): unknown
  onExit(worker: WorkerProcess): void
  log: Log
}

/** A worker that is killed while it starts is started again so often before the start is given up. */
const START_RETRIES = 3
/** One whose start failed may take so long to be seen as gone. */
const GONE_MS = 500
/** A worker that does not acknowledge within this part of what a start may take is replaced: 3 s of a minute. */
const ACK_PART = 1 / 20
/** A replaced worker may finish long requests for so long. */
const DRAIN_TIMEOUT_MS = 300_000

/** A worker was ended by a signal before it served. */
class KilledError extends Error {
  constructor(signal: string, cause: unknown) {
    super(`A worker was ended by ${signal} while it started.`, { cause })
    this.name = 'KilledError'
  }
}

/** Keeps so many workers running, tells them things, and replaces them without losing a connection. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<WorkerProcess>()
  #stopping = false
  #failures = 0
  #count: number

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#count = options.count
  }

  /** All that still run, draining ones too. */
  get alive(): WorkerProcess[] {
    return [...this.#workers]
  }

  get serving(): WorkerProcess[] {
    return this.alive.filter((worker) => worker.state === 'serving')
  }

  /** Starts all; rejects when one cannot start, after ending the others. */
  async start(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.#count }, () => this.#start()))
    } catch (error) {
      this.#stopping = true
      for (const worker of this.alive) worker.kill()
      throw error
    }
  }

  /**
   * Asks every worker, draining ones too, and answers when all have answered.
   * One that does not in time is killed and replaced: afterwards there is none
   * that does not know.
   */
  async acknowledge(body: ToWorker): Promise<void> {
    const startMs = this.#options.startLimitMs()
    await Promise.all(
      this.alive.map(async (worker) => {
        const timeoutMs = worker.state === 'starting' ? startMs : startMs * ACK_PART
        try {
          await worker.ask(body, timeoutMs)
        } catch (error) {
          if (worker.state !== 'gone') {
            this.#options.log.error('a worker is replaced', { reason: String(error) })
          }
          worker.kill()
          await worker.exited
        }
      }),
    )
  }

  /** Answers of those that give one within `timeoutMs`. */
  async gather(body: ToWorker, timeoutMs: number): Promise<unknown[]> {
    const answers = await Promise.allSettled(
      this.alive.map((worker) => worker.ask(body, timeoutMs)),
    )
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  }

  tell(body: ToWorker): void {
    for (const worker of this.#workers) worker.tell(body)
  }

  /** Starts one in the place of a worker that does not answer; resolves when it serves. */
  async succeed(): Promise<void> {
    if (!this.#stopping) await this.#launch()
  }

  /** Lets a worker end whose place is taken. */
  retire(worker: WorkerProcess): void {
    if (worker.state === 'serving') void worker.drain(DRAIN_TIMEOUT_MS)
  }

  /** New workers first; once they listen the old ones drain. Rejects, keeping the old, when a new one cannot start. */
  async replaceAll(count: number): Promise<void> {
    const old = this.alive.filter((worker) => worker.state !== 'draining')
    const before = this.#count
    this.#count = count
    const launched = Array.from({ length: count }, () => this.#start())
    try {
      await Promise.all(launched)
    } catch (error) {
      this.#count = before
      for (const worker of this.alive) {
        if (old.includes(worker)) continue
        worker.state = 'draining'
        worker.kill()
      }
      throw error
    }
    for (const worker of old) void worker.drain(DRAIN_TIMEOUT_MS)
    // New ones that ended meanwhile were not missed as long as the old ones served.
    for (let missing = count - this.serving.length; missing > 0; missing--) this.#relaunch()
  }

  /** Ends all at once, whatever they have in hand. */
  kill(): void {
    this.#stopping = true
    for (const worker of this.#workers) worker.kill()
  }

  /** Drains all and resolves when they are gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true
    await Promise.all(this.alive.map((worker) => worker.drain(timeoutMs)))
  }

  /** Launches one; another one when it is killed before it serves, for that says nothing about the configuration. */
  async #start(): Promise<void> {
    for (let retries = START_RETRIES; ; retries--) {
      try {
        return await this.#launch()
      } catch (error) {
        if (!(error instanceof KilledError) || retries === 0 || this.#stopping) throw error
        this.#options.log.warn('a worker was killed while it started; another one is started')
      }
    }
  }

  async #launch(): Promise<void> {
    const { fds, onMessage, onExit, log } = this.#options
    const startedMs = performance.now()
    const worker = new WorkerProcess({
      fds,
      start: this.#options.start(),
      onMessage,
      onExit: (gone, was, how) => {
        this.#workers.delete(gone)
        onExit(gone)
        if (performance.now() - startedMs >= STABLE_MS) this.#failures = 0
        // One that never served is its starter's business, one that drained was told to end.
        if (was !== 'serving' || this.#stopping) return
        log.warn('a worker ended', { pid: gone.pid, how })
        this.#relaunch()
      },
    })
    this.#workers.add(worker)
    const limitMs = this.#options.startLimitMs()
    let late = false
    const timer = setTimeout(() => {
      late = true
      worker.kill()
    }, limitMs)
    try {
      await worker.listening
    } catch (error) {
      // A broken channel is heard of before the end of the process.
      await Promise.race([worker.exited, new Promise((resolve) => setTimeout(resolve, GONE_MS))])
      if (worker.killedBy !== null && !late) throw new KilledError(worker.killedBy, error)
      if (worker.state !== 'gone') worker.kill()
      if (late)
        throw new Error(
          `A worker did not serve within ${limitMs / 1000} s of its start. If this machine is that slow, give it more: worker_start_secs in [server].`,
          { cause: error },
        )
      if (worker.exitCode !== null)
        throw new Error(
          `A worker ended with code ${worker.exitCode} while it started; its output says why.`,
          { cause: error },
        )
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #relaunch(): void {
    const delayMs = restartDelayMs(this.#failures++)
    setTimeout(() => {
      const serving = this.alive.filter((worker) => worker.state !== 'draining').length
      if (this.#stopping || serving >= this.#count) return
      this.#launch().catch((error: unknown) => {
        this.#options.log.error('a worker could not start', { error: String(error) })
        this.#relaunch()
      })
    }, delayMs)
  }
}
