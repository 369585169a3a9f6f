import { spawn } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asUser } from '../../process/as-user.ts'
import type { RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'
import { findProcesses, readProcess, withoutForks } from '../host/process-facts.ts'

/** How a private server is started and recognised. */
export interface ServerCommand {
  binary: string
  /** Its one argument that names the data directory and that no other process has. */
  identity: string
  /** Arguments that must stand before all others. */
  first?: readonly string[]
  /** What a server started today gets; an adopted one that lacks any of them is started anew. */
  options: readonly string[]
  /** Further arguments, which may differ between starts. */
  more: readonly string[]
  /** Receives standard output and error. */
  logFile: string
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
}

export interface RunningServer extends ProcessIdentity {
  /** Whether it has the options that a server gets today; an adopted one may have older ones. */
  current: boolean
  /** Resolves when the process has ended, or when `signal` aborts. */
  ended(signal: AbortSignal): Promise<void>
}

/** Makes a directory of the server's user. */
export const ownDirectory = (directory: string, mode: number, runAs: RunAs | null): void => {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, mode)
  if (runAs) chownSync(directory, runAs.uid, runAs.gid)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Starts the server in a session of its own: it outlives us, and Ctrl+C does not reach it. */
export const spawnServer = (command: ServerCommand): RunningServer => {
  const logFd = openSync(command.logFile, 'a', 0o640)
  try {
    const { program, args } = asUser(command.runAs, command.binary, [
      ...(command.first ?? []),
      command.identity,
      ...command.options,
      ...command.more,
    ])
    const child = spawn(program, args, {
      cwd: '/',
      detached: true,
      env: { ...CLEAN_ENV },
      stdio: ['ignore', logFd, logFd],
    })
    const exited = new Promise<void>((resolve) => {
      child.on('exit', () => resolve())
      child.on('error', () => resolve())
    })
    child.unref()
    const facts = child.pid === undefined ? null : readProcess(child.pid)
    return {
      pid: child.pid ?? 0,
      startTicks: facts?.startTicks ?? 0,
      current: true,
      ended: (signal) => Promise.race([exited, aborted(signal)]),
    }
  } finally {
    closeSync(logFd)
  }
}

/** The server that an earlier agent left on our data directory, or null. */
export const adoptServer = (command: ServerCommand): RunningServer | null => {
  const wantedUid = command.runAs?.uid ?? process.getuid?.()
  const named = findProcesses(
    ({ uid, commandLine }) =>
      uid === wantedUid && commandLine.split(' ').includes(command.identity),
  )
  const [found] = withoutForks(
    named.filter(({ exe }) => exe === null || path.basename(exe) === path.basename(command.binary)),
  )
  if (!found) return null
  return {
    pid: found.pid,
    startTicks: found.startTicks,
    current: command.options.every((option) => found.commandLine.split(' ').includes(option)),
    // Not our child, so there is no exit event.
    async ended(signal) {
      while (isSameProcessAlive(found) && !signal.aborted)
        await delay(250, undefined, { signal }).catch(() => undefined)
    },
  }
}
