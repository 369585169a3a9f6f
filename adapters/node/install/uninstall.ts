import { existsSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BACKUP_USER,
  CONF_GROUP,
  LINK_USER,
  MAIL_USER,
  PANEL_USER,
  TOOL_USER,
  WEB_USER,
} from '../process/identities.ts'
import { leaveDropIn } from '../system-mariadb/leave-drop-in.ts'
import { SYSTEM_MARIADB } from '../system-mariadb/system-places.ts'
import { runCommand } from '../process/run-command.ts'
import { createUserManagers } from '../sshd/user-managers.ts'
import { folderUserNames } from '../sshd/folder-user-names.ts'
import { removeDropIn } from '../sshd/remove-drop-in.ts'
import {
  BOUND_GROUP,
  JAILED_GROUP,
  PASSWORD_GROUP,
  READ_ONLY_GROUP,
  SHELL_GROUP,
} from '../sshd/render-drop-in.ts'
import { SSHD } from '../sshd/sshd-settings.ts'
import { CURRENT, readCurrent } from './current-version.ts'
import type { InstallRun } from './install-options.ts'
import { loadInstalledConfig } from './load-installed-config.ts'
import { removeCommand } from './place-command.ts'
import { mountsBelow } from './mounts-below.ts'
import { keptBackups, removeAllBut } from './remove-all-but.ts'
import { removeService, stopService } from './service-control.ts'
import { undoQuotas } from './quotas/undo-quotas.ts'

/** Copies and their link; other files in the directory are somebody else's. */
const removeCopies = (installDir: string): void => {
  if (!existsSync(installDir)) return
  for (const name of readdirSync(installDir))
    if (name === CURRENT || /^(app|deps|\.new)-[0-9a-f]+$/.test(name))
      rmSync(join(installDir, name), { recursive: true, force: true })
  if (readdirSync(installDir).length === 0) rmSync(installDir, { recursive: true })
}

/** What is mounted there is not ours, whatever it is: nobody removes it by removing us. */
const mustHoldNoMounts = (removed: readonly string[], kept: readonly string[]): void => {
  const [mount] = removed
    .filter((path) => existsSync(path))
    .flatMap((path) => mountsBelow(realpathSync(path)))
    .filter((path) => !kept.some((one) => path === one || path.startsWith(`${one}/`)))
  if (mount !== undefined)
    throw new Error(
      `something is mounted at ${mount}, which would be removed as well. Unmount it (umount -- ${mount}), then start again. Nothing was removed.`,
    )
}

const quiet = { info: () => undefined, error: () => undefined }

/**
 * Takes the program away. Accounts with their homes, sites, databases, settings
 * and backups stay, and a later installation goes on with them; `purge` removes all
 * of that which is Berth's own, the backups only with `andBackups`, and users for one folder. System users of accounts and their homes are never
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
  const backups = options.andBackups ? [] : keptBackups(paths.state_dir)
  const kept = [...backups, paths.home_base]
  const removed = [
    paths.state_dir,
    paths.log_dir,
    paths.run_dir,
    paths.vhosts_dir,
    paths.secrets_dir,
    config.ssl.directory,
    config.file,
    join(dirname(config.file), 'setup.token'),
  ]
  if (options.purge) mustHoldNoMounts(removed, kept)
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
  try {
    const undone = await undoQuotas(paths.state_dir)
    if (undone !== null) print(undone)
  } catch (error) {
    print(`Disk quotas of the kernel stay as they are (docs/limits.md): ${String(error)}`)
  }
  // They stay as users of the machine like all others.
  const log = { info: () => undefined, warn: print, error: print }
  await createUserManagers(log).keepOutAll([])
  const { config_file: configFile } = config.ssh
  await removeDropIn({ sshd: SSHD, configFile, owner: paths.state_dir }, { ...quiet, warn: print })
  // It names a certificate that goes, and without it the server would not start again.
  await leaveDropIn(SYSTEM_MARIADB).catch((error: unknown) =>
    print(`MariaDB was not restarted without Berth's certificate: ${String(error)}`),
  )
  // Without their jails they would be further names of the accounts, with passwords of their own. Forced: programs of the account bear their uid.
  for (const name of folderUserNames(readFileSync('/etc/passwd', 'utf8'), paths.home_base))
    await runCommand('/usr/sbin/userdel', ['--force', '--', name])
  for (const path of removed) removeAllBut(path, kept)
  const directory = dirname(config.file)
  if (readdirSync(directory).length === 0) rmSync(directory, { recursive: true })
  const users = [PANEL_USER, WEB_USER, BACKUP_USER, TOOL_USER, MAIL_USER, LINK_USER]
  for (const user of users) await runCommand('/usr/sbin/userdel', ['--', user])
  const ofLogins = [JAILED_GROUP, PASSWORD_GROUP, READ_ONLY_GROUP, SHELL_GROUP, BOUND_GROUP]
  for (const group of [CONF_GROUP, ...ofLogins, ...users])
    await runCommand('/usr/sbin/groupdel', ['--', group])
  const what =
    backups.length === 0
      ? 'settings, records, databases, backups and logs are removed'
      : `settings, records, databases and logs are removed. The backups stay: ${backups.join(', ')}`
  print(
    `Berth is uninstalled and its ${what}. Homes in ${paths.home_base} and their system users stay; so do Debian packages.`,
  )
}
