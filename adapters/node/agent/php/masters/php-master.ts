import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { asUser } from '../../../process/as-user.ts'
import type { ProgramLimits, RunAs } from '../../../process/as-user.ts'
import { CLEAN_ENV } from '../../../process/clean-env.ts'
import { endProcess, signalProcess } from '../../host/end-process.ts'
import { formatIdentity, readIdentityFile } from '../../../process/process-identity.ts'
import type { ProcessIdentity } from '../../../process/process-identity.ts'
import { findProcesses, readProcess, withoutForks } from '../../host/process-facts.ts'
import type { ProcessFacts } from '../../host/process-facts.ts'
import { lendListeningSocket } from './listening-socket.ts'
import type { SocketAccess } from './listening-socket.ts'
import { probeFastcgi } from './probe-fastcgi.ts'
import { stopScattered } from './stop-scattered.ts'

/** What a master (php-fpm, or what starts another PHP for each request) is started with. */
export interface MasterPlan {
  /** The program, as /proc names it once it runs. */
  binary: string
  /** They name `configFile` behind `--fpm-config` or `--config`. */
  args: string[]
  /** Beside the clean environment. The listening socket is descriptor 3. */
  env: Record<string, string>
  configFile: string
  socket: string
  access: SocketAccess
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
  /** The uid it is expected to run under. */
  uid: number
  /** Null: those of any tenant's program. */
  limits: ProgramLimits | null
  /**
   * Set for lsphp: it wants the socket as descriptor 0, hides its arguments, and
   * puts each child in a session of its own. Standard error goes to `logFile`.
   */
  scattered?: { logFile: string }
  /** Resolves once a process behind the socket answers; default: in FastCGI. */
  probe?: typeof probeFastcgi
}

/** A running master. */
export interface PhpMaster extends ProcessIdentity {
  /** As of its plan: nothing but its own pid file names it. */
  scattered: boolean
  uid: number
  socket: string
  configFile: string
}

/** Milliseconds until a new master must have answered. */
const START_LIMIT_MS = 10_000
const FAST_STOP_MS = 1_000

const firstLines = (text: string): string => text.trim().split('\n').slice(0, 5).join(' / ')

/**
 * Starts a master under the account's uid on a socket that this process bound,
 * and waits until it answers. The master is its own session, so that it outlives
 * us and a Ctrl+C does not reach it. Rejects with what it wrote, when it fails.
 */
export const startMaster = async (plan: MasterPlan): Promise<PhpMaster> => {
  const ended = new AbortController()
  let output = ''
  const { scattered } = plan
  const errors = scattered ? openSync(scattered.logFile, 'a') : null
  const child = lendListeningSocket(plan.socket, plan.access, (fd) => {
    const { program, args } = asUser(plan.runAs, plan.binary, plan.args, {
      limited: plan.limits ?? 'own',
    })
    return spawn(program, args, {
      cwd: '/',
      detached: true,
      // lsphp hands its environment on to scripts.
      env: scattered ? plan.env : { ...CLEAN_ENV, ...plan.env },
      stdio: errors === null ? ['ignore', 'ignore', 'pipe', fd] : [fd, 'ignore', errors],
    })
  })
  if (errors !== null) closeSync(errors)
  child.on('exit', () => ended.abort())
  child.on('error', (error) => {
    output += error.message
    ended.abort()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    if (output.length < 8192) output += chunk.toString('utf8')
  })
  child.stderr?.on('error', () => undefined)
  child.unref()
  const facts = child.pid === undefined ? null : readProcess(child.pid)
  const { uid, socket, configFile } = plan
  const master: PhpMaster = {
    pid: child.pid ?? 0,
    startTicks: facts?.startTicks ?? 0,
    uid,
    socket,
    configFile,
    scattered: scattered !== undefined,
  }
  if (scattered && facts)
    writeFileSync(pidFileOf(configFile), formatIdentity(master), { mode: 0o600 })
  try {
    await (plan.probe ?? probeFastcgi)(plan.socket, START_LIMIT_MS, ended.signal)
    return master
  } catch (error) {
    if (facts) await endProcess(master, 'SIGTERM', FAST_STOP_MS)
    if (scattered) output += readFileSync(scattered.logFile, 'utf8').slice(0, 8192)
    removeSocket(plan.socket)
    throw new Error(
      `${basename(plan.binary)} did not start: ${firstLines(output) || String(error)}`,
      {
        cause: error,
      },
    )
  } finally {
    // From here on FPM's messages go to its own log; a closed pipe is fine with it, and with launchers.
    child.stderr?.destroy()
  }
}

/** In root's directory: no tenant can name another process there. */
const pidFileOf = (configFile: string): string => `${configFile}.pid`

const removeSocket = (path: string): void => rmSync(path, { force: true })

/** A master that an earlier agent left. */
export interface FoundMaster extends ProcessFacts {
  configFile: string
  scattered: boolean
}

/**
 * Masters whose configuration lies in `directory`, started by whichever agent
 * process. A command line can be forged: check uid and binary before trusting it.
 */
export const findMasters = (directory: string): FoundMaster[] => [
  ...findTitled(directory),
  ...readdirSync(directory).flatMap((name) => {
    if (!name.endsWith('.pid')) return []
    const identity = readIdentityFile(`${directory}/${name}`)
    const facts = identity && readProcess(identity.pid)
    if (facts?.startTicks !== identity?.startTicks || !facts) return []
    return [{ ...facts, configFile: `${directory}/${name.slice(0, -4)}`, scattered: true }]
  }),
]

const findTitled = (directory: string): FoundMaster[] =>
  withoutForks(
    findProcesses(({ commandLine }) => commandLine.includes(`${directory}/`)).flatMap((facts) => {
      const [, titled, given] =
        /^php-fpm: master process \((.*)\)$|--(?:fpm-)?config (\S+)/.exec(facts.commandLine) ?? []
      const configFile = titled ?? given
      return configFile?.startsWith(`${directory}/`)
        ? [{ ...facts, configFile, scattered: false }]
        : []
    }),
  )

/**
 * Stops a master. Unless a successor has taken the socket, it goes first, so
 * that a new connection finds none and asks for a new master. `graceMs` of zero
 * cuts running requests off at once; otherwise they have that long to end.
 */
export const stopMaster = async (
  master: PhpMaster,
  options: { graceMs: number; keepSocket?: boolean },
): Promise<void> => {
  if (!options.keepSocket && master.socket !== '') removeSocket(master.socket)
  if (master.scattered) return stopScattered(master, options.graceMs)
  await (options.graceMs > 0
    ? endProcess(master, 'SIGQUIT', options.graceMs)
    : endProcess(master, 'SIGTERM', FAST_STOP_MS))
}

/**
 * Ends the children of a master that was killed: they go on accepting. SIGQUIT
 * lets each finish its request. The kernel does not reuse the master's pid while
 * its group has members, so the group names them.
 */
export const endOrphans = (master: PhpMaster): void => {
  for (const orphan of findProcesses(
    ({ group, uid }) => group === master.pid && uid === master.uid,
  ))
    signalProcess(orphan, 'SIGQUIT')
}
