import { chmodSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { socketName } from '#handlers/domain/applications/application-place.ts'
import type { AppLog } from './app-log.ts'
import { startApp } from './app-process.ts'
import type { AppEnd, AppProcess } from './app-process.ts'
import type { KeeperAnswer, KeeperPlan } from './keeper-messages.ts'
import { connectionsAt, isOwnPort } from './listeners.ts'
import { groupMemoryMb } from './group-memory.ts'
import { bridgePort, freePort } from './port-bridge.ts'
import { accepts, untilAnswers } from './readiness.ts'

const FIRST_PAUSE_MS = 1000
const LAST_PAUSE_MS = 60_000
/** What ran so long was well: its next end is a first one again. */
const STABLE_MS = 10_000
/** How long a question for the end of a start is kept waiting. */
export const SETTLE_MS = 15_000
const MEASURE_EVERY_MS = 2000
/** Whoever looked the old socket up may connect a moment later. */
const LATE_VISITOR_MS = 300
const LOOK_EVERY_MS = 50

/** How one instance is. */
export type InstanceState = Omit<KeeperAnswer, 'tail' | 'runningInstances'> & {
  /** It starts, or is about to within 15 s. */
  isUnderWay: boolean
  /** It answered once. */
  wasReady: boolean
}

/** Keeps one instance of one start of an application running. */
export interface Instance {
  state(): InstanceState
  /** Makes it the one that visitors get in its place, at once or when it runs next. */
  take(): void
  /** Lets no more visitors come, and ends it when the requests of those who are there are done. Resolves when it is gone. */
  end(graceMs: number): Promise<void>
}

/** Makes an application's place. */
export const preparePlace = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  // Other users are kept out by the home itself; the web server must come through.
  chmodSync(directory, 0o711)
}

/**
 * Starts an instance and keeps it running as the plan says.
 * @param number 1 to as many as there are
 * @param changed it runs, or will not
 */
export const keepInstance = (
  plan: KeeperPlan,
  number: number,
  log: AppLog,
  changed: () => void,
): Instance => {
  const path = join(plan.directory, `${plan.generation}${number === 1 ? '' : `-${number}`}.sock`)
  const taken = join(plan.directory, socketName(number))
  let state: KeeperAnswer['state'] = 'starting'
  let running: AppProcess | null = null
  let bridge: Server | null = null
  let since: string | null = null
  let restarts = 0
  let failures = 0
  let code: number | null = null
  let problem: string | null = null
  let isTaken = false
  let wasReady = false
  let nextStartMs = 0
  /** Number of the file that this start has put where visitors come. */
  let ownSocket: number | null = null
  const ending = new AbortController()

  const become = (next: KeeperAnswer['state'], why: string | null): void => {
    state = next
    problem = why
    if (next === 'running' || next === 'failed') changed()
  }
  const moveIn = (): void => {
    ownSocket = statSync(path).ino
    renameSync(path, taken)
  }
  /** From here on visitors find nobody, or who took this one's place. */
  const moveOut = (): void => {
    const there = statSync(taken, { throwIfNoEntry: false })
    if (there !== undefined && there.ino === ownSocket) rmSync(taken, { force: true })
  }
  const closeBridge = (): void => {
    bridge?.close()
    bridge = null
  }

  const watchMemory = (app: AppProcess): void => {
    const { memoryMb } = plan
    if (memoryMb === null || app.pid === null) return
    const group = app.pid
    const timer = setInterval(() => {
      const usedMb = groupMemoryMb(group)
      if (usedMb <= memoryMb) return
      problem = `It used more memory than its limit of ${memoryMb} MiB.`
      clearInterval(timer)
      void app.end()
    }, MEASURE_EVERY_MS)
    void app.ended.then(() => clearInterval(timer))
  }

  const launch = async (): Promise<AppProcess> => {
    preparePlace(plan.directory)
    rmSync(path, { force: true })
    const port = plan.listen === 'port' ? await freePort() : null
    if (port !== null) bridge = await bridgePort(path, port)
    const app = startApp(plan.start, {
      cwd: plan.folder,
      env: {
        INSTANCE: String(number),
        ...plan.environment,
        SOCKET: path,
        PORT: port === null ? path : String(port),
        ...(port === null ? {} : { HOST: '127.0.0.1' }),
      },
      log,
    })
    running = app
    const why = await untilAnswers(
      {
        path,
        listens: async () => (port === null || isOwnPort(port)) && (await accepts(path)),
        healthPath: plan.healthPath,
        limitMs: plan.startLimitMs,
      },
      app.gone,
    )
    if (app.gone.aborted) return app
    if (why !== null) {
      problem = `It did not answer within ${Math.round(plan.startLimitMs / 1000)} s: ${why}`
      await app.end()
      return app
    }
    chmodSync(path, 0o666)
    if (isTaken) moveIn()
    wasReady = true
    watchMemory(app)
    since = new Date().toISOString()
    become('running', null)
    return app
  }

  const endOf = ({ code: exit, signal }: AppEnd): string =>
    signal === null ? `It ended with code ${exit}` : `It was ended by ${signal}`

  /** Milliseconds until the next start; null: there is none. */
  const pauseAfter = (end: AppEnd, ranMs: number): number | null => {
    if (!wasReady || plan.restart === 'never') return null
    // What was ended for its memory may say that it ended well.
    if (plan.restart === 'on-failure' && end.code === 0 && problem === null) return null
    failures = ranMs >= STABLE_MS ? 1 : failures + 1
    return Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
  }

  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const startedMs = performance.now()
      const app = await launch()
      const end = await app.ended
      closeBridge()
      running = null
      since = null
      code = end.code
      if (ending.signal.aborted) return
      const why = problem ?? `${endOf(end)}${wasReady ? '.' : ' before it answered.'}`
      const pauseMs = pauseAfter(end, performance.now() - startedMs)
      if (pauseMs === null) return become('failed', why)
      nextStartMs = performance.now() + pauseMs
      become('waiting', why)
      await delay(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined)
      if (ending.signal.aborted) return
      restarts += 1
      become('starting', null)
    }
  }
  const kept = run().catch((error: unknown) => {
    become('failed', String(error instanceof Error ? error.message : error).slice(0, 300))
  })

  const isSoon = (): boolean => state === 'waiting' && nextStartMs - performance.now() < SETTLE_MS
  const answer = (): InstanceState => ({
    state,
    pid: running?.pid ?? null,
    since,
    restarts,
    code,
    problem,
    isUnderWay: state === 'starting' || isSoon(),
    wasReady,
    busy: connectionsAt(path) > 0,
  })

  const drain = async (graceMs: number): Promise<void> => {
    const deadlineMs = performance.now() + graceMs
    const leastMs = performance.now() + Math.min(LATE_VISITOR_MS, graceMs)
    while (running !== null && performance.now() < deadlineMs) {
      if (performance.now() >= leastMs && connectionsAt(path) === 0) return
      await delay(LOOK_EVERY_MS)
    }
  }

  return {
    state: answer,
    take() {
      if (!isTaken && state === 'running') moveIn()
      isTaken = true
    },
    async end(graceMs) {
      moveOut()
      await drain(graceMs)
      ending.abort()
      await running?.end()
      await kept
      closeBridge()
      rmSync(path, { force: true })
    },
  }
}
