import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ReloadedConfig, ServerConfig } from '#handlers/domain/config/config-types.ts'
import { whileDiskFull } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Log } from '#handlers/ports/log.ts'
import { diskSharing } from '../machine/disk-sharing.ts'
import { createFilesystemQuota } from '../machine/filesystem-quota.ts'
import { findUser, TOOL_USER } from '../process/identities.ts'
import type { Identities } from '../process/identities.ts'
import { findGroups } from '../process/account-groups/find-groups.ts'
import { configureAccountRooms } from '../process/account-rooms.ts'
import { productVersion } from '../process/product-version.ts'
import { accountRoomsOf } from './accounts/account-rooms-of.ts'
import { createFrontSitesPort } from './fronts/front-sites-port.ts'
import { createWebChannelPort } from './fronts/web-channel-port.ts'
import { fetchSource } from './applications/git/fetch-source.ts'
import { createPushQueue } from './applications/git/push-queue.ts'
import { createApplicationsPort } from './applications/applications-port.ts'
import { createBackupsPort } from './backups/backups-port.ts'
import { mergeTargets, panelTarget } from './backups/targets/known-target.ts'
import { createTargetFiles, targetsDirectory } from './backups/targets/target-files.ts'
import { createTargetsPort } from './backups/targets/targets-port.ts'
import { createArchiveKeys } from './backups/records/archive-keys.ts'
import { noPasswords, osPasswords } from './backups/records/system-passwords.ts'
import { createCronPort } from './cron/cron-port.ts'
import { createCertificateFiles } from './certificates/certificate-files.ts'
import { createCertificatesPort } from './certificates/certificates-port.ts'
import { createOrderFiles } from './certificates/waiting/order-files.ts'
import { composeDns } from './certificates/dns/compose-dns.ts'
import { createPanelTls } from './certificates/panel-tls.ts'
import { AccountCpu } from './accounts/account-cpu.ts'
import { composeEngines } from './databases/compose-engines.ts'
import { composeAccess } from './databases/remote/compose-access.ts'
import { createDatabasesPort } from './databases/databases-port.ts'
import { keepRights } from './databases/users/keep-rights.ts'
import { createDatabaseToolPort } from './databases/tool/database-tool-port.ts'
import { createToolPhp } from './databases/tool/tool-php.ts'
import { createAccountFiles, createEnsureDirectory } from './files/account-files.ts'
import { createDiskUsage } from './files/disk-usage-cache.ts'
import { createFilesPort } from './files/files-port.ts'
import { createHelperPool, patienceOf } from './files/helper-pool.ts'
import { composeHooks } from './hooks/compose-hooks.ts'
import { createInspectionPort } from './inspection/inspection-port.ts'
import { installationPaths } from './inspection/installation-paths.ts'
import { fullDisks } from './machine/full-disks.ts'
import { createMachinePort } from './machine/machine-port.ts'
import { placesOf } from './machine/places-of.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { createAccountHolds } from './limits/account-holds.ts'
import { settleParts } from './settle-parts.ts'
import { createUserManagers } from '../sshd/user-managers.ts'
import { tellQuotas } from './limits/tell-quotas.ts'
import { createLogFiles } from './logs/log-files.ts'
import { createLogsPort } from './logs/logs-port.ts'
import { createAgentMail } from './mail/mail-port.ts'
import { createMovesPort } from './moves/moves-port.ts'
import { createPhpPort } from './php/php-port.ts'
import type { OpenRegistry } from './registry/registry.ts'
import { createRemoveHosting } from './remove-hosting.ts'
import { createSnapshotKeys } from './snapshots/repository/snapshot-keys.ts'
import { createSnapshotsPort } from './snapshots/snapshots-port.ts'
import { commandLine } from './php/command-line.ts'
import { createSftpPort } from './sftp/sftp-port.ts'
import { sftpOf } from './sftp/sftp-of.ts'
import { createSystemPort } from './host/system-port.ts'
import { createHomeDirectories } from './accounts/home-directory.ts'
import { createOsAccounts } from './accounts/os-accounts.ts'
import { takenIds } from './accounts/os-names.ts'
import { createRootlessAccounts } from './accounts/rootless-accounts.ts'
import { createUsersPort } from './accounts/users-port.ts'
import { createPageCachePort } from './domains/page-cache-port.ts'
import { connectWebControl } from './domains/web-control.ts'
import { frontCertificatesDirectory, frontSitesDirectory } from '../layout/front-directories.ts'
import { linkDirectory } from '../layout/link-directory.ts'
import { obeyedPanels } from '../link-trust/obeyed-panels.ts'
import { createWebServerPort } from './domains/web-server-port.ts'
import type { WebEnsures } from './web-ensure-handler.ts'
import { composeWordpress } from './wordpress/compose-wordpress.ts'
import { createRunInSite } from './wordpress/run-in-site.ts'

/** Everything of the agent but its sockets. */
export interface ComposedHost {
  ports: HostPorts
  /** What the web server may have started. */
  ensures: WebEnsures
  /** What is to be told of a failure: a full disk is named. */
  explain: (error: unknown) => unknown
  /** The configuration was read again. */
  renew(): Promise<void>
  /** Starts our database servers and settles what a crash left open. */
  settle(): Promise<void>
  /** Stops PHP masters, database servers and file helpers, and ends sessions over SFTP. */
  stop(): Promise<void>
}

const ROOTLESS = {
  groups: null,
  reason: 'Berth runs without root, so that all accounts are one user.',
} as const

/** Builds the host's ports for a configuration; as root with OS users, else rootless. `current`: of the configuration as read last; `reread` reads it again and answers the keys that wait for a restart. */
export const composeHostPorts = async (
  config: ServerConfig,
  identities: Identities,
  registry: OpenRegistry,
  log: Log,
  current: () => ReloadedConfig,
  reread: () => Promise<string[]>,
): Promise<ComposedHost> => {
  const { paths } = config
  const { root, web } = identities
  const webGid = web?.gid ?? null
  const backupsDir = join(paths.state_dir, 'backups')
  configureAccountRooms(root ? accountRoomsOf(config, log) : null)
  const diskQuota = createFilesystemQuota(paths.home_base)
  const holds = createAccountHolds({
    registry,
    found: root ? await findGroups(paths.state_dir) : ROOTLESS,
    diskIsHeld: async () => root && (await diskQuota.holds()),
    log,
  })
  const managers = root && existsSync('/run/systemd/system') ? createUserManagers(log) : null
  const places = placesOf(config)
  const explain = (error: unknown): unknown => whileDiskFull(error, fullDisks(places.written))
  const lock = createKeyedMutex()
  const helpers = createHelperPool({
    asRoot: root,
    patience: patienceOf(config.server.worker_start_secs),
  })
  const usage = createDiskUsage(helpers)
  const ensureDirectory = createEnsureDirectory(registry, helpers)

  const remote = composeAccess(config, log)
  const { engines: servers, mariadbSocket } = composeEngines(
    config.databases,
    paths,
    log,
    remote.listener,
  )
  const engines = servers.map((engine) => keepRights(engine, registry))
  const databaseTool = createDatabaseToolPort({
    ...{ registry, lock, engines, log },
    php: createToolPhp({
      directory: join(paths.run_dir, 'database-tool'),
      asRoot: root,
      findUser: () => findUser(TOOL_USER),
      panelGid: identities.panel?.gid ?? null,
    }),
  })
  const databases = createDatabasesPort({
    ...{ registry, lock, engines, log },
    access: remote.access,
    closeSessions: (username) => databaseTool.closeAccount(username),
  })
  const mail = createAgentMail({
    ...{ registry, asRoot: root, log },
    stateDir: paths.state_dir,
    runDir: paths.run_dir,
    config: () => current().mail,
  })
  const php = await createPhpPort({
    registry,
    lock,
    config: config.php,
    runDir: paths.run_dir,
    webGid,
    logDir: join(paths.log_dir, 'php'),
    databaseSocket: () => mariadbSocket,
    sendmailCommand: (username) => mail.sendmailCommand(username),
    ensureDirectory,
    virtualHosts: () => current().virtualhost,
    places: { lswsDirectory: config.php.lsphp_directory },
    maxBodyBytes: config.server.max_body_size,
    log,
  })
  const panels = (): string[] => obeyedPanels(linkDirectory(paths))
  const webServer = await createWebServerPort({
    registry,
    vhostsDir: paths.vhosts_dir,
    socketPath: join(paths.run_dir, 'web.sock'),
    sslDirectory: config.ssl.directory,
    web,
    version: productVersion(),
    ensureDirectory,
    reread,
    panels,
    log,
  })
  const homeFiles = createFilesPort({ registry, helpers, usage })
  const dns = composeDns({
    ...{ registry, lock, log },
    asRoot: root,
    directory: join(paths.state_dir, 'agent', 'dns'),
    mayBeLocal: config.ssl.allow_local_dns,
  })
  const certificates = createCertificatesPort({
    registry,
    lock,
    files: createCertificateFiles(config.ssl.directory, webGid),
    control: connectWebControl(join(paths.run_dir, 'web.sock')),
    homes: homeFiles,
    ensureDirectory,
    panel: config.panel,
    panelTls: createPanelTls(config, identities.panel?.gid ?? null),
    dns,
    accountDir: join(paths.state_dir, 'agent', 'acme'),
    orders: createOrderFiles(join(paths.state_dir, 'agent', 'orders')),
    log,
  })
  const mayBeLocal = config.backups.allow_local_targets
  const targetFiles = createTargetFiles(targetsDirectory(paths))
  const targets = () =>
    mergeTargets(
      current().remote_target,
      targetFiles.list().map((target) => panelTarget(target, mayBeLocal)),
    )
  const archiveKeys = createArchiveKeys(join(paths.state_dir, 'agent', 'archive-keys'))
  const passwords = root ? osPasswords : noPasswords
  const madeBy = `berth ${productVersion()}`
  const snapshots = createSnapshotsPort({
    ...{ registry, lock, engines, passwords, madeBy, archiveKeys, targets, explain, log },
    asRoot: root,
    user: identities.backup,
    keys: createSnapshotKeys(join(paths.state_dir, 'agent', 'snapshot-keys')),
    directory: join(paths.state_dir, 'snapshots'),
    cacheDirectory: join(paths.state_dir, 'snapshot-cache'),
    stateDirectory: paths.state_dir,
    restoreFrom: (...args) => backups.restoreFrom(...args),
  })
  const backups = createBackupsPort({
    registry,
    lock,
    helpers,
    engines,
    asRoot: root,
    keys: archiveKeys,
    passwords,
    uidIsFree: async (uid) => root && !(await takenIds()).has(uid),
    homeBase: paths.home_base,
    certificates,
    fetchSnapshot: (...args) => snapshots.fetch(...args),
    madeBy,
    directory: backupsDir,
    targets,
    explain,
    log,
  })
  const moves = createMovesPort({
    ...{ registry, engines, passwords, certificates, backups, asRoot: root },
  })
  // Without users of their own, accounts cannot be told apart.
  const cpu = root
    ? new AccountCpu({
        uids: () => new Map(registry.accounts().map(({ username, uid }) => [username, uid])),
        nowMs: () => Date.now(),
      })
    : null
  const pageCache = createPageCachePort({
    registry,
    webServer,
    socketPath: join(paths.run_dir, 'web.sock'),
    accountCpu: (domain) => {
      const username = registry.vhost(domain)?.username
      return cpu === null || username === undefined ? null : cpu.read(username)
    },
  })
  const pushes = createPushQueue(join(paths.state_dir, 'agent', 'pushes.json'))
  const sftp = createSftpPort({
    ...{ registry, lock, log, ...sftpOf(config, root) },
    began: (username) => holds.look(username),
    pushed: (...push) => pushes.note(...push),
    purge: (domain) => pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' }),
    phpBinary: async (version) => commandLine(await php.versions(), version)?.binary ?? null,
  })
  const applications = createApplicationsPort({
    ...{ registry, helpers, log },
    asRoot: root,
    runDir: paths.run_dir,
    runtimesDirectory: join(paths.state_dir, 'runtimes'),
    pushes,
  })
  const users = createUsersPort({
    registry,
    lock,
    host: root
      ? createOsAccounts(join(paths.state_dir, 'agent', 'held'))
      : createRootlessAccounts(),
    homes: createHomeDirectories(paths.home_base, webGid),
    files: createAccountFiles(helpers, usage),
    hooks: {
      stopPhp: async (username) => {
        await Promise.all([php.stopAccount(username), applications.stopAccount(username)])
      },
      renewPhp: (username) => php.renewAccount(username),
      holdPrograms: (account) => holds.hold(account),
      releasePrograms: (account) => holds.release(account),
      removeHosting: createRemoveHosting({
        ...{ registry, applications, databases, webServer, certificates, dns },
        forgetExports: (username) => backups.forgetExports(username),
      }),
      openLogins: async (account) => {
        managers?.keepOut(account.uid)
        await sftp.hooks.open(account)
        applications.startAccount(account.username)
        await mail.hooks.change(account)
      },
      closeLogins: async (account) => {
        await sftp.hooks.close(account)
        await mail.hooks.change(account)
      },
      removeLogins: async (account) => {
        await sftp.hooks.remove(account)
        await managers?.letGo(account)
        await mail.hooks.remove(account)
      },
    },
    log,
  })
  const cron = createCronPort({
    registry,
    asRoot: root,
    runDir: paths.run_dir,
    phpVersions: () => php.versions(),
    surroundings: (...of) => applications.surroundings(...of),
    source: (program, asking) =>
      fetchSource(program, asking, config.applications.allow_local_sources),
    programs: mail.programs,
    phpSettings: mail.phpSettings,
    log,
  })
  const wordpress = composeWordpress(config.wordpress, {
    ...{ registry, lock, helpers, usage, pageCache, log },
    files: homeFiles,
    stateDir: paths.state_dir,
    runInSite: createRunInSite({
      asRoot: root,
      phpVersions: () => php.versions(),
      databaseSocket: () => mariadbSocket,
    }),
  })
  const machine = createMachinePort({ registry, engines, runDir: paths.run_dir, ...places })
  return {
    ports: {
      users,
      accountUse: holds.use,
      files: homeFiles,
      php,
      cron,
      applications,
      sftp,
      outgoingMail: mail.outgoingMail,
      mailQueue: mail.mailQueue,
      databases,
      databaseUsers: databases.users,
      databaseRemote: databases.remote,
      databaseCopies: backups.copies,
      databaseTool,
      backups,
      imports: backups.imports,
      snapshots,
      targets: createTargetsPort({ files: targetFiles, known: targets, mayBeLocal, lock }),
      certificates,
      dnsAccess: dns.port,
      webServer,
      frontSites: createFrontSitesPort({
        ...{ registry, webGid, log },
        sitesDir: frontSitesDirectory(paths),
        certificatesDir: frontCertificatesDirectory(paths),
        control: connectWebControl(join(paths.run_dir, 'web.sock')),
      }),
      webChannel: createWebChannelPort({
        stateDir: paths.state_dir,
        reader: web,
        listen: () => config.server.front_listen,
      }),
      pageCache,
      ...wordpress.ports,
      system: createSystemPort({ diskPath: paths.home_base, holds: () => holds.state() }),
      inspection: createInspectionPort({
        registry,
        engines,
        osUsers: root,
        webGid,
        paths: installationPaths(config, identities),
        vhostsDir: paths.vhosts_dir,
        sslDirectory: config.ssl.directory,
        backupsDir,
        phpConfigDir: join(paths.run_dir, 'php-conf'),
        unheld: holds.state().reason,
        unsharedDisk: () => diskSharing(paths.home_base),
        panels,
        log,
      }),
      machine: machine.port,
      logs: createLogsPort(createLogFiles(paths.log_dir, web?.uid ?? null)),
      hooks: composeHooks(config, root),
      moves,
    },
    explain,
    ensures: {
      php: (domain, settings) => php.ensure(domain, settings),
      application: (domain, name) => applications.ensure(domain, name),
      login: wordpress.enter,
    },
    renew: () => mail.renew(),
    settle: async () => {
      await managers?.keepOutAll(registry.accounts().map(({ uid }) => uid))
      holds.start()
      // Nothing here waits for the file system's tools.
      if (root) void tellQuotas(registry.accounts(), diskQuota, log)
      databases.start()
      await Promise.all([users.settle(), certificates.settle(), backups.settle()])
      const parts = {
        snapshots: () => snapshots.settle(),
        'log-ins': () => sftp.start(),
        applications: () => applications.start(),
        'the database tool': () => databaseTool.settle(),
        // Last: on a slow machine it takes its time.
        mail: () => mail.start(),
      }
      await settleParts(parts, log)
      // Asks servers elsewhere, which nothing here waits for.
      void dns.settle()
    },
    stop: async () => {
      cpu?.stop()
      machine.stop()
      moves.stop()
      await sftp.stop()
      await snapshots.shutDown()
      await databaseTool.stop()
      await Promise.all([
        php.stop(),
        databases.stop(),
        helpers.endAll(),
        backups.stop(),
        cron.stopAll(),
        applications.stopAll(),
        mail.stop(),
      ])
      await holds.stop()
    },
  }
}
