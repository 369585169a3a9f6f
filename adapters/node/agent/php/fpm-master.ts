import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { asUser } from '../../process/as-user.ts'
import type { RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { endProcess, signalProcess } from '../system/end-process.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'
import { findProcesses, readProcess } from '../system/process-facts.ts'
import type { ProcessFacts } from '../system/process-facts.ts'
import { FPM_START_OPTIONS } from './fpm-config.ts'
import { lendListeningSocket } from './listening-socket.ts'
import type { SocketAccess } from './listening-socket.ts'
import { probeFpm } from './probe-fpm.ts'

/** What a master is started with. */
export interface FpmMasterPlan {
  /** The php-fpm binary. */
  binary: string
  configFile: string
  socket: string
  access: SocketAccess
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
  /** The uid it is expected to run under. */
  uid: number
}

/** A running master. */
export interface FpmMaster extends ProcessIdentity {
  uid: number
  socket: string
  configFile: string
}

/** Milliseconds until a new master must have answered. */
const START_LIMIT_MS = 10_000
const FAST_STOP_MS = 1_000

/**
 * The `listen` value of a configuration: FPM takes the inherited descriptor whose
 * address is literally this text. It is not the socket's path, because FPM
 * unlinks the address when it ends, which may be after a successor took over.
 */
export const inheritedAddress = (socket: string): string => socket.replace(/\.sock$/, '.fpm')

const firstLines = (text: string): string => text.trim().split('\n').slice(0, 5).join(' / ')

/**
 * Starts php-fpm under the account's uid on a socket that this process bound,
 * and waits until it answers. The master is its own session, so that it outlives
 * us and a Ctrl+C does not reach it. Rejects with what it wrote, when it fails.
 */
export const startFpmMaster = async (plan: FpmMasterPlan): Promise<FpmMaster> => {
  const ended = new AbortController()
  let output = ''
  const child = lendListeningSocket(plan.socket, plan.access, (fd) => {
    const { program, args } = asUser(
      plan.runAs,
      plan.binary,
      ['--nodaemonize', '--fpm-config', plan.configFile, ...FPM_START_OPTIONS],
      { limited: true },
    )
    return spawn(program, args, {
      cwd: '/',
      detached: true,
      env: { ...CLEAN_ENV, FPM_SOCKETS: `${inheritedAddress(plan.socket)}=3` },
      stdio: ['ignore', 'ignore', 'pipe', fd],
    })
  })
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
  const master: FpmMaster = {
    pid: child.pid ?? 0,
    startTicks: facts?.startTicks ?? 0,
    uid,
    socket,
    configFile,
  }
  try {
    await probeFpm(plan.socket, START_LIMIT_MS, ended.signal)
    return master
  } catch (error) {
    if (facts) await endProcess(master, 'SIGTERM', FAST_STOP_MS)
    removeSocket(plan.socket)
    throw new Error(`php-fpm did not start: ${firstLines(output) || String(error)}`, {
      cause: error,
    })
  } finally {
    // From here on FPM's messages go to its own log; a closed pipe is fine with it.
    child.stderr?.destroy()
  }
}

const removeSocket = (path: string): void => rmSync(path, { force: true })

/**
 * Masters whose configuration lies in `directory`, started by whichever agent
 * process. A command line can be forged: check uid and binary before trusting it.
 */
export const findFpmMasters = (directory: string): (ProcessFacts & { configFile: string })[] =>
  findProcesses(({ commandLine }) => commandLine.includes(`${directory}/`)).flatMap((facts) => {
    const [, titled, given] =
      /^php-fpm: master process \((.*)\)$|--fpm-config (\S+) /.exec(facts.commandLine) ?? []
    const configFile = titled ?? given
    return configFile?.startsWith(`${directory}/`) ? [{ ...facts, configFile }] : []
  })

/**
 * Stops a master. Unless a successor has taken the socket, it goes first, so
 * that a new connection finds none and asks for a new master. `graceMs` of zero
 * cuts running requests off at once; otherwise they have that long to end.
 */
export const stopFpmMaster = async (
  master: FpmMaster,
  options: { graceMs: number; keepSocket?: boolean },
): Promise<void> => {
  if (!options.keepSocket && master.socket !== '') removeSocket(master.socket)
  await (options.graceMs > 0
    ? endProcess(master, 'SIGQUIT', options.graceMs)
    : endProcess(master, 'SIGTERM', FAST_STOP_MS))
}

/**
 * Ends the children of a master that was killed: they go on accepting. SIGQUIT
 * lets each finish its request. The kernel does not reuse the master's pid while
 * its group has members, so the group names them.
 */
export const endOrphans = (master: FpmMaster): void => {
  for (const orphan of findProcesses(
    ({ group, uid }) => group === master.pid && uid === master.uid,
  ))
    signalProcess(orphan, 'SIGQUIT')
}
