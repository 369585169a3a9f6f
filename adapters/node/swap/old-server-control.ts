import { spawn } from 'node:child_process'
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { CLEAN_ENV } from '../process/clean-env.ts'
import { findPortHolder, isPortHeld } from '../process/ports/port-holder.ts'
import { isSameProcessAlive } from '../process/process-identity.ts'
import type { Systemctl } from '../service/systemctl.ts'
import { findOldServers } from './find-old-servers.ts'
import { SwapError } from './swap-error.ts'
import type { OldServer } from './swap-types.ts'

const POLL_MS = 50
/** While ports are free, visitors are refused. */
const POLL_FREE_MS = 5
/** Requests under way get this long before the server is ended all the same. */
const GRACEFUL_MS = 20_000
const WAIT_MS = 30_000
const RUN_MS = 60_000

const until = async (
  check: () => boolean,
  timeoutMs: number,
  pollMs = POLL_MS,
): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs
  while (!check()) {
    if (performance.now() > deadline) return false
    await setTimeout(pollMs)
  }
  return true
}

const readStart = (fd: number): string => {
  const bytes = Buffer.alloc(4096)
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString('utf8')
}

/** Ends another web server and starts it again with its very configuration. */
export class OldServerControl {
  private readonly server: OldServer
  private readonly systemctl: Systemctl | null

  constructor(server: OldServer, systemctl: Systemctl | null) {
    this.server = server
    this.systemctl = server.unit === null ? null : systemctl
  }

  /** Rejects when its own program does not accept its configuration: it could not be started again. */
  async test(): Promise<void> {
    const { code, said } = await this.run([...this.server.configArgs, '-t'])
    if (code !== 0)
      throw new SwapError(
        `${this.server.program} does not accept its own configuration as it is now, so it could not be started again. Fix it first:\n${said}`,
      )
  }

  /** Whether its unit starts with the machine; null: it has none. */
  async isEnabled(): Promise<boolean | null> {
    const { unit } = this.server
    return unit === null || this.systemctl === null
      ? null
      : this.systemctl.ask('is-enabled', '--quiet', unit)
  }

  async setEnabled(enabled: boolean): Promise<void> {
    const { unit } = this.server
    if (unit !== null && this.systemctl !== null)
      await this.systemctl.must(enabled ? 'enable' : 'disable', unit)
  }

  /** The process that serves this configuration now. */
  async running(): Promise<OldServer | null> {
    if (isSameProcessAlive(this.server.process)) return this.server
    const found = await findOldServers(this.systemctl !== null)
    const { program, configFile } = this.server
    return found.find((one) => one.program === program && one.configFile === configFile) ?? null
  }

  /** Ends it, gracefully for 20 seconds, and waits until it is gone. */
  async stop(): Promise<void> {
    const now = await this.running()
    if (now !== null) {
      const { unit } = this.server
      if (unit !== null && this.systemctl !== null) await this.systemctl.must('stop', unit)
      else
        await this.run([
          ...this.server.configArgs,
          ...(this.server.kind === 'apache' ? ['-k', 'graceful-stop'] : ['-s', 'quit']),
        ])
      const gone = (): boolean => !isSameProcessAlive(now.process)
      // Its own command does not find it where its pid file is gone.
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await until(gone, GRACEFUL_MS)) break
        try {
          process.kill(now.process.pid, signal)
        } catch {
          // gone just now, or another user's: told below
        }
      }
      if (!(await until(gone, WAIT_MS)))
        throw new SwapError(`${this.server.program} (process ${now.process.pid}) does not end.`)
    }
  }

  /** Waits until somebody listens on its ports again. */
  async awaitTakenPorts(): Promise<void> {
    for (const { port } of this.server.listening)
      if (!(await until(() => findPortHolder(port) !== null, WAIT_MS)))
        throw new SwapError(`Nobody listens on port ${port}.`)
  }

  /** Waits until nobody listens on its ports. Rejects with who does. */
  async awaitFreePorts(): Promise<void> {
    for (const { port } of this.server.listening)
      if (!(await until(() => !isPortHeld(port), WAIT_MS, POLL_FREE_MS)))
        throw new SwapError(`Port ${port} is held by ${findPortHolder(port)?.text ?? 'somebody'}.`)
  }

  /** Starts it unless it runs, and waits until it listens where it did. */
  async start(): Promise<void> {
    const { unit, startArgs, program, listening } = this.server
    if ((await this.running()) === null) {
      await this.awaitFreePorts()
      if (unit !== null && this.systemctl !== null) await this.systemctl.must('start', unit)
      else {
        const { code, said } = await this.run(startArgs)
        if (code !== 0)
          throw new SwapError(`${program} could not be started again (${code}):\n${said}`)
      }
    }
    for (const { port } of listening)
      if (!(await until(() => findPortHolder(port) !== null, WAIT_MS)))
        throw new SwapError(`${program} was started again, but does not listen on port ${port}.`)
  }

  /** Runs its program to its end. What it leaves in the background keeps no pipe of ours. */
  private async run(args: readonly string[]): Promise<{ code: number | null; said: string }> {
    const { program, env } = this.server
    const file = join(tmpdir(), `berth-swap-${randomBytes(6).toString('hex')}`)
    const fd = openSync(file, 'wx+', 0o600)
    try {
      // Without a name nothing is left of it, also when we are killed.
      rmSync(file)
      const child = spawn(program, args, {
        cwd: '/',
        env: { ...CLEAN_ENV, ...env },
        stdio: ['ignore', fd, fd],
        timeout: RUN_MS,
        killSignal: 'SIGKILL',
      })
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject)
        child.once('exit', resolve)
      })
      return { code, said: readStart(fd).trim() }
    } catch (error) {
      throw new SwapError(`${program} cannot be run: ${String(error)}`, { cause: error })
    } finally {
      closeSync(fd)
    }
  }
}
