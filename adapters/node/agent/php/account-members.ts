import { writeFileSync } from 'node:fs'
import { conflict, notFound } from '#handlers/errors.ts'
import type { InstalledPhp } from '../../machine/find-php.ts'
import { awaitTaskRoom } from '../host/await-task-room.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import type { HostsWithPhp } from './hosts-with-php.ts'
import type { Installations } from './installations.ts'
import type { PoolMember } from './masters/master-pool.ts'
import { planMaster, type MasterPlanning } from './masters/plan-master.ts'
import { choiceOf, masterName } from './masters/pool-choice.ts'
import type { PoolChoice } from './masters/pool-choice.ts'
import { noteFile } from './plans/directory-settings.ts'
import type { DirectoryNote } from './plans/directory-settings.ts'

/** Which masters accounts may have, and how each is made ready. */
export interface AccountMembers {
  /** 404 for an unknown account, 409 for a suspended one. */
  openAccount(username: string): RegisteredAccount
  /** The account's own version, for hosts that name none. */
  versionOf(username: string): string
  /** What the account's virtual hosts with PHP run on. */
  choicesOf(username: string): PoolChoice[]
  /** `note`: the settings of a directory that the master is for; null: it is a virtual host's. */
  memberOf(
    username: string,
    php: InstalledPhp,
    choice: PoolChoice,
    note: DirectoryNote | null,
  ): PoolMember
}

/** See `AccountMembers`; what is known of accounts is asked of the registry at each call. */
export const createAccountMembers = (deps: {
  registry: Pick<Registry, 'account'>
  hosts: HostsWithPhp
  installations: Pick<Installations, 'preferred'>
  planning: MasterPlanning
  ensureDirectory: (username: string, path: string) => Promise<void>
}): AccountMembers => {
  const { registry, hosts, installations, planning } = deps
  const { directories, webGid } = planning

  const openAccount = (username: string): RegisteredAccount => {
    const account = registry.account(username)
    if (!account) throw notFound(`No account named ${username}.`)
    if (account.suspended) throw conflict(`Account ${username} is suspended; its PHP does not run.`)
    return account
  }
  const versionOf = (username: string): string =>
    registry.account(username)?.phpVersion ?? installations.preferred()

  return {
    openAccount,
    versionOf,
    choicesOf: (username) =>
      hosts.of(username).flatMap(({ php }) => (php ? [choiceOf(php, versionOf(username))] : [])),
    memberOf: (username, php, choice, note) => ({
      username,
      version: php.version,
      name: masterName(username, choice),
      prepare: async () => {
        const account = openAccount(username)
        if (webGid !== null) await awaitTaskRoom(account, choice.mode === 'cgi' ? 'node' : 'native')
        await Promise.all(
          ['logs', 'tmp', 'sessions'].map((name) =>
            deps.ensureDirectory(username, `${account.home}/${name}`),
          ),
        )
        const { plan, write } = planMaster(planning, account, php, choice)
        write()
        if (note !== null) {
          const file = noteFile(directories.config, masterName(username, choice))
          writeFileSync(file, JSON.stringify(note), { mode: 0o600 })
        }
        return plan
      },
    }),
  }
}
