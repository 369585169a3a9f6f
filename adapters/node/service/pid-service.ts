import { spawn } from 'node:child_process'
import { closeSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { CLEAN_ENV } from '../process/clean-env.ts'
import { identifyProcess, isSameProcessAlive } from '../process/process-identity.ts'
import { awaitReady, type ReadyPlaces } from './await-ready.ts'
import { findSupervisor } from './find-supervisor.ts'
import { ServiceError } from './service-error.ts'
import { startLimitSecs } from './start-limit.ts'
import { openSupervisorLog, SUPERVISOR_LOG } from './supervisor-log.ts'

const POLL_MS = 50
/** Longer than what the supervisor gives its children together. */
const STOP_MS = 60_000
const MAX_SAID_BYTES = 16_384

type Target = Pick<ServerConfig, 'file' | 'paths' | 'server'>

/** Of the Berth of a configuration. */
export const readyPlaces = (target: Pick<Target, 'paths' | 'server'>): ReadyPlaces => ({
  runDir: target.paths.run_dir,
  logDir: target.paths.log_dir,
  limitSecs: startLimitSecs(target),
})

const saidSince = (file: string, offset: number): string =>
  existsSync(file)
    ? readFileSync(file).subarray(offset).subarray(-MAX_SAID_BYTES).toString('utf8').trim()
    : ''

/**
 * Starts the supervisor in the background and waits until everything serves;
 * it outlives this process. Answers its number. Rejects with what it said when
 * it ends first; nothing is left running then.
 */
export const startByPidFile = async (target: Target, productDir: string): Promise<number> => {
  const { file, paths } = target
  const { fd, offset } = openSupervisorLog(paths.log_dir)
  const level = process.env['BERTH_LOG_LEVEL']
  const child = spawn(
    process.execPath,
    [join(productDir, 'adapters/node/bin/supervisor.ts'), '--config', file],
    {
      cwd: '/',
      detached: true,
      env: {
        ...CLEAN_ENV,
        // As the unit of systemd says.
        NODE_COMPILE_CACHE: join(paths.state_dir, 'compile-cache', 'supervisor'),
        ...(level === undefined ? {} : { BERTH_LOG_LEVEL: level }),
      },
      stdio: ['ignore', fd, fd],
    },
  )
  closeSync(fd)
  const problem = new Promise<Error | null>((resolve) => {
    child.once('error', resolve)
    child.once('spawn', () => resolve(null))
  })
  child.unref()
  const error = await problem
  if (error !== null || child.pid === undefined)
    throw new ServiceError(`Berth cannot be started: ${error?.message ?? 'no process'}`)
  const started = identifyProcess(child.pid)
  if (started !== null && (await awaitReady(readyPlaces(target), started))) return child.pid
  const said = saidSince(join(paths.log_dir, SUPERVISOR_LOG), offset)
  throw new ServiceError(`Berth ended while it started:\n${said}`)
}

/** Ends the supervisor gracefully (killed after a minute, its children then end by themselves). Answers whether one ran. */
export const stopByPidFile = async ({
  file,
  paths,
}: Pick<Target, 'file' | 'paths'>): Promise<boolean> => {
  const found = findSupervisor(paths.run_dir, file)
  if (found === null) return false
  const end = (signal: NodeJS.Signals): void => {
    try {
      process.kill(found.pid, signal)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return
      throw new ServiceError(
        `Process ${found.pid} belongs to another user. Run the command as that user, or as root.`,
        { cause: error },
      )
    }
  }
  end('SIGTERM')
  const deadline = performance.now() + STOP_MS
  let killed = false
  while (isSameProcessAlive(found)) {
    if (!killed && performance.now() > deadline) {
      killed = true
      end('SIGKILL')
    }
    await setTimeout(POLL_MS)
  }
  return true
}
