import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { isSameProcessAlive, readIdentityFile } from '../process/process-identity.ts'
import { runCommand } from '../process/run-command.ts'
import { nodePackageName } from '../installed-copy/install-copy.ts'
import { startLimitSecs } from '../service/start-limit.ts'

/** A stop drains requests and ends PHP and database servers. */
const STOP_TIMEOUT_MS = 90_000
/** Longer than a start may take and systemctl is waited for. */
const MORE_SECS = 60
const POLL_MS = 100

const supervisorOf = ({ paths }: ServerConfig): ReturnType<typeof readIdentityFile> => {
  const identity = readIdentityFile(join(paths.run_dir, 'supervisor.pid'))
  return identity !== null && isSameProcessAlive(identity) ? identity : null
}

/** Whether Berth runs with this configuration, however it was started. */
export const isRunning = (config: ServerConfig): boolean => supervisorOf(config) !== null

const runBerth = (
  config: ServerConfig,
  appDir: string,
  args: readonly string[],
): ReturnType<typeof runCommand> =>
  runCommand(
    join(appDir, 'node_modules', nodePackageName(), 'bin/node'),
    [join(appDir, 'cli/main.ts'), '--config', config.file, ...args],
    { timeoutMs: (startLimitSecs(config) + MORE_SECS) * 1000 },
  )

const mustRunService = async (
  config: ServerConfig,
  appDir: string,
  action: string,
): Promise<void> => {
  const { code, stdout, stderr } = await runBerth(config, appDir, ['service', action])
  if (code !== 0)
    throw new Error(`berth service ${action} failed: ${(stderr || stdout).trim().slice(-2000)}`)
}

/** Starts a copy as a service of the machine, and with the machine from now on. Rejects with the reason when it does not come up. */
export const startService = async (config: ServerConfig, appDir: string): Promise<void> => {
  for (const action of ['install', 'enable', 'start']) await mustRunService(config, appDir, action)
}

/** Stops Berth, however it was started, and waits until it is gone. */
export const stopService = async (config: ServerConfig, appDir: string | null): Promise<void> => {
  const running = supervisorOf(config)
  if (appDir !== null) await runBerth(config, appDir, ['service', 'stop'])
  if (running === null || !isSameProcessAlive(running)) return
  process.kill(running.pid, 'SIGTERM')
  const begun = performance.now()
  while (isSameProcessAlive(running)) {
    if (performance.now() - begun > STOP_TIMEOUT_MS)
      throw new Error(
        `Berth (process ${running.pid}) does not stop. Look into ${config.paths.log_dir}.`,
      )
    await setTimeout(POLL_MS)
  }
}

/** Takes the service out of the machine's; what is not there is no mistake. */
export const removeService = async (config: ServerConfig, appDir: string): Promise<void> => {
  for (const action of ['disable', 'uninstall']) await runBerth(config, appDir, ['service', action])
}
