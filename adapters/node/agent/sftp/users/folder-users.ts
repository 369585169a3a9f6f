import type { SftpFolderUser } from '#handlers/ports/host/sftp.ts'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HostAccount } from '../../accounts/account-host.ts'
import { passwdTool } from '../../accounts/passwd-tools.ts'
import type { KeyFiles } from '../key-files.ts'
import { jailLogins, setPasswordLogin, setReadOnlyLogin } from '../login-groups.ts'
import { aliasesOf, isAliasName, makeAlias, removeAlias } from './alias-users.ts'
import type { FolderJails } from './folder-jails.ts'
import type { FolderUser, UserRecords } from './user-records.ts'

/** Users of accounts for one folder of the home each. Whoever calls holds the account's lock. */
export interface FolderUsers {
  /** Makes these the users of an account, and no others. */
  set(account: HostAccount, users: readonly SftpFolderUser[], held: boolean): Promise<void>
  setPassword(account: HostAccount, name: string, password: string): Promise<void>
  /** Why one gets nowhere; null: it does. */
  problems(account: HostAccount): { name: string; problem: string | null }[]
  open(account: HostAccount): Promise<void>
  /** Of one whose folder is not where it was: looks for it again, and ends who is in. */
  renew(account: HostAccount, name: string): Promise<void>
  close(account: HostAccount): Promise<void>
  remove(account: HostAccount): Promise<void>
  /** Where the folder of a user lies, below the home; null: there is no such user. */
  folderOf(account: string, name: string): string | null
}

interface Deps {
  jails: FolderJails
  files: KeyFiles
  records: UserRecords
  /** Hears what sessions in the jail of that user say. */
  listen(account: HostAccount, name: string): Promise<void>
  /** Hears nothing more, and ends who is in. */
  endSessions(account: HostAccount, name: string): Promise<void>
  log: Log
}

/** chage(1): long ago, and never. */
const EXPIRY = { over: '1', none: '' }

/** One after the other, all of them; then throws what failed first. */
const forEach = async (
  names: readonly string[],
  work: (name: string) => Promise<void>,
): Promise<void> => {
  const failures: unknown[] = []
  for (const name of names) await work(name).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

export const createFolderUsers = (deps: Deps): FolderUsers => {
  const { jails, files, records, log } = deps
  const troubles = new Map<string, string>()
  const expire = (name: string, when: keyof typeof EXPIRY): Promise<void> =>
    passwdTool('usermod', ['--expiredate', EXPIRY[when], '--', name])

  const show = async (account: HostAccount, { name, folder }: FolderUser): Promise<void> => {
    try {
      await jails.open(account, name, folder)
      await deps.listen(account, name)
      troubles.delete(name)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (!troubles.has(name)) log.warn('a user of an account sees no folder', { name, problem })
      troubles.set(name, problem)
      await deps.endSessions(account, name)
      await jails.close(name)
    }
  }
  const hide = async (account: HostAccount, name: string): Promise<void> => {
    await deps.endSessions(account, name)
    await jails.close(name)
    troubles.delete(name)
  }
  const drop = async (account: HostAccount, name: string): Promise<void> => {
    files.forget(name)
    // Before its sessions are ended, or there could be a new one.
    await expire(name, 'over')
    await hide(account, name)
    await removeAlias(account, name)
  }
  const make = async (account: HostAccount, user: SftpFolderUser, held: boolean) => {
    const { name, passwords, readOnly, keys } = user
    await makeAlias(account, name)
    await setReadOnlyLogin(name, readOnly)
    await jailLogins(name)
    await setPasswordLogin(name, passwords)
    files.write({ ...account, username: name }, keys, held)
    await expire(name, held ? 'over' : 'none')
  }
  const check = (account: HostAccount, { name, folder }: FolderUser): void => {
    if (!isAliasName(name, account.username))
      throw invalid('name', `The name must be ${account.username}_ and 1-15 letters and digits.`)
    if (parsePathBelowHome(folder, 'folder') !== folder)
      throw invalid('folder', 'folder must be written without "." and needless "/".')
  }

  return {
    async set(account, users, held) {
      for (const user of users) check(account, user)
      const before = records.of(account.username)
      const wanted = users.map(({ keys: _keys, ...user }) => user)
      const names = new Set(users.map(({ name }) => name))
      const there = await aliasesOf(account)
      for (const name of there) if (!names.has(name)) await drop(account, name)
      records.set(account.username, wanted)
      for (const user of users) {
        const last = before.find(({ name }) => name === user.name)
        // What is taken from somebody must not go on in a session that is open.
        const isOther = last?.folder !== user.folder || last.readOnly !== user.readOnly
        if (last !== undefined && isOther) await hide(account, user.name)
        await make(account, user, held)
        if (!held) await show(account, user)
      }
    },
    async setPassword(account, name, password) {
      if (!(await aliasesOf(account)).includes(name))
        throw notFound(`${account.username} has no user "${name}".`)
      if (/[\n\r\0:]/.test(name)) throw conflict('The name cannot have a password.')
      await passwdTool('chpasswd', [], `${name}:${password}\n`)
    },
    problems: (account) =>
      records
        .of(account.username)
        .map(({ name }) => ({ name, problem: troubles.get(name) ?? null })),
    async open(account) {
      const there = await aliasesOf(account)
      for (const user of records.of(account.username)) {
        if (!there.includes(user.name)) continue
        await show(account, user)
        files.release(user.name)
        await expire(user.name, 'none')
      }
    },
    async renew(account, name) {
      await hide(account, name)
      const user = records.of(account.username).find((one) => one.name === name)
      if (user !== undefined) await show(account, user)
    },
    async close(account) {
      const names = await aliasesOf(account)
      await forEach(names, async (name) => {
        files.hold(name)
        await expire(name, 'over')
      })
      await forEach(names, (name) => hide(account, name))
    },
    async remove(account) {
      const names = await aliasesOf(account)
      for (const { name } of records.of(account.username)) files.forget(name)
      await forEach(names, (name) => drop(account, name))
      records.set(account.username, [])
    },
    folderOf: (account, name) =>
      records.of(account).find((user) => user.name === name)?.folder ?? null,
  }
}
