import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import { endProcess } from '../system/end-process.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import { adoptMariadb, installMariadb, spawnMariadb } from './mariadb-process.ts'
import type { MariadbPlaces, RunningMariadb } from './mariadb-process.ts'
import { withMariadb } from './mariadb-session.ts'

/** A server as the engine sees it. */
export interface MariadbServer {
  socket: string
  isRunning(): Promise<boolean>
  /** Begins to start it; no effect when it runs, is starting, or is not ours. */
  start(): void
  /** Resolves once it answers; 503 after `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<void>
  stop(): Promise<void>
}

const answers = (socket: string): Promise<boolean> =>
  withMariadb(socket, (session) => session.run('SELECT 1')).then(
    () => true,
    () => false,
  )

const UNREACHABLE =
  'The MariaDB server does not answer. Look into its log, or set [databases] mariadb to the server that should be used.'

/** A server that someone else runs, e.g. systemd. */
export const systemMariadb = (socket: string): MariadbServer => ({
  socket,
  isRunning: () => answers(socket),
  start: () => undefined,
  async whenReady() {
    if (!(await answers(socket))) throw unavailable(UNREACHABLE)
  },
  stop: async () => undefined,
})

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
export const managedMariadb = (places: MariadbPlaces, log: Log): MariadbServer => {
  const { socket } = places
  const closing = new AbortController()
  let supervision: Promise<void> | null = null
  let current: RunningMariadb | null = null
  let ready = false

  /** Resolves true once the server answers, false when its process ends before. */
  const untilReady = async (running: RunningMariadb): Promise<boolean> => {
    const deadline = performance.now() + START_LIMIT_MS
    while (isSameProcessAlive(running) && performance.now() < deadline && !closing.signal.aborted) {
      if (await answers(socket)) return true
      await delay(30)
    }
    return false
  }

  const runOnce = async (): Promise<void> => {
    await installMariadb(places, log)
    const found = adoptMariadb(places)
    if (found?.current === false) {
      log.info('MariaDB has older options; it is started anew', { pid: found.pid })
      await endProcess(found, 'SIGTERM', STOP_LIMIT_MS)
    }
    const adopted = found?.current === true ? found : null
    const running = adopted ?? spawnMariadb(places)
    current = running
    ready = await untilReady(running)
    if (ready) log.info(adopted ? 'MariaDB adopted' : 'MariaDB started', { pid: running.pid })
    else if (!closing.signal.aborted) await endProcess(running, 'SIGTERM', 5_000)
    await running.ended(closing.signal)
    ready = false
    if (closing.signal.aborted) return
    current = null
    throw new Error('the MariaDB server ended; see mariadb.log')
  }

  const supervise = async (): Promise<void> => {
    let backoffMs = FIRST_BACKOFF_MS
    while (!closing.signal.aborted) {
      const startedMs = performance.now()
      try {
        await runOnce()
      } catch (error) {
        if (performance.now() - startedMs > STEADY_MS) backoffMs = FIRST_BACKOFF_MS
        log.error('MariaDB does not run', { error: String(error), retry_ms: backoffMs })
        await delay(backoffMs, undefined, { signal: closing.signal }).catch(() => undefined)
        backoffMs = Math.min(backoffMs * 2, LAST_BACKOFF_MS)
      }
    }
  }

  const start = (): void => {
    if (!closing.signal.aborted) supervision ??= supervise()
  }

  return {
    socket,
    isRunning: async () => ready && current !== null && isSameProcessAlive(current),
    start,
    async whenReady(timeoutMs) {
      start()
      const deadline = performance.now() + timeoutMs
      while (!(ready && current !== null && isSameProcessAlive(current))) {
        if (closing.signal.aborted || performance.now() > deadline) throw unavailable(UNREACHABLE)
        await delay(20)
      }
    },
    async stop() {
      closing.abort()
      await supervision
      if (current) await endProcess(current, 'SIGTERM', STOP_LIMIT_MS)
      current = null
      ready = false
    },
  }
}
