import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { awaitHealth } from './await-health.ts'
import { switchCurrent } from './current-version.ts'
import type { InstallRun } from './install-options.ts'
import { isRunning, startService, stopService } from './service-control.ts'
import { putStateBack, takeStateBackup, type StateBackup } from './state-backup.ts'

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * Exchanges the running version: stop, copy the state, start the other one. When
 * that does not serve in time, the state and the earlier version are put back, so
 * that a failed upgrade leaves what was there; then it rejects with the reason.
 *
 * @param versions.from null: it ran, but not from the installation directory
 */
export const upgrade = async (
  { options, print }: InstallRun,
  config: ServerConfig,
  versions: { from: string | null; to: string },
): Promise<void> => {
  const { from, to } = versions
  const { install_dir: installDir } = config.paths
  const ran = isRunning(config)
  print(ran ? 'Stopping the earlier version ...' : 'The earlier version does not run.')
  await stopService(config, from)
  let backup: StateBackup
  try {
    backup = await takeStateBackup(config, Date.now())
  } catch (error) {
    if (from !== null && ran) await startService(config, from)
    throw new Error(
      `the state could not be backed up, and nothing was changed: ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  }
  print(`The state before the upgrade is kept in ${backup.directory}.`)
  switchCurrent(installDir, to)
  if (!options.start) return
  try {
    print('Starting the new version ...')
    await startService(config, to)
    await awaitHealth(config, to, options.healthTimeoutMs)
  } catch (error) {
    const reason = messageOf(error)
    print(`The new version does not come up: ${reason}. Going back ...`)
    await stopService(config, to)
    await putStateBack(config, backup)
    if (from === null)
      throw new Error(`the new version does not come up (${reason}); nothing runs now`, {
        cause: error,
      })
    switchCurrent(installDir, from)
    await startService(config, from)
    await awaitHealth(config, from, options.healthTimeoutMs)
    throw new Error(
      `the new version does not come up (${reason}); the earlier one runs again, with all its data. Why stands in ${config.paths.log_dir}.`,
      { cause: error },
    )
  }
}
