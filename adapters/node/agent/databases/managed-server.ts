import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import { endProcess } from '../host/end-process.ts'
import type { DatabaseServer } from './server.ts'
import type { RunningServer } from './server-process.ts'

/** What differs between the servers that we run ourselves. */
export interface ServerKind {
  /** Proper name, e.g. `MariaDB`. */
  name: string
  /** Name of its log file, for messages. */
  logName: string
  /** Asks it to end without waiting for its clients. */
  stopSignal: NodeJS.Signals
  /** Makes the data directory when there is none. */
  install(): Promise<void>
  /** The server that an earlier agent left, or null. */
  adopt(): RunningServer | null
  spawn(): RunningServer
  /** Whether it can be worked with; never rejects. */
  answers(): Promise<boolean>
  /** What to tell whoever waits in vain. */
  unreachable: string
  /** Called each time it has begun to answer; never rejects. */
  opened?(): Promise<void>
  /** Called when it was stopped for good. */
  closed?(): void
}

const FIRST_BACKOFF_MS = 200
const LAST_BACKOFF_MS = 30_000
/** A server that lived this long starts again without delay. */
const STEADY_MS = 60_000
/** Crash recovery of a large server takes its time. */
const START_LIMIT_MS = 300_000
/** Writing out the buffer pool does, too. */
const STOP_LIMIT_MS = 60_000

/**
 * Our private server: initialised on first use, kept running with a growing
 * pause between failures, taken over when an earlier agent left one.
 */
export const managedServer = (kind: ServerKind, log: Log): DatabaseServer => {
  const { name } = kind
  const closing = new AbortController()
  let supervision: Promise<void> | null = null
  let current: RunningServer | null = null
  let ready = false

  /** Resolves true once the server answers, false when its process ends before. */
  const untilReady = async (running: RunningServer): Promise<boolean> => {
    const deadline = performance.now() + START_LIMIT_MS
    while (isSameProcessAlive(running) && performance.now() < deadline && !closing.signal.aborted) {
      if (await kind.answers()) return true
      await delay(30)
    }
    return false
  }

  const runOnce = async (): Promise<void> => {
    await kind.install()
    const found = kind.adopt()
    if (found?.current === false) {
      log.info(`${name} has older options; it is started anew`, { pid: found.pid })
      await endProcess(found, kind.stopSignal, STOP_LIMIT_MS)
    }
    const adopted = found?.current === true ? found : null
    const running = adopted ?? kind.spawn()
    current = running
    ready = await untilReady(running)
    if (ready) await kind.opened?.()
    if (ready) log.info(`${name} ${adopted ? 'adopted' : 'started'}`, { pid: running.pid })
    else if (!closing.signal.aborted) await endProcess(running, kind.stopSignal, 5_000)
    await running.ended(closing.signal)
    ready = false
    if (closing.signal.aborted) return
    current = null
    throw new Error(`the ${name} server ended; see ${kind.logName}`)
  }

  const supervise = async (): Promise<void> => {
    let backoffMs = FIRST_BACKOFF_MS
    while (!closing.signal.aborted) {
      const startedMs = performance.now()
      try {
        await runOnce()
      } catch (error) {
        if (performance.now() - startedMs > STEADY_MS) backoffMs = FIRST_BACKOFF_MS
        log.error(`${name} does not run`, { error: String(error), retry_ms: backoffMs })
        await delay(backoffMs, undefined, { signal: closing.signal }).catch(() => undefined)
        backoffMs = Math.min(backoffMs * 2, LAST_BACKOFF_MS)
      }
    }
  }

  const start = (): void => {
    if (!closing.signal.aborted) supervision ??= supervise()
  }

  return {
    isRunning: async () => ready && current !== null && isSameProcessAlive(current),
    start,
    async whenReady(timeoutMs) {
      start()
      const deadline = performance.now() + timeoutMs
      while (!(ready && current !== null && isSameProcessAlive(current))) {
        if (closing.signal.aborted || performance.now() > deadline)
          throw unavailable(kind.unreachable)
        await delay(20)
      }
    },
    async stop() {
      closing.abort()
      await supervision
      if (current) await endProcess(current, kind.stopSignal, STOP_LIMIT_MS)
      current = null
      ready = false
      kind.closed?.()
    },
  }
}

/** A server that someone else runs, e.g. systemd. */
export const systemServer = (
  kind: Pick<ServerKind, 'answers' | 'unreachable'>,
): DatabaseServer => ({
  isRunning: kind.answers,
  start: () => undefined,
  async whenReady() {
    if (!(await kind.answers())) throw unavailable(kind.unreachable)
  },
  stop: async () => undefined,
})
