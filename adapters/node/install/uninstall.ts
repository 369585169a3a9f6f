import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BACKUP_USER, CONF_GROUP, PANEL_USER, WEB_USER } from '../process/identities.ts'
import { runCommand } from '../process/run-command.ts'
import { CURRENT, readCurrent } from './current-version.ts'
import type { InstallRun } from './install-options.ts'
import { loadInstalledConfig } from './load-installed-config.ts'
import { removeCommand } from './place-command.ts'
import { keptBackups, removeAllBut } from './remove-all-but.ts'
import { removeService, stopService } from './service-control.ts'

/** Copies and their link; other files in the directory are somebody else's. */
const removeCopies = (installDir: string): void => {
  if (!existsSync(installDir)) return
  for (const name of readdirSync(installDir))
    if (name === CURRENT || /^(app|deps|\.new)-[0-9a-f]+$/.test(name))
      rmSync(join(installDir, name), { recursive: true, force: true })
  if (readdirSync(installDir).length === 0) rmSync(installDir, { recursive: true })
}

/**
 * Takes the program away. Accounts with their homes, sites, databases, settings
 * and backups stay, and a later installation goes on with them; `purge` removes all
 * of that which is Berth's own, the backups only with `andBackups`. System users of accounts and their homes are never
 * removed: that is done account by account, in the panel.
 */
export const uninstall = async ({ options, print }: InstallRun): Promise<void> => {
  if (!existsSync(options.configFile))
    throw new Error(
      `there is no ${options.configFile}, which tells where everything is. Name the configuration with --config.`,
    )
  const config = await loadInstalledConfig(options.configFile)
  const { paths } = config
  const appDir = readCurrent(paths.install_dir)
  print('Stopping Berth ...')
  await stopService(config, appDir)
  if (appDir !== null) await removeService(config, appDir)
  removeCommand()
  removeCopies(paths.install_dir)
  if (!options.purge) {
    print(
      `Berth is uninstalled. Kept: settings in ${dirname(config.file)}, records, databases and backups in ${paths.state_dir}, homes in ${paths.home_base}.`,
    )
    return
  }
  const backups = options.andBackups ? [] : keptBackups(paths.state_dir)
  removeAllBut(paths.state_dir, backups)
  for (const path of [
    paths.log_dir,
    paths.run_dir,
    paths.vhosts_dir,
    paths.secrets_dir,
    config.ssl.directory,
    config.file,
    join(dirname(config.file), 'setup.token'),
  ])
    removeAllBut(path, backups)
  const directory = dirname(config.file)
  if (readdirSync(directory).length === 0) rmSync(directory, { recursive: true })
  const users = [PANEL_USER, WEB_USER, BACKUP_USER]
  for (const user of users) await runCommand('/usr/sbin/userdel', ['--', user])
  for (const group of [CONF_GROUP, ...users]) await runCommand('/usr/sbin/groupdel', ['--', group])
  const what =
    backups.length === 0
      ? 'settings, records, databases, backups and logs are removed'
      : `settings, records, databases and logs are removed. The backups stay: ${backups.join(', ')}`
  print(
    `Berth is uninstalled and its ${what}. Homes in ${paths.home_base} and their system users stay; so do Debian packages.`,
  )
}
