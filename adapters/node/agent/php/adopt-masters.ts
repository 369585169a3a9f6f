import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { InstalledPhp } from '../../machine/find-php.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import type { AccountMembers } from './account-members.ts'
import type { HostsWithPhp } from './hosts-with-php.ts'
import { usableModes } from './installations.ts'
import type { DirectoryMasters } from './masters/directory-masters.ts'
import type { MasterPool } from './masters/master-pool.ts'
import { planMaster, type MasterPlanning } from './masters/plan-master.ts'
import { choiceOf, masterName, ownerOfName } from './masters/pool-choice.ts'
import { noteFile, readNote, withDirectorySettings } from './plans/directory-settings.ts'

const isFileText = (path: string, text: string): boolean => {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}

/** Takes over the masters that an earlier agent left and somebody still has a use for; ends the others. */
export const adoptMasters = async (
  pool: Pick<MasterPool, 'adopt'>,
  directoryMasters: Pick<DirectoryMasters, 'adopt'>,
  deps: {
    registry: Pick<Registry, 'account'>
    hosts: HostsWithPhp
    members: AccountMembers
    planning: MasterPlanning
    installed: readonly InstalledPhp[]
  },
): Promise<void> => {
  const { registry, hosts, members, planning, installed } = deps
  const { directories } = planning

  /** The choice of a master that runs for the settings of a directory. */
  const noted = (name: string, account: RegisteredAccount) => {
    const note = readNote(noteFile(directories.config, name), (domain) =>
      hosts.find(domain)?.username === account.username ? account.home : null,
    )
    const php = note && hosts.find(note.domain)?.php
    if (!note || !php) return null
    const own = choiceOf(php, members.versionOf(account.username))
    const choice = withDirectorySettings(own, note.ini)
    return masterName(account.username, choice) === name ? { choice, note } : null
  }

  await pool.adopt(directories.config, (configFile) => {
    const name = basename(configFile, '.conf')
    const account = registry.account(ownerOfName(name) ?? '')
    if (!account || account.suspended) return null
    const own = members
      .choicesOf(account.username)
      .find((one) => masterName(account.username, one) === name)
    const { choice, note } = own ? { choice: own, note: null } : (noted(name, account) ?? {})
    const php = installed.find(({ version }) => version === choice?.version)
    if (!choice || !php || !usableModes(php).includes(choice.mode)) return null
    if (note) directoryMasters.adopt(account.username, name)
    const { plan, text } = planMaster(planning, account, php, choice)
    const member = members.memberOf(account.username, php, choice, note ?? null)
    return { member, plan, current: isFileText(configFile, text) }
  })
}
