import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { FakeCertificates } from './certificates/fake-certificates.ts'
import { createFakeCertificates } from './certificates/fake-certificates.ts'
import { createFakeAccountUse, type FakeAccountUse } from './fake-account-use.ts'
import type { FakeApplications } from './fake-applications.ts'
import { createFakeApplications } from './fake-applications.ts'
import type { FakeBackups } from './backups/fake-backups.ts'
import { createFakeBackups } from './backups/fake-backups.ts'
import type { FakeCron } from './fake-cron.ts'
import { createFakeCron } from './fake-cron.ts'
import type { FakeDatabaseCopies } from './backups/fake-database-copies.ts'
import { createFakeDatabaseCopies } from './backups/fake-database-copies.ts'
import type { FakeDatabaseTool } from './backups/fake-database-tool.ts'
import { createFakeDatabaseTool } from './backups/fake-database-tool.ts'
import type { DatabaseUsersPort } from '#handlers/ports/host/databases/database-users.ts'
import type { FakeDatabaseRemote } from './databases/fake-database-remote.ts'
import { createFakeDatabaseRemote } from './databases/fake-database-remote.ts'
import { createFakeDatabaseUsers } from './databases/fake-database-users.ts'
import type { FakeDatabases } from './fake-databases.ts'
import { createFakeDatabases } from './fake-databases.ts'
import { createFakeDnsAccess, type FakeDnsAccess } from './certificates/fake-dns-access.ts'
import type { FakeFiles } from './fake-files.ts'
import { createFakeFiles } from './fake-files.ts'
import type { FakeHooks } from './fake-hooks.ts'
import { createFakeHooks } from './fake-hooks.ts'
import type { FakeImports } from './backups/fake-imports.ts'
import { createFakeImports } from './backups/fake-imports.ts'
import type { FakeSnapshots } from './backups/fake-snapshots.ts'
import { createFakeSnapshots } from './backups/fake-snapshots.ts'
import type { FakeInspection } from './fake-inspection.ts'
import { createFakeInspection } from './fake-inspection.ts'
import type { FakeLogs } from './fake-logs.ts'
import { createFakeLogs } from './fake-logs.ts'
import type { FakeMachine } from './fake-machine.ts'
import { createFakeMachine } from './fake-machine.ts'
import { createFakeMoves } from './backups/fake-moves.ts'
import type { FakeMail } from './mail/fake-mail.ts'
import { createFakeMail } from './mail/fake-mail.ts'
import type { FakePageCache } from './cache/fake-page-cache.ts'
import { createFakeCachePlugin, type FakeCachePlugin } from './cache/fake-cache-plugin.ts'
import { createFakePageCache } from './cache/fake-page-cache.ts'
import type { FakePhp } from './fake-php.ts'
import { createFakePhp } from './fake-php.ts'
import type { FakeSftp } from './sftp/fake-sftp.ts'
import { createFakeSftp } from './sftp/fake-sftp.ts'
import { createFakeSystem } from './fake-system.ts'
import type { FakeTargets } from './backups/fake-targets.ts'
import { createFakeTargets } from './backups/fake-targets.ts'
import type { FakeUsers } from './fake-users.ts'
import { createFakeUsers } from './fake-users.ts'
import type { FakeWebServer } from './fake-web-server.ts'
import { createFakeWebServer } from './fake-web-server.ts'
import { createFakeFrontSites, type FakeFrontSites } from './web/fake-front-sites.ts'
import { createFakeWebChannel } from './web/fake-web-channel.ts'
import { createFakeOperations } from './operations.ts'
import { createFakeWordpressCopy, type FakeWordpressCopy } from './wordpress/fake-wordpress-copy.ts'
import {
  createFakeWordpressInstall,
  type FakeWordpressInstall,
} from './wordpress/fake-wordpress-install.ts'
import {
  createFakeWordpressLogin,
  type FakeWordpressLogin,
} from './wordpress/fake-wordpress-login.ts'
import {
  createFakeWordpressExtensions,
  type FakeWordpressExtensions,
} from './wordpress/fake-wordpress-extensions.ts'
import { createFakeWordpressCare, type FakeWordpressCare } from './wordpress/fake-wordpress-care.ts'
import {
  createFakeWordpressUpdate,
  type FakeWordpressUpdate,
} from './wordpress/fake-wordpress-update.ts'
import { createFakeWordpress, type FakeWordpress } from './wordpress/fake-wordpress.ts'

/** Where a call is to fail: before it did anything, or after it did everything (the answer is lost). */
export interface Fault {
  /** `<port>.<method>`, e.g. `users.create`. */
  method: string
  when: 'before' | 'after'
  error: Error
  /** How often. Default 1. */
  times?: number
}

export interface FakeHost {
  /** The ports, with faults and a record of calls. */
  ports: HostPorts
  users: FakeUsers
  files: FakeFiles
  databases: FakeDatabases
  databaseUsers: DatabaseUsersPort
  databaseRemote: FakeDatabaseRemote
  databaseCopies: FakeDatabaseCopies
  databaseTool: FakeDatabaseTool
  backups: FakeBackups
  imports: FakeImports
  snapshots: FakeSnapshots
  targets: FakeTargets
  certificates: FakeCertificates
  dnsAccess: FakeDnsAccess
  accountUse: FakeAccountUse
  php: FakePhp
  cron: FakeCron
  applications: FakeApplications
  sftp: FakeSftp
  mail: FakeMail
  webServer: FakeWebServer
  frontSites: FakeFrontSites
  pageCache: FakePageCache
  cachePlugin: FakeCachePlugin
  wordpress: FakeWordpress
  wordpressInstall: FakeWordpressInstall
  wordpressLogin: FakeWordpressLogin
  wordpressCare: FakeWordpressCare
  wordpressUpdate: FakeWordpressUpdate
  wordpressCopy: FakeWordpressCopy
  wordpressExtensions: FakeWordpressExtensions
  inspection: FakeInspection
  machine: FakeMachine
  logs: FakeLogs
  hooks: FakeHooks
  /** `<port>.<method>` of every call, in order. */
  calls: string[]
  inject(fault: Fault): void
  clearFaults(): void
}

/** A host held in memory that behaves as the ports promise. */
export const createFakeHost = (options: { homeBase?: string } = {}): FakeHost => {
  const operations = createFakeOperations()
  const files = createFakeFiles()
  const users = createFakeUsers(
    operations,
    options.homeBase ?? '/home',
    (user, primaryDomain) => files.makeHome(user.username, primaryDomain),
    (username) => {
      files.trees.delete(username)
      certificates.forget(username)
      dnsAccess.kept.delete(username)
      accountUse.used.delete(username)
      applications.forget(username)
      databaseRemote.addresses.delete(username)
      sftp.logins.delete(username)
      for (const all of [databases.made, databases.users])
        for (const [key, one] of all) if (one.username === username) all.delete(key)
      for (const [domain, spec] of webServer.hosts)
        if (spec.username === username) webServer.hosts.delete(domain)
      mail.messages = mail.messages.filter((one) => one.username !== username)
    },
  )
  const databases = createFakeDatabases(operations, (username) => users.made.has(username))
  const databaseUsers = createFakeDatabaseUsers(
    operations,
    databases,
    (username) => users.made.get(username)?.suspended ?? null,
  )
  const databaseRemote = createFakeDatabaseRemote(operations, (username) =>
    users.made.has(username),
  )
  const php = createFakePhp(operations, (username) => users.made.has(username))
  const stateOf = (username: string): 'active' | 'suspended' | null => {
    const made = users.made.get(username)
    return made === undefined ? null : made.suspended ? 'suspended' : 'active'
  }
  const applications = createFakeApplications(stateOf)
  const cron = createFakeCron(stateOf, applications.fetched)
  const sftp = createFakeSftp((username) => users.made.has(username))
  const mail = createFakeMail()
  const backups = createFakeBackups({
    hasAccount: (username) => users.made.has(username),
    databases: (username) =>
      [...databases.made.values()]
        .filter((one) => one.username === username)
        .map(({ engine, database }) => ({ engine, database })),
  })
  const databaseCopies = createFakeDatabaseCopies({
    isSuspended: (username) => users.made.get(username)?.suspended ?? null,
    has: ({ username, engine, database }) =>
      databases.made.get(`${engine}:${database}`)?.username === username,
    files,
    backups,
  })
  const databaseTool = createFakeDatabaseTool({
    isSuspended: (username) => users.made.get(username)?.suspended ?? null,
    has: ({ username, engine, database }) =>
      databases.made.get(`${engine}:${database}`)?.username === username,
  })
  const snapshots = createFakeSnapshots({
    hasAccount: (username) => users.made.has(username),
    places: () => ['local', ...backups.configured.map(({ name }) => name)],
    databases: (username) =>
      [...databases.made.values()]
        .filter((one) => one.username === username)
        .map(({ engine, database }) => ({ engine, database })),
  })
  const webServer = createFakeWebServer((username) => users.made.get(username)?.home ?? null)
  const frontSites = createFakeFrontSites()
  const accountUse = createFakeAccountUse((username) => users.made.has(username))
  const dnsAccess = createFakeDnsAccess((username) => users.made.has(username))
  const pageCache = createFakePageCache(() => webServer.hosts)
  const cachePlugin = createFakeCachePlugin(
    () => webServer.hosts,
    (domain) => pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' }),
  )
  const wordpress = createFakeWordpress((username) => users.made.has(username))
  const wordpressInstall = createFakeWordpressInstall(operations, wordpress)
  const wordpressLogin = createFakeWordpressLogin(wordpress)
  const wordpressCare = createFakeWordpressCare(wordpress)
  const wordpressUpdate = createFakeWordpressUpdate(wordpress)
  const wordpressCopy = createFakeWordpressCopy(operations, wordpress)
  const wordpressExtensions = createFakeWordpressExtensions(wordpress, wordpressUpdate)
  const certificates = createFakeCertificates(
    operations,
    (domain) => webServer.hosts.get(domain),
    (username) => users.made.get(username)?.home ?? null,
    (username, name) => dnsAccess.covers(username, name),
  )
  const imports = createFakeImports({
    hasAccount: (username) => users.made.has(username),
    issue: (input) =>
      certificates.issue({
        ...input,
        names: [input.domain],
        by_dns: [],
        replaces: null,
        webroot: null,
      }),
  })
  const targets = createFakeTargets(backups)
  const inspection = createFakeInspection({
    ...{ users, databases, databaseRemote, backups, certificates, webServer },
  })
  const machine = createFakeMachine()
  const logs = createFakeLogs()
  const hooks = createFakeHooks()
  const calls: string[] = []
  let faults: (Fault & { left: number })[] = []

  const strike = (method: string, when: Fault['when']): void => {
    const fault = faults.find((one) => one.method === method && one.when === when && one.left > 0)
    if (fault === undefined) return
    fault.left--
    throw fault.error
  }

  const watched = <T extends object>(port: string, target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name)
        if (typeof member !== 'function') return member
        const method = `${port}.${String(name)}`
        return async (input: unknown): Promise<unknown> => {
          calls.push(method)
          strike(method, 'before')
          const result: unknown = await Reflect.apply(member, object, [input])
          strike(method, 'after')
          return result
        }
      },
    })

  return {
    ports: {
      users: watched('users', users),
      files: watched('files', files),
      databases: watched('databases', databases),
      databaseUsers: watched('databaseUsers', databaseUsers),
      databaseRemote: watched('databaseRemote', databaseRemote),
      databaseCopies: watched('databaseCopies', databaseCopies),
      databaseTool: watched('databaseTool', databaseTool),
      backups: watched('backups', backups),
      imports: watched('imports', imports),
      snapshots: watched('snapshots', snapshots),
      targets: watched('targets', targets),
      certificates: watched('certificates', certificates),
      dnsAccess: watched('dnsAccess', dnsAccess),
      accountUse: watched('accountUse', accountUse),
      php: watched('php', php),
      cron: watched('cron', cron),
      applications: watched('applications', applications),
      sftp: watched('sftp', sftp),
      outgoingMail: watched('outgoingMail', mail.outgoingMail),
      mailQueue: watched('mailQueue', mail.mailQueue),
      webServer: watched('webServer', webServer),
      frontSites: watched('frontSites', frontSites),
      webChannel: watched('webChannel', createFakeWebChannel()),
      pageCache: watched('pageCache', pageCache),
      cachePlugin: watched('cachePlugin', cachePlugin),
      wordpress: watched('wordpress', wordpress),
      wordpressInstall: watched('wordpressInstall', wordpressInstall),
      wordpressLogin: watched('wordpressLogin', wordpressLogin),
      wordpressCare: watched('wordpressCare', wordpressCare),
      wordpressUpdate: watched('wordpressUpdate', wordpressUpdate),
      wordpressCopy: watched('wordpressCopy', wordpressCopy),
      wordpressExtensions: watched('wordpressExtensions', wordpressExtensions),
      system: watched('system', createFakeSystem()),
      inspection: watched('inspection', inspection),
      machine: watched('machine', machine),
      logs: watched('logs', logs),
      hooks: watched('hooks', hooks),
      moves: watched(
        'moves',
        createFakeMoves(files, (username) => users.made.has(username)),
      ),
    },
    users,
    files,
    databases,
    databaseUsers,
    databaseRemote,
    databaseCopies,
    databaseTool,
    backups,
    imports,
    snapshots,
    targets,
    certificates,
    dnsAccess,
    accountUse,
    php,
    cron,
    applications,
    sftp,
    mail,
    webServer,
    frontSites,
    pageCache,
    cachePlugin,
    wordpress,
    wordpressInstall,
    wordpressLogin,
    wordpressCare,
    wordpressUpdate,
    wordpressCopy,
    wordpressExtensions,
    inspection,
    machine,
    logs,
    hooks,
    calls,
    inject: (fault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    clearFaults: () => {
      faults = []
    },
  }
}
