import { dirname, join } from 'node:path'
import { unavailable } from '#handlers/errors.ts'
import type { SftpPort } from '#handlers/ports/host/sftp.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HostAccount } from '../accounts/account-host.ts'
import type { AccountLock, RegisteredAccount } from '../registry/types.ts'
import { hostKeysOf } from './host-keys.ts'
import { createVerify } from './verify-log-ins.ts'
import { installDropIn, type DropInOptions } from '../../sshd/install-drop-in.ts'
import { endSessions } from './jail-sessions.ts'
import { createJails } from './jails.ts'
import { createFolderJails, FILES } from './users/folder-jails.ts'
import { createFolderUsers } from './users/folder-users.ts'
import { createUserRecords } from './users/user-records.ts'
import { createKeyFiles } from './key-files.ts'
import { createChangedSites } from './sessions/changed-sites.ts'
import { createFailedLogins } from './sessions/failed-logins.ts'
import { createLoginJournal } from './sessions/login-journal.ts'
import { createSessionLogs, type Caller } from './sessions/session-logs.ts'
import type { SessionMessage } from './sessions/read-message.ts'
import { loginDifferences } from './login-differences.ts'
import {
  ensureLoginGroups,
  isBoundLogin,
  jailLogins,
  setBoundLogin,
  setPasswordLogin,
} from './login-groups.ts'
import { repositoryKeys } from '../../sshd/render-drop-in.ts'
import { createShells } from './shells/shells.ts'
import { changedSince } from './shells/changed-files.ts'
import { isConnectionOf } from './shells/session-processes.ts'
import { valuesOf, type SshdSettings } from '../../sshd/sshd-settings.ts'
import { listeningInodes } from '../../process/ports/listening-inodes.ts'
import { knownAccount } from '../registry/known-account.ts'

export interface SftpDeps {
  registry: {
    account(username: string): RegisteredAccount | null
    accounts(): RegisteredAccount[]
    vhostsOf(username: string): VirtualHostSpec[]
  }
  /** Somebody logged in, whose processes sshd has begun. */
  began?: (username: string) => void
  /** Something was pushed to the repository of an account's application; `caller` waits to be told what becomes of it. */
  pushed?: (username: string, name: string, branch: string, caller: Caller) => void
  /** Makes the pages of a site new. */
  purge(domain: string): Promise<unknown>
  lock: AccountLock
  /** Null: there is none here, and `off` says why. */
  dropIn: Omit<DropInOptions, 'log'> | null
  /** Where keys lie even so, from a time when there was; default: nowhere. */
  keys?: string
  off: string
  /** Name that owners connect to. */
  host: string | null
  /** Holds the `/tmp` of each account. */
  tmp: string
  /** Directories with sockets of database servers, which a shell reaches. */
  sockets: readonly string[]
  /** The binary of PHP on the command line; null: there is none. */
  phpBinary(version: string | null): Promise<string | null>
  log: Log
}

/** How often it is looked whether folders are where they were. */
const LOOK_EVERY_MS = 5000

/** What happens to an account, and what it means for its log-ins. */
export interface SftpHooks {
  /** A new account, or one whose suspension is lifted. */
  open(account: HostAccount): Promise<void>
  close(account: HostAccount): Promise<void>
  remove(account: HostAccount): Promise<void>
}

/** SFTP for the accounts of the registry, at the machine's sshd; see `SftpPort`. */
export const createSftpPort = (
  deps: SftpDeps,
): SftpPort & { hooks: SftpHooks; start(): Promise<void>; stop(): Promise<void> } => {
  const { registry, lock, log, dropIn } = deps
  const keys = dropIn?.places.keys ?? deps.keys ?? null
  const jails = createJails(dirname(dropIn?.places.jails ?? '/'))
  const sites = createChangedSites({
    sitesOf: (username) => registry.vhostsOf(username),
    purge: (domain) => deps.purge(domain),
    log,
  })
  const journal =
    dropIn === null
      ? null
      : createLoginJournal(join(dirname(dropIn.places.keys), 'logins.json'), () => Date.now())
  const failures =
    dropIn === null
      ? null
      : createFailedLogins(join(dirname(dropIn.places.keys), 'failed-logins.json'))
  /** Users for one folder that are listened to, and whose they are. */
  const owners = new Map<string, HostAccount>()
  const hear = (login: string, message: SessionMessage): void => {
    const owner = owners.get(login)
    const username = owner?.username ?? login
    journal?.note(username, login, message)
    if (message.kind === 'opened' || message.kind === 'began')
      deps.began?.(owner?.username ?? username)
    if (message.kind === 'opened')
      log.info('an account logged in over SFTP', { username, login, address: message.address })
    if (message.kind === 'changed' || (message.kind === 'moved' && message.writtenBytes > 0))
      sites.note(username, placesOf(owner, login, message.paths))
    if (message.kind === 'closed') sites.flush(username)
  }
  const logs = createSessionLogs(hear)
  /** In a room the account itself can say anything, so who begins is looked at. */
  const shellLogs = createSessionLogs((username, message, caller) => {
    if (message.kind === 'pushed') {
      if (deps.pushed === undefined) caller.end()
      else deps.pushed(username, message.name, message.branch, caller)
      return
    }
    if (message.kind === 'began') {
      const uid = registry.account(username)?.uid
      if (uid === undefined || !isConnectionOf(uid, message.process)) return
      shells.began(username)
      log.info('an account with a shell logged in', { username })
    }
    hear(username, message)
    if (message.kind === 'ended') shells.ended(username)
  })
  const files = createKeyFiles(keys ?? '/')
  const repositories = createKeyFiles(repositoryKeys(keys ?? '/'))
  const folderJails = createFolderJails(() => jails.room())
  const users = createFolderUsers({
    jails: folderJails,
    files,
    records: createUserRecords(join(dirname(keys ?? '/'), 'users')),
    async listen(account, name) {
      const jail = jails.pathOf(name)
      owners.set(name, account)
      if (jail !== null) await logs.listen(name, join(jail, 'dev'))
    },
    async endSessions({ uid }, name) {
      const jail = jails.pathOf(name)
      if (jail !== null) await endSessions(new Set([uid]), jail)
      logs.end(name)
    },
    log,
  })
  /** What a user for one folder calls its places, as they lie in the home. */
  const placesOf = (
    owner: HostAccount | undefined,
    login: string,
    paths: readonly string[] | null,
  ): readonly string[] | null => {
    if (owner === undefined || paths === null) return paths
    const folder = users.folderOf(owner.username, login)
    return folder === null
      ? null
      : paths.map((path) => path.replace(new RegExp(`^${FILES}(?=/|$)`), `${owner.home}/${folder}`))
  }
  const shells = createShells({
    room: () => jails.room(),
    account: (username) => registry.account(username),
    ...{ tmp: deps.tmp, sockets: deps.sockets, log },
    phpBinary: (version) => deps.phpBinary(version),
    records: join(dirname(keys ?? '/'), 'shells'),
    listen: (username, directory) => shellLogs.listen(username, directory),
    unlisten: (username) => shellLogs.end(username),
    verify: (username) => verify.account(username),
    async renewPages(account, sinceMs) {
      const roots = registry.vhostsOf(account.username).map(({ root }) => root)
      const changed = await changedSince(account, roots, sinceMs)
      if (changed.length === 0) return
      sites.note(account.username, changed)
      sites.flush(account.username)
    },
  })
  let reason: string | null = dropIn === null ? deps.off : 'SFTP is being set up.'
  let settings: SshdSettings = []

  const verify = createVerify(dropIn, {
    hasShell: (username) => shells.pathOf(username) !== null,
    isBound: isBoundLogin,
  })
  const openJail = async (account: HostAccount): Promise<void> => {
    await jails.open(account)
    const jail = jails.pathOf(account.username)
    if (jail !== null) await logs.listen(account.username, join(jail, 'dev'))
  }
  const closeJail = (account: HostAccount): Promise<void> => {
    logs.end(account.username)
    return jails.close(account)
  }
  const open = async (account: HostAccount): Promise<void> => {
    await jailLogins(account.username)
    await openJail(account)
    for (const one of [files, repositories]) one.release(account.username)
    await users.open(account)
    const registered = registry.account(account.username)
    if (registered !== null) await shells.open(registered)
    await verify.account(account.username)
  }
  const sessionsEnded = (): Promise<void> =>
    endSessions(new Set(registry.accounts().map(({ uid }) => uid))).catch((error: unknown) =>
      log.error('sessions of accounts were not ended', { error: String(error) }),
    )
  /** Log-ins are closed by the system's user as well: what fails here must not keep an account from being made. */
  const careful = async (what: string, account: HostAccount, work: () => Promise<void>) => {
    if (keys === null) return
    await work().catch((error: unknown) =>
      log.error(what, { username: account.username, error: String(error) }),
    )
  }
  const hooks: SftpHooks = {
    open: (account) =>
      careful('an account could not be given SFTP', account, async () => {
        if (reason === null) await open(account)
      }),
    // Also where SFTP is switched off: what was made before would be open again with it, or
    // for whoever gets the name next. What one of them cannot close keeps no other open.
    async close(account) {
      await careful('the log-ins of an account could not be closed', account, async () => {
        for (const one of [files, repositories]) one.hold(account.username)
        await closeJail(account)
      })
      await careful('the shell of an account could not be closed', account, () =>
        shells.close(account),
      )
      await careful('users of an account could not be closed', account, () => users.close(account))
    },
    async remove(account) {
      await careful('the jail of an account could not be removed', account, async () => {
        for (const one of [files, repositories]) one.forget(account.username)
        journal?.forget(account.username)
        await closeJail(account)
      })
      await careful('the shell of an account could not be removed', account, () =>
        shells.remove(account),
      )
      await careful('users of an account could not be removed', account, () =>
        users.remove(account),
      )
    },
  }

  const renewShells = async (): Promise<void> => {
    shells.refresh()
    for (const username of shells.usernames()) await lock(username, () => shells.renew(username))
  }
  /** A folder that was moved or replaced is no longer the one that was meant. */
  const look = (): void => {
    renewShells().catch((error: unknown) =>
      log.error('rooms of shells are not as they should be', { error: String(error) }),
    )
    for (const name of folderJails.moved()) {
      const username = owners.get(name)?.username ?? ''
      void lock(username, async () => {
        const account = registry.account(username)
        if (account === null || account.suspended || !folderJails.moved().includes(name)) return
        await users.renew(account, name)
      }).catch((error: unknown) =>
        log.error('a folder that was moved is still shown', { name, error: String(error) }),
      )
    }
  }
  let looking: NodeJS.Timeout | undefined

  return {
    hooks,
    async start() {
      if (dropIn === null) return
      try {
        await ensureLoginGroups()
        // Of an agent before this one, which took their jails with it.
        if (settings.length === 0) await sessionsEnded()
        if (jails.begin()) {
          for (const one of [logs, shellLogs]) one.endAll()
          folderJails.forgetAll()
          shells.forgetAll()
        }
        settings = await installDropIn({ ...dropIn, log })
        reason = null
        looking ??= setInterval(look, LOOK_EVERY_MS).unref()
        verify.forget()
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error)
        log.error('there is no SFTP for accounts', { reason })
        for (const one of [logs, shellLogs]) one.endAll()
        shells.forgetAll()
        jails.end()
        return
      }
      for (const { username } of registry.accounts())
        await lock(username, async () => {
          const account = registry.account(username)
          if (account !== null && !account.suspended) await hooks.open(account)
        })
    },
    async stop() {
      if (dropIn === null) return
      reason = 'Berth is stopping.'
      clearInterval(looking)
      looking = undefined
      await sessionsEnded()
      for (const one of [logs, shellLogs]) one.endAll()
      folderJails.forgetAll()
      shells.forgetAll()
      jails.end()
      journal?.close()
    },
    async details() {
      const { host } = deps
      if (reason !== null)
        return { available: false, reason, host, ports: [], silentPorts: [], hostKeys: [] }
      const own = dropIn?.port ? [dropIn.port] : []
      const ports = [...new Set([...own, ...valuesOf(settings, 'port').map(Number)])]
      const silentPorts = ports.filter((port) => listeningInodes(port).size === 0)
      const hostKeys = await hostKeysOf(settings)
      return { available: true, reason, host, ports, silentPorts, hostKeys }
    },
    setLogins: ({ username, passwords, keys, repositoryKeys = [], users: wanted, shell, git }) =>
      lock(username, async () => {
        const account = knownAccount(registry, username)
        if (reason !== null) throw unavailable(`There is no SFTP on this host: ${reason}`)
        const isBound = repositoryKeys.length > 0
        // Keys without a command of their own are read only where sshd forces one.
        if (!isBound) {
          await setBoundLogin(username, false)
          repositories.write(account, [], account.suspended)
        }
        files.write(account, keys, account.suspended, { terminal: shell, command: isBound })
        await jailLogins(username)
        await setBoundLogin(username, isBound)
        await setPasswordLogin(username, passwords)
        await users.set(account, wanted, account.suspended)
        if (!account.suspended) await openJail(account)
        await shells.set(account, shell ? 'shell' : git === true ? 'git' : null)
        if (!account.suspended) await verify.account(username)
        // Last: sshd has said that their commands count.
        if (isBound)
          repositories.write(account, repositoryKeys, account.suspended, { command: true })
      }),
    loginDifferences: (wanted) =>
      lock(wanted.username, async () => {
        const account = knownAccount(registry, wanted.username)
        if (reason !== null) throw unavailable(`There is no SFTP on this host: ${reason}`)
        const names = users.problems(account).map(({ name }) => name)
        return loginDifferences({ files, repositories }, account, wanted, names)
      }),
    setUserPassword: ({ username, name, password }) =>
      lock(username, async () => {
        const account = knownAccount(registry, username)
        await users.setPassword(account, name, password)
      }),
    shellProblem: async ({ username }) => ({ problem: shells.problem(username) }),
    userProblems: async ({ username }) => {
      const account = registry.account(username)
      return account === null ? [] : users.problems(account)
    },
    async seenLogins({ after }) {
      if (journal === null) return []
      const failed = await failures?.read().catch((error: unknown) => {
        log.warn('failed log-ins cannot be read', { error: String(error) })
        return []
      })
      for (const one of failed ?? []) {
        const { username } = owners.get(one.username) ?? { username: one.username }
        if (registry.account(username) !== null) journal.fail(username, one)
      }
      return journal.since(after)
    },
  }
}
