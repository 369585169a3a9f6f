import { access, lstat, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Identities } from '../../../process/identities.ts'
import { createHomeDirectories } from '../../accounts/home-directory.ts'
import { createOsAccounts } from '../../accounts/os-accounts.ts'
import { osGroupId, osUser } from '../../accounts/os-names.ts'
import { passwdTool } from '../../accounts/passwd-tools.ts'
import { checkSpec } from '../../domains/check-spec.ts'
import { openVhostFiles } from '../../domains/vhost-files.ts'
import { createAccountFiles } from '../../files/account-files.ts'
import { createDiskUsage } from '../../files/disk-usage-cache.ts'
import { createHelperPool } from '../../files/helper-pool.ts'
import type { OpenRegistry } from '../../registry/registry.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { isAliasName, makeAlias } from '../../sftp/users/alias-users.ts'
import type { ImportJournal } from './import-journal.ts'
import type { Logins } from '../export/logins.ts'

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Makes the accounts of the registry on this machine: users with their uids, hashes and
 * shells, homes, quotas, and the files of their virtual hosts. What is there already
 * and is theirs stays, so that it can be done again after a break.
 */
export const bringAccounts = async (
  journal: ImportJournal,
  config: ServerConfig,
  who: Identities,
  registry: OpenRegistry,
  logins: Logins,
): Promise<void> => {
  const { paths } = config
  const webGid = who.web?.gid ?? null
  const host = createOsAccounts(join(paths.state_dir, 'agent', 'held'))
  const homes = createHomeDirectories(paths.home_base, webGid)
  const helpers = createHelperPool({ asRoot: true })
  const files = createAccountFiles(helpers, createDiskUsage(helpers))

  const bringLogin = async ({ username }: RegisteredAccount): Promise<void> => {
    const login = logins.accounts.find((one) => one.username === username)
    if (login === undefined) {
      journal.skip(`${username} has no password on this machine: the export does not know it`)
      return
    }
    // On standard input: arguments are visible to every user of the machine.
    await passwdTool('chpasswd', ['--encrypted'], `${username}:${login.hash}\n`)
    const shell = await exists(login.shell)
    if (!shell) journal.skip(`${username} does not get the shell ${login.shell}: it is not here`)
    await passwdTool('usermod', [
      ...(shell ? ['--shell', login.shell] : []),
      '--expiredate',
      login.expire_day,
      '--',
      username,
    ])
  }

  /** Closed until the panel tells what they see: then they are in their jail. */
  const bringFolderUsers = async (account: RegisteredAccount): Promise<void> => {
    for (const { name, hash } of logins.folder_users.filter(
      (one) => one.account === account.username,
    )) {
      try {
        if (!isAliasName(name, account.username)) throw new Error('it is none of this account')
        await makeAlias(account, name)
        await passwdTool('usermod', ['--expiredate', '1', '--', name])
        await passwdTool('chpasswd', ['--encrypted'], `${name}:${hash}\n`)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        journal.skip(`the user ${name} has no password on this machine: ${why}`)
      }
    }
  }

  const bringHome = async (account: RegisteredAccount): Promise<void> => {
    if (!(await homes.exists(account))) {
      // Made, but not handed over when an import broke off.
      if ((await lstat(account.home).catch(() => null)) !== null) await rmdir(account.home)
      await homes.create(account)
    }
    if ((await readdir(account.home)).length > 0) return
    const [first] = registry.vhostsOf(account.username)
    await files.populate(account, first?.domain ?? account.username)
  }

  try {
    for (const account of registry.accounts()) {
      const step = `account:${account.username}`
      if (journal.isDone(step)) continue
      if ((await osUser(account.username)) === null) {
        // A group alone is what a break between the two tools leaves.
        if ((await osGroupId(account.username)) === account.gid)
          await passwdTool('groupdel', ['--', account.username])
        await host.createUser(account)
      }
      await bringLogin(account)
      await bringFolderUsers(account)
      await bringHome(account)
      await host.setDiskQuota(account, account.diskQuotaMb)
      journal.markDone(step)
    }
  } finally {
    await helpers.endAll()
  }
  const vhosts = await openVhostFiles(paths.vhosts_dir, webGid)
  for (const spec of registry.vhosts()) {
    try {
      const { text } = checkSpec(spec, registry, config.ssl.directory)
      await vhosts.set(spec.domain, text)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      journal.skip(`the site ${spec.domain} is not served: ${why}`)
    }
  }
}
