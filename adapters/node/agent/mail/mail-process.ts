import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { unavailable, type AppError } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountFacts } from '../../mail-channel/account-facts.ts'
import { ANSWER_WITHIN_MS, createPeer, type Peer } from '../../mail-channel/peer.ts'
import { asUser, type RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { restartDelayMs, STABLE_MS } from '../../process/restart-delay.ts'

const ENTRY = fileURLToPath(new URL('../../bin/mail.ts', import.meta.url))
const STOP_MS = 8000
/** On a slow machine that starts everything at once; who asks meanwhile is told that it is being started. */
const START_MS = 300_000
/** Lists and beginnings of messages are small; more than that is nothing that we asked for. */
const MEMORY = '--max-old-space-size=256'

export interface MailProcessOptions {
  /** The queue, of the process's own. */
  directory: string
  compileCache: string
  /** Whether to change the user; else it runs as this process's. */
  asRoot: boolean
  findUser: () => RunAs | null
  config: () => MailConfig
  account: (username: string) => AccountFacts | null
  /** Called when it serves, also after each restart. */
  onStart: (ask: Peer['ask']) => Promise<void>
  /** How long it has until it serves. */
  startMs?: number
  log: Log
}

/** The process that reads and sends mail, unprivileged, so that nothing of root's ever reads a message. */
export interface MailProcess {
  /** Starts it where it does not run, and asks. */
  ask: Peer['ask']
  isRunning(): boolean
  /** Asks where it runs. */
  tell(method: string, input: unknown): Promise<void>
  /** Starts it where it does not run. */
  start(): Promise<void>
  stop(): Promise<void>
}

const stillStarts = (): AppError =>
  unavailable('The mail queue is still being started. Try again in a moment.')
const inTime = async (ready: Promise<void>): Promise<void> => {
  const timer = new AbortController()
  const late = delay(ANSWER_WITHIN_MS, undefined, { signal: timer.signal }).then(
    () => {
      throw stillStarts()
    },
    () => undefined,
  )
  try {
    await Promise.race([ready, late])
  } finally {
    timer.abort()
  }
}

const accountAsk = z.object({ username: z.string().regex(/^[a-z0-9]{3,16}$/) })

/** Started at the first need, and again when it ends by itself. */
export const createMailProcess = (options: MailProcessOptions): MailProcess => {
  const { directory, log, startMs = START_MS } = options
  let running: { child: ChildProcess; peer: Peer; ready: Promise<void> } | null = null
  let failures = 0
  let stopping = false
  let timer: NodeJS.Timeout | undefined

  const user = (): RunAs | null => {
    if (!options.asRoot) return null
    const found = options.findUser()
    if (found === null)
      throw unavailable('The system user berth-mail does not exist. Restart Berth to make it.')
    return found
  }

  const begin = (): NonNullable<typeof running> => {
    const who = user()
    for (const path of [directory, options.compileCache]) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
      mkdirSync(path, { recursive: true, mode: 0o700 })
      chmodSync(path, 0o700)
      if (who !== null) chownSync(path, who.uid, who.gid)
    }
    const { program, args } = asUser(who, process.execPath, [MEMORY, ENTRY], {
      dieWithParent: true,
    })
    const child = spawn(program, args, {
      cwd: '/',
      env: { ...CLEAN_ENV, NODE_COMPILE_CACHE: options.compileCache },
      // What it says stands in the agent's log.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const startedMs = performance.now()
    const peer = createPeer(
      {
        send: (message) => {
          if (child.connected) child.send(message, () => undefined)
        },
        listen: (listener) => void child.on('message', listener),
      },
      async (method, input) => {
        if (method !== 'account') throw new Error(`There is no ${method}.`)
        return options.account(accountAsk.parse(input).username)
      },
    )
    child.on('error', (error) => log.error('the mail process failed', { error: String(error) }))
    child.once('exit', (code, signal) => {
      peer.close()
      if (running?.child === child) running = null
      if (stopping) return
      failures = performance.now() - startedMs >= STABLE_MS ? 0 : failures + 1
      log.error('the mail process ended and is started again', { code, signal })
      timer = setTimeout(() => void start().catch(complain), restartDelayMs(failures))
    })
    const ready = peer
      .ask('start', { config: options.config(), directory, host: hostname() }, startMs)
      .then(() => options.onStart((method, input) => peer.ask(method, input)))
    ready.catch((error: unknown) => {
      complain(error)
      // It would be asked in vain for ever; its end has another one started.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    })
    return { child, peer, ready }
  }
  const complain = (error: unknown): void =>
    log.error('the mail queue does not serve', { error: String(error) })

  const start = async (): Promise<void> => {
    if (stopping) throw unavailable('The mail queue is being stopped.')
    clearTimeout(timer)
    running ??= begin()
    await inTime(running.ready)
  }

  return {
    start,
    isRunning: () => running !== null,
    async ask(method, input) {
      await start()
      if (running === null) throw unavailable('The mail queue does not answer. Try again.')
      return running.peer.ask(method, input)
    },
    async tell(method, input) {
      if (running === null) return
      await inTime(running.ready)
      await running?.peer.ask(method, input)
    },
    async stop() {
      stopping = true
      clearTimeout(timer)
      const child = running?.child
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(killer)
    },
  }
}
