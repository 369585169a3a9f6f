import type { Accounts } from './accounts/accounts.ts'
import { createAccounts } from './accounts/accounts.ts'
import { createApplications, type Applications } from './applications/applications.ts'
import { createDeployments, type Deployments } from './applications/deployments.ts'
import { createPushes, type Pushes } from './applications/pushes.ts'
import { createApplicationHooks, type ApplicationHooks } from './applications/hooks.ts'
import type { Audit } from './audit/audit.ts'
import { createAudit } from './audit/audit.ts'
import type { Auth } from './access/auth.ts'
import { createAuth } from './access/auth.ts'
import type { Credentials } from './access/credentials.ts'
import { createCredentials } from './access/credentials.ts'
import type { Backups } from './backups/backups.ts'
import { createBackups } from './backups/backups.ts'
import type { Refills } from './backups/refills/refills.ts'
import { createRefills } from './backups/refills/refills.ts'
import type { Proofs } from './backups/snapshots/proofs.ts'
import { createProofs } from './backups/snapshots/proofs.ts'
import type { Snapshots } from './backups/snapshots/snapshots.ts'
import { createSnapshots } from './backups/snapshots/snapshots.ts'
import {
  createSettingsRestores,
  type SettingsRestores,
} from './backups/settings/settings-restores.ts'
import { createDueRuns, type DueRuns } from './backups/schedules/due-runs.ts'
import { createBackupSchedules, type BackupSchedules } from './backups/schedules/schedules.ts'
import { tellOverdue } from './backups/schedules/tell-overdue.ts'
import type { Imports } from './backups/import/imports.ts'
import { createImports } from './backups/import/imports.ts'
import type { Targets } from './backups/targets.ts'
import { createTargets } from './backups/targets.ts'
import type { Bandwidth } from './accounts/bandwidth.ts'
import { createBandwidth } from './accounts/bandwidth.ts'
import type { Cache } from './cache/cache.ts'
import { createCache } from './cache/cache.ts'
import type { Cron } from './cron/cron.ts'
import { createCron } from './cron/cron.ts'
import type { DatabaseCopies } from './backups/database-copies.ts'
import { createDatabaseCopies } from './backups/database-copies.ts'
import type { Sftp } from './sftp/sftp.ts'
import { createSftpTurn } from './sftp/sftp-turn.ts'
import type { SftpUsers } from './sftp/sftp-users.ts'
import { createSftpUsers } from './sftp/sftp-users.ts'
import { createSftp } from './sftp/sftp.ts'
import type { SftpLogins } from './sftp/sftp-logins.ts'
import { createSftpLogins } from './sftp/sftp-logins.ts'
import type { DatabaseTool } from './databases/tool.ts'
import { createDatabaseTool } from './databases/tool.ts'
import type { Databases } from './databases/databases.ts'
import type { Certificates } from './certificates/certificates.ts'
import { createCertificates } from './certificates/certificates.ts'
import type { WaitingOrders } from './certificates/waiting-orders.ts'
import { createWaitingOrders } from './certificates/waiting-orders.ts'
import type { DnsAccesses } from './certificates/dns-access.ts'
import { createDnsAccesses } from './certificates/dns-access.ts'
import { createDatabaseSizes, type DatabaseSizes } from './databases/database-sizes.ts'
import { createDatabaseAddresses } from './databases/database-addresses.ts'
import type { DatabaseAddresses } from './databases/database-addresses.ts'
import { createDatabaseUsers, type DatabaseUsers } from './databases/database-users.ts'
import { createDatabases } from './databases/databases.ts'
import type { Doctor } from './doctor/doctor.ts'
import { createDoctor } from './doctor/doctor.ts'
import type { Domains } from './domains/domains.ts'
import { createDomains } from './domains/domains.ts'
import { createRewriteSite } from './domains/rewrite-site.ts'
import { createSiteBackends, type SiteBackends } from './domains/site-backends.ts'
import { createSiteSettings, type SiteSettingsService } from './domains/site-settings.ts'
import type { Events } from './events/events.ts'
import { createEvents } from './events/events.ts'
import type { Figures } from './figures/figures.ts'
import { createFigures } from './figures/figures.ts'
import { followedHosts } from './fronts/followed-hosts.ts'
import { createFronts, type Fronts } from './fronts/fronts.ts'
import type { Files } from './files/files.ts'
import { createFiles } from './files/files.ts'
import type { Jobs } from './jobs/jobs.ts'
import { createJobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal.ts'
import { createJournal } from './journal/journal.ts'
import { createLoginAttempts } from './access/login-attempts.ts'
import type { Logs } from './logs/logs.ts'
import { createLogs } from './logs/logs.ts'
import { createMail, type Mail } from './mail/mail.ts'
import type { Notifications } from './notifications/notifications.ts'
import { createNotifications } from './notifications/notifications.ts'
import { createNotify } from './notify/notify.ts'
import { createDrain, type Drain } from './moves/drain.ts'
import { createMoves, type Moves } from './moves/moves.ts'
import type { Hosts } from './hosts/hosts.ts'
import { createHosts } from './hosts/hosts.ts'
import { createPanels, type Panels } from './hosts/panels.ts'
import { createProbes, type Probes } from './hosts/probes.ts'
import { createSums, type Sums } from './hosts/sums.ts'
import { createTrust, type Trust } from './hosts/trust.ts'
import { createRotation, type Rotation } from './hosts/rotation.ts'
import { createHostMetrics, type HostMetrics } from './host/host-metrics.ts'
import { operationKinds } from './operation-kinds.ts'
import type { Passkeys } from './access/passkeys.ts'
import { createPasskeys } from './access/passkeys.ts'
import type { Invitations } from './access/invitations.ts'
import { createInvitations } from './access/invitations.ts'
import type { People } from './access/people.ts'
import { createPeople } from './access/people.ts'
import type { AccountUses } from './accounts/use.ts'
import { createAccountUses } from './accounts/use.ts'
import type { Plans } from './accounts/plans.ts'
import { createPlans } from './accounts/plans.ts'
import type { Php } from './php/php.ts'
import { createPhp } from './php/php.ts'
import { createSitePhp, type SitePhpService } from './php/site-php.ts'
import { createRegenerate } from './virtual-hosts/regeneration.ts'
import type { Resellers } from './resellers/resellers.ts'
import { createResellers } from './resellers/resellers.ts'
import { resellerOperationKinds } from './resellers/operations.ts'
import type { SecondFactor } from './access/second-factor.ts'
import { createSecondFactor } from './access/second-factor.ts'
import type { ServiceDeps } from './service-deps.ts'
import { createSiteTests, type SiteTests } from './domains/site-test.ts'
import type { Sessions } from './access/sessions.ts'
import { createSessions } from './access/sessions.ts'
import type { System } from './host/system.ts'
import { createSystem } from './host/system.ts'
import type { Tokens } from './access/tokens.ts'
import { createTokens } from './access/tokens.ts'
import type { Users } from './access/users.ts'
import { createUsers } from './access/users.ts'
import { createVirtualHosts } from './virtual-hosts/virtual-hosts.ts'
import { createWordpress, type Wordpress } from './wordpress/wordpress.ts'

/** All services of the panel, sharing one journal and its locks. */
export interface Services {
  auth: Auth
  credentials: Credentials
  secondFactor: SecondFactor
  users: Users
  resellers: Resellers
  tokens: Tokens
  sessions: Sessions
  passkeys: Passkeys
  people: People
  invitations: Invitations
  audit: Audit
  license: ServiceDeps['license']
  accounts: Accounts
  plans: Plans
  hosts: Hosts & Probes & Trust & Rotation & Sums
  fronts: Fronts
  moves: Moves
  drain: Drain
  panels: Panels
  accountUses: AccountUses
  domains: Domains
  siteBackends: SiteBackends
  siteSettings: SiteSettingsService
  sitePhp: SitePhpService
  siteTests: SiteTests
  files: Files
  databases: Databases
  databaseUsers: DatabaseUsers
  databaseAddresses: DatabaseAddresses
  databaseSizes: DatabaseSizes
  databaseCopies: DatabaseCopies
  databaseTool: DatabaseTool
  backups: Backups
  settingsRestores: SettingsRestores
  schedules: BackupSchedules & DueRuns & { tellOverdue(): Promise<void> }
  imports: Imports
  refills: Refills
  snapshots: Snapshots
  proofs: Proofs
  targets: Targets
  certificates: Certificates
  waitingOrders: WaitingOrders
  dnsAccesses: DnsAccesses
  php: Php
  cron: Cron
  applications: Applications
  deployments: Deployments
  applicationHooks: ApplicationHooks
  pushes: Pushes
  sftp: Sftp
  mail: Mail
  sftpLogins: SftpLogins
  sftpUsers: SftpUsers
  system: System
  doctor: Doctor
  bandwidth: Bandwidth
  cache: Cache
  figures: Figures
  wordpress: Wordpress
  metrics: HostMetrics
  jobs: Jobs
  logs: Logs
  events: Events
  notifications: Notifications
  settleOpenOperations: Journal['settleOpenOperations']
  /** Settles what other instances left that have ended. */
  settleAbandoned: Journal['settleAbandoned']
}

export const createServices = (
  given: ServiceDeps,
  options: { setupToken: string | null },
): Services => {
  const notify = createNotify(given)
  const notifications = createNotifications({ ...given, notify, stuck: () => journal.stuck() })
  const host =
    given.hostLinks === undefined ? given.host : followedHosts(given.host, () => fronts.changed())
  const deps = { ...given, host, notify, happened: notifications.happened }
  const jobs = createJobs(deps)
  const journal: Journal = createJournal(deps, {
    settled(operation) {
      notifications.happened()
      return jobs.operationSettled(operation)
    },
    stuck: notifications.happened,
  })
  const turn = createSftpTurn(deps)
  const fronts: Fronts = createFronts({ ...deps, journal })
  const shared = { ...deps, journal, turn, fronts, vhosts: createVirtualHosts(deps) }
  for (const kind of operationKinds(shared)) journal.register(kind)
  const regenerate = createRegenerate(shared)
  const attempts = createLoginAttempts(deps)
  const trust = createTrust(deps)
  const domains = createDomains(shared)
  const rewrite = createRewriteSite(shared)
  const siteSettings = createSiteSettings({ ...deps, rewrite })
  const accounts = createAccounts(shared)
  for (const kind of resellerOperationKinds({ ...deps, accounts })) journal.register(kind)
  const databases = createDatabases(shared)
  const databaseUsers = createDatabaseUsers(shared)
  const databaseAddresses = createDatabaseAddresses(shared)
  const certificates = createCertificates(shared)
  const php = createPhp(shared)
  const cron = createCron(shared)
  const deployments = createDeployments(shared)
  const databaseTool = createDatabaseTool(deps)
  const applications = createApplications({ ...shared, domains, deployments })
  const sftp = createSftp({ ...deps, turn })
  const sftpUsers = createSftpUsers({ ...deps, turn })
  const backups = createBackups(shared)
  const snapshots = createSnapshots(shared)
  const moves = createMoves(shared)
  const hosts = createHosts({ ...deps, trust, fronts })
  const backupSchedules = createBackupSchedules(deps)
  return {
    auth: createAuth(deps, attempts, options),
    credentials: createCredentials(deps, attempts),
    passkeys: createPasskeys(deps, attempts),
    people: createPeople(deps),
    invitations: createInvitations(deps, attempts),
    secondFactor: createSecondFactor(deps),
    users: createUsers(deps),
    resellers: createResellers(shared),
    tokens: createTokens(deps),
    sessions: createSessions(deps, notifications),
    audit: createAudit(deps),
    license: deps.license,
    accounts,
    plans: createPlans(shared),
    hosts: {
      ...hosts,
      ...createProbes({ ...shared, trust }),
      ...trust,
      ...createRotation({ ...deps, trust }),
      ...createSums(deps),
    },
    fronts,
    moves,
    drain: createDrain({ ...shared, moves, hosts }),
    panels: createPanels({ ...deps, trust }),
    accountUses: createAccountUses(deps),
    domains,
    siteBackends: createSiteBackends({ ...deps, rewrite }),
    siteSettings,
    sitePhp: createSitePhp(shared),
    siteTests: createSiteTests(deps),
    files: createFiles(deps),
    databases,
    databaseUsers,
    databaseAddresses,
    databaseSizes: createDatabaseSizes(deps),
    databaseCopies: createDatabaseCopies(shared),
    databaseTool,
    backups,
    snapshots,
    settingsRestores: createSettingsRestores({
      ...{ ...shared, domains, siteSettings, php, cron },
      schedules: backupSchedules,
    }),
    schedules: {
      ...backupSchedules,
      ...createDueRuns({ ...shared, backups, snapshots }),
      tellOverdue: () => tellOverdue(shared),
    },
    proofs: createProofs(shared),
    imports: createImports({
      ...{ ...shared, accounts, domains, siteSettings, databases, certificates, php, cron },
      applications,
      ...{ sftp, sftpUsers, databaseUsers, databaseAddresses },
      schedules: backupSchedules,
    }),
    refills: createRefills(shared),
    targets: createTargets(deps),
    certificates,
    waitingOrders: createWaitingOrders(shared),
    dnsAccesses: createDnsAccesses(shared),
    php,
    cron,
    applications,
    deployments,
    applicationHooks: createApplicationHooks({ ...deps, jobs, deployments }),
    pushes: createPushes({ ...deps, jobs, deployments }),
    sftp,
    mail: createMail(deps),
    sftpLogins: createSftpLogins(deps),
    sftpUsers,
    system: createSystem({ ...deps, regenerate }),
    doctor: createDoctor({ ...shared, regenerate }),
    bandwidth: createBandwidth(shared),
    cache: createCache(deps, domains),
    figures: createFigures(deps),
    wordpress: createWordpress({ ...shared, cron, domains, snapshots, backups }),
    metrics: createHostMetrics(deps),
    jobs,
    logs: createLogs(deps),
    events: createEvents(deps),
    notifications,
    async settleOpenOperations(options) {
      await journal.settleOpenOperations(options)
      await deployments.settle(options)
      await jobs.settle(options)
    },
    async settleAbandoned() {
      await journal.settleAbandoned()
      await deployments.settle()
      await jobs.settle()
      await databaseTool.endAbandoned()
    },
  }
}
