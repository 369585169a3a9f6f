import type { Log } from '#handlers/ports/log.ts'
import type { HeartbeatRecord, MarkedRequest } from './heartbeat-record.ts'

/** A worker as the watchdog sees it. */
export interface WatchedWorker {
  readonly pid: number | null
  readonly state: 'starting' | 'serving' | 'draining' | 'gone'
  heartbeat(): HeartbeatRecord | null
  kill(): void
}

/** A worker that says nothing. */
export interface Silence {
  /** When it was last heard of, milliseconds since the epoch. */
  sinceMs: number
  /** In milliseconds; without the time in which this process did not run either. */
  lengthMs: number
  /** What it was in; null: no request that is known. */
  request: MarkedRequest | null
  ended: boolean
}

export interface WorkerWatchDeps<Worker extends WatchedWorker> {
  workers(): readonly Worker[]
  /** Milliseconds of silence after which a worker is ended. */
  limitMs(): number
  /** Starts another one in the place of this; resolves when it serves, rejects when it cannot. */
  succeed(worker: Worker): Promise<void>
  /** Ends a worker in whose place another one serves already, once its requests are answered. */
  retire(worker: Worker): void
  /** Told once when a silence has lasted two seconds, and again with the same object when it is over. */
  noted(silence: Silence): void
  nowMs(): number
  log: Log
}

/** How often workers are looked at. */
export const LOOK_MS = 250
/** A silence that is told of. */
const NOTED_MS = 2000
/** So long before its end a worker's successor is started. */
const AHEAD_MS = 2000
/** A successor that does not serve keeps the silent one no longer than this from its end. */
const PATIENCE_MS = 5000

interface Seen {
  beat: number
  silentMs: number
  silence: Silence | null
  successor: 'none' | 'starting' | 'serving' | 'failed'
}

/**
 * Watches the heartbeats of workers. Silence is counted in looks of this process, so a
 * machine that stood still, or a primary that got no processor, makes no silence.
 */
export class WorkerWatch<Worker extends WatchedWorker> {
  readonly #deps: WorkerWatchDeps<Worker>
  readonly #seen = new Map<Worker, Seen>()
  readonly #timer: NodeJS.Timeout

  constructor(deps: WorkerWatchDeps<Worker>) {
    this.#deps = deps
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Looks at all once. */
  look(): void {
    for (const worker of this.#deps.workers()) {
      const record = worker.state === 'starting' ? null : worker.heartbeat()
      if (record !== null) this.#look(worker, record)
    }
  }

  /** To be called when a worker is gone. */
  forget(worker: Worker): void {
    const seen = this.#seen.get(worker)
    this.#seen.delete(worker)
    if (seen?.silence) this.#over(seen, seen.silence, true)
  }

  #look(worker: Worker, { beat, request }: HeartbeatRecord): void {
    const { limitMs, log, noted, nowMs } = this.#deps
    const seen = this.#seen.get(worker)
    if (seen === undefined) {
      this.#seen.set(worker, { beat, silentMs: 0, silence: null, successor: 'none' })
      return
    }
    if (beat !== seen.beat) {
      seen.beat = beat
      seen.silentMs = 0
      if (seen.silence === null) return
      this.#over(seen, seen.silence, false)
      seen.silence = null
      // The other one stays, for it does not know what this one is good for.
      if (seen.successor === 'serving') this.#deps.retire(worker)
      if (seen.successor !== 'starting') seen.successor = 'none'
      return
    }
    seen.silentMs += LOOK_MS
    const { silentMs } = seen
    if (seen.silence !== null) seen.silence.lengthMs = silentMs
    else if (silentMs >= Math.min(NOTED_MS, limitMs())) {
      seen.silence = { sinceMs: nowMs() - silentMs, lengthMs: silentMs, request, ended: false }
      log.warn('a worker does not answer', { pid: worker.pid, silent_ms: silentMs, ...request })
      noted(seen.silence)
    }
    if (silentMs >= limitMs() - AHEAD_MS && seen.silence !== null) this.#succeed(worker, seen)
    if (silentMs < limitMs()) return
    if (seen.successor === 'starting' && silentMs < limitMs() + PATIENCE_MS) return
    log.error('a worker is ended, for it does not answer', {
      ...{ pid: worker.pid, silent_ms: silentMs },
      ...request,
    })
    worker.kill()
  }

  #succeed(worker: Worker, seen: Seen): void {
    if (seen.successor !== 'none' || worker.state !== 'serving') return
    seen.successor = 'starting'
    this.#deps.succeed(worker).then(
      () => {
        seen.successor = 'serving'
        if (seen.silence === null && this.#seen.has(worker)) this.#deps.retire(worker)
      },
      (error: unknown) => {
        seen.successor = 'failed'
        this.#deps.log.error('a worker could not start', { error: String(error) })
      },
    )
  }

  #over(seen: Seen, silence: Silence, ended: boolean): void {
    silence.ended = ended
    silence.lengthMs = Math.max(silence.lengthMs, seen.silentMs)
    if (!ended) this.#deps.log.info('a worker answers again', { silent_ms: silence.lengthMs })
    this.#deps.noted(silence)
  }
}
