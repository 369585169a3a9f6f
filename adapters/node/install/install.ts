import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { ensureIdentities } from '../process/ensure-identities.ts'
import { installCopy } from '../installed-copy/install-copy.ts'
import { prepareDirectories, prepareRunDirectory } from '../layout/prepare-directories.ts'
import { pruneCopies } from '../installed-copy/prune-copies.ts'
import { awaitHealth } from './await-health.ts'
import { requireDiskSpace, requireFreePorts } from './check-machine.ts'
import { readCurrent, switchCurrent } from './current-version.ts'
import { writeFirstConfig } from './first-config.ts'
import { hasNoRecords } from './has-no-records.ts'
import type { InstallRun } from './install-options.ts'
import { loadInstalledConfig } from './load-installed-config.ts'
import { commandOf, placeCommand } from './place-command.ts'
import { isRunning, startService } from './service-control.ts'
import { renderNextSteps } from './next-steps.ts'
import { setUpQuotas } from './quotas/set-up-quotas.ts'
import { upgrade } from './upgrade.ts'

/** First installation: nothing of an earlier version is there to go back to. */
const installFirst = async (
  { options, print }: InstallRun,
  config: ServerConfig,
  appDir: string,
): Promise<void> => {
  const runs = isRunning(config)
  if (!runs) await requireFreePorts(config)
  switchCurrent(config.paths.install_dir, appDir)
  if (!options.start) return
  // Started by hand before it was installed: from now on it is the service.
  if (runs) return upgrade({ options, print }, config, { from: null, to: appDir })
  print('Starting Berth ...')
  await startService(config, appDir)
  try {
    await awaitHealth(config, appDir, options.healthTimeoutMs)
  } catch (error) {
    throw new Error(
      `Berth is installed, but ${error instanceof Error ? error.message : String(error)}. The reason stands in ${config.paths.log_dir}; run install.sh again when it is mended.`,
      { cause: error },
    )
  }
}

/**
 * Puts a version into its place and sees that it serves. Where it is in place and
 * serves already, nothing is changed and nothing restarted.
 */
export const install = async (run: InstallRun): Promise<void> => {
  const { options, print } = run
  const who = await ensureIdentities()
  const wrote = writeFirstConfig(options.configFile, who)
  if (wrote) print(`Wrote ${options.configFile} with the defaults.`)
  const config = await loadInstalledConfig(options.configFile)
  requireDiskSpace(config)
  const { install_dir: installDir } = config.paths
  const before = readCurrent(installDir)
  const { appDir } = installCopy(options.from, installDir)
  const berth = commandOf(appDir, options.configFile)
  await berth(['config', 'test'])
  // Not whether directories are there: an attempt that failed has made them.
  const first = await hasNoRecords(config)
  prepareRunDirectory(config, who)
  prepareDirectories(config, who)
  // Before the unit is written, which allows what quotas need only where there are any.
  if (options.quotas) print(await setUpQuotas(config.paths.home_base, config.paths.state_dir))

  if (before === null) await installFirst(run, config, appDir)
  else if (before !== appDir) await upgrade(run, config, { from: before, to: appDir })
  else if (options.start && !isRunning(config)) {
    print('Starting Berth ...')
    await startService(config, appDir)
    await awaitHealth(config, appDir, options.healthTimeoutMs)
  } else print('This version is installed already.')

  await placeCommand(installDir, appDir)
  pruneCopies(installDir, appDir, Date.now())
  print(renderNextSteps(config, { first, started: options.start }))
}
