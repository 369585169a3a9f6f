import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fingerprintOf, parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { notFound, unavailable } from '#handlers/errors.ts'
import type { SftpDetails, SftpPort } from '#handlers/ports/host/sftp.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HostAccount } from '../accounts/account-host.ts'
import type { AccountLock, RegisteredAccount } from '../registry/types.ts'
import { installDropIn, type DropInOptions } from '../../sshd/install-drop-in.ts'
import { endSessions } from './jail-sessions.ts'
import { createJails } from './jails.ts'
import { createKeyFiles } from './key-files.ts'
import { createChangedSites } from './sessions/changed-sites.ts'
import { createLoginJournal } from './sessions/login-journal.ts'
import { createSessionLogs } from './sessions/session-logs.ts'
import { ensureLoginGroups, jailLogins, setPasswordLogin } from './login-groups.ts'
import { JAILED_GROUP } from '../../sshd/render-drop-in.ts'
import { createSshdConfig, valuesOf, type SshdSettings } from '../../sshd/sshd-settings.ts'

export interface SftpDeps {
  registry: {
    account(username: string): RegisteredAccount | null
    accounts(): RegisteredAccount[]
    vhostsOf(username: string): VirtualHostSpec[]
  }
  /** Makes the pages of a site new. */
  purge(domain: string): Promise<unknown>
  lock: AccountLock
  /** Null: there is none here, and `off` says why. */
  dropIn: Omit<DropInOptions, 'log'> | null
  off: string
  /** Name that owners connect to. */
  host: string | null
  log: Log
}

/** What happens to an account, and what it means for its log-ins. */
export interface SftpHooks {
  /** A new account, or one whose suspension is lifted. */
  open(account: HostAccount): Promise<void>
  close(account: HostAccount): Promise<void>
  remove(account: HostAccount): Promise<void>
}

const hostKeysOf = async (settings: SshdSettings): Promise<SftpDetails['hostKeys']> => {
  const files = valuesOf(settings, 'hostkey').map((file) => `${file}.pub`)
  const keys = files
    .filter((file) => existsSync(file))
    .map((file) => parsePublicKey(readFileSync(file, 'utf8')))
  return Promise.all(
    keys.flatMap((key) =>
      'fault' in key
        ? []
        : [fingerprintOf(key.blob).then((fingerprint) => ({ type: key.type, fingerprint }))],
    ),
  )
}

/** SFTP for the accounts of the registry, at the machine's sshd; see `SftpPort`. */
export const createSftpPort = (
  deps: SftpDeps,
): SftpPort & { hooks: SftpHooks; start(): Promise<void>; stop(): Promise<void> } => {
  const { registry, lock, log, dropIn } = deps
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
  const logs = createSessionLogs((username, message) => {
    journal?.note(username, username, message)
    if (message.kind === 'opened')
      log.info('an account logged in over SFTP', { username, address: message.address })
    if (message.kind === 'changed' || (message.kind === 'moved' && message.writtenBytes > 0))
      sites.note(username, message.paths)
    if (message.kind === 'closed') sites.flush(username)
  })
  const files = createKeyFiles(dropIn?.places.keys ?? '/')
  let reason: string | null = dropIn === null ? deps.off : 'SFTP is being set up.'
  let settings: SshdSettings = []
  let isVerified = false

  const verify = async (username: string): Promise<void> => {
    if (isVerified || dropIn === null) return
    const own = await createSshdConfig(dropIn.sshd, dropIn.configFile).settings(username)
    const [jail, command] = ['chrootdirectory', 'forcecommand'].map(
      (name) => valuesOf(own, name)[0],
    )
    if (jail !== join(dropIn.places.jails, '%u') || !command?.startsWith('internal-sftp'))
      throw unavailable(
        `${dropIn.configFile} does not keep members of ${JAILED_GROUP} in their jails. Let it begin with: Include /etc/ssh/sshd_config.d/*.conf`,
      )
    isVerified = true
  }
  const openJail = async (account: HostAccount): Promise<void> => {
    await jails.open(account)
    const jail = jails.pathOf(account.username)
    if (jail !== null) await logs.listen(account.username, jail)
  }
  const closeJail = (account: HostAccount): Promise<void> => {
    logs.end(account.username)
    return jails.close(account)
  }
  const open = async (account: HostAccount): Promise<void> => {
    await jailLogins(account.username)
    await openJail(account)
    files.release(account.username)
    await verify(account.username)
  }
  const sessionsEnded = (): Promise<void> =>
    endSessions(new Set(registry.accounts().map(({ uid }) => uid))).catch((error: unknown) =>
      log.error('sessions of accounts were not ended', { error: String(error) }),
    )
  /** Log-ins are closed by the system's user as well: what fails here must not keep an account from being made. */
  const careful = async (what: string, account: HostAccount, work: () => Promise<void>) => {
    if (dropIn === null) return
    await work().catch((error: unknown) =>
      log.error(what, { username: account.username, error: String(error) }),
    )
  }
  const hooks: SftpHooks = {
    open: (account) =>
      careful('an account could not be given SFTP', account, async () => {
        if (reason === null) await open(account)
      }),
    close: (account) =>
      careful('the log-ins of an account could not be closed', account, async () => {
        files.hold(account.username)
        await closeJail(account)
      }),
    remove: (account) =>
      careful('the jail of an account could not be removed', account, async () => {
        files.forget(account.username)
        journal?.forget(account.username)
        await closeJail(account)
      }),
  }

  return {
    hooks,
    async start() {
      if (dropIn === null) return
      try {
        await ensureLoginGroups()
        // Of an agent before this one, which took their jails with it.
        if (settings.length === 0) await sessionsEnded()
        if (jails.begin()) logs.endAll()
        settings = await installDropIn({ ...dropIn, log })
        reason = null
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error)
        log.error('there is no SFTP for accounts', { reason })
        logs.endAll()
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
      await sessionsEnded()
      logs.endAll()
      jails.end()
      journal?.close()
    },
    details: async () => ({
      available: reason === null,
      reason,
      host: deps.host,
      ports:
        reason === null
          ? [
              ...new Set([
                ...(dropIn?.port ? [dropIn.port] : []),
                ...valuesOf(settings, 'port').map(Number),
              ]),
            ]
          : [],
      hostKeys: reason === null ? await hostKeysOf(settings) : [],
    }),
    setLogins: ({ username, passwords, keys }) =>
      lock(username, async () => {
        const account = registry.account(username)
        if (account === null) throw notFound(`There is no account "${username}" on this host.`)
        if (reason !== null) throw unavailable(`There is no SFTP on this host: ${reason}`)
        files.write(account, keys, account.suspended)
        await jailLogins(username)
        await setPasswordLogin(username, passwords)
        if (account.suspended) return
        await openJail(account)
        await verify(username)
      }),
    seenLogins: async ({ after }) => journal?.since(after) ?? [],
  }
}
