import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#handlers/ports/log.ts'
import { asUser } from '../../process/as-user.ts'
import type { RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { mustRun } from '../../process/run-command.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'
import { findProcesses, readProcess } from '../system/process-facts.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'

/** Binaries, places and user of a private server. */
export interface MariadbPlaces {
  /** `mariadbd`. */
  binary: string
  installer: string
  dataDir: string
  /** Its directory belongs to the server's user and lets everyone pass: sites connect here. */
  socket: string
  logFile: string
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
}

export interface RunningMariadb extends ProcessIdentity {
  /** Whether it has the options that a server gets today; an adopted one may have older ones. */
  current: boolean
  /** Resolves when the process has ended, or when `signal` aborts. */
  ended(signal: AbortSignal): Promise<void>
}

/** A small server: hosting on one machine, where PHP and the page cache want the memory. */
const OPTIONS = [
  '--skip-networking',
  // DATA DIRECTORY is ignored then: with it a tenant's table could lie in, and destroy, another's database.
  '--skip-symbolic-links',
  '--skip-log-bin',
  '--skip-name-resolve',
  '--local-infile=OFF',
  '--performance-schema=OFF',
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=32M',
  '--max-connections=250',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
]

const ownDirectory = (directory: string, mode: number, runAs: RunAs | null): void => {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, mode)
  if (runAs) chownSync(directory, runAs.uid, runAs.gid)
}

/**
 * Creates the system tables, once. They are made beside and renamed, so that an
 * interrupted run leaves nothing that looks complete. Root logs in by its
 * operating system user alone; there is no anonymous user and no test database.
 */
export const installMariadb = async (places: MariadbPlaces, log: Log): Promise<void> => {
  const { dataDir, runAs } = places
  if (existsSync(dataDir)) return
  log.info('Creating the private MariaDB server', { directory: dataDir })
  const parent = path.dirname(dataDir)
  mkdirSync(parent, { recursive: true })
  chmodSync(parent, 0o711)
  const fresh = `${dataDir}.new`
  rmSync(fresh, { recursive: true, force: true })
  ownDirectory(fresh, 0o700, runAs)
  const { program, args } = asUser(runAs, places.installer, [
    '--no-defaults',
    `--datadir=${fresh}`,
    '--auth-root-authentication-method=socket',
    // Without this the server's own user could administer it as well as root.
    `--auth-root-socket-user=${runAs ? 'root' : os.userInfo().username}`,
    '--skip-test-db',
    '--innodb-log-file-size=32M',
  ])
  await mustRun(program, args, { timeoutMs: 300_000 })
  renameSync(fresh, dataDir)
}

const dataDirArgument = (places: MariadbPlaces): string => `--datadir=${places.dataDir}`

/** Starts the server in a session of its own: it outlives us, and Ctrl+C does not reach it. */
export const spawnMariadb = (places: MariadbPlaces): RunningMariadb => {
  ownDirectory(path.dirname(places.socket), 0o755, places.runAs)
  const logFd = openSync(places.logFile, 'a', 0o640)
  try {
    const { program, args } = asUser(places.runAs, places.binary, [
      '--no-defaults',
      dataDirArgument(places),
      `--socket=${places.socket}`,
      `--pid-file=${path.join(path.dirname(places.socket), 'mariadb.pid')}`,
      ...OPTIONS,
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

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** The server that an earlier agent left on our data directory, or null. */
export const adoptMariadb = (places: MariadbPlaces): RunningMariadb | null => {
  const wantedUid = places.runAs?.uid ?? process.getuid?.()
  const wanted = dataDirArgument(places)
  const [found] = findProcesses(
    ({ uid, commandLine }) => uid === wantedUid && commandLine.split(' ').includes(wanted),
  ).filter(({ exe }) => exe === null || path.basename(exe) === path.basename(places.binary))
  if (!found) return null
  return {
    pid: found.pid,
    startTicks: found.startTicks,
    current: OPTIONS.every((option) => found.commandLine.split(' ').includes(option)),
    // Not our child, so there is no exit event.
    async ended(signal) {
      while (isSameProcessAlive(found) && !signal.aborted)
        await delay(250, undefined, { signal }).catch(() => undefined)
    },
  }
}
