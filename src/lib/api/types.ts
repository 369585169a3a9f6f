import type { accountFiguresSchema, figuresSchema } from '#handlers/panel/figures/schema.ts'
import type {
  contentsSchema,
  keptRestoreSchema,
  restoredBackupSchema,
  undoneRestoreSchema,
} from '#handlers/panel/backups/schema.ts'
import type { z } from 'zod'
import type { accountSchema, accountTotalsSchema } from '#handlers/panel/accounts/schema.ts'
import type {
  deletedAccountSchema,
  foundSchema,
  importedSchema,
  inspectedSchema,
} from '#handlers/panel/backups/import-schema.ts'
import type {
  accountScheduleSchema,
  backupStateSchema,
  scheduleSchema,
  schedulesSchema,
} from '#handlers/panel/backups/schedule-schema.ts'
import type { activitySchema, entrySchema } from '#handlers/panel/audit/routes.ts'
import type { cacheDetailsSchema, pluginSchema, purgeSchema } from '#handlers/panel/cache/schema.ts'
import type {
  certificateSchema,
  dnsAccessSchema,
  issuedCertificateSchema,
  panelNameSchema,
  renewalReportSchema,
  waitingOrderSchema,
} from '#handlers/panel/certificates/schema.ts'
import type {
  applicationSchema,
  deploymentSchema,
  listedDeploymentSchema,
  runtimesSchema,
} from '#handlers/panel/applications/schema.ts'
import type {
  cronJobSchema,
  cronPreviewSchema,
  cronRunSchema,
  listedCronJobSchema,
} from '#handlers/panel/cron/schema.ts'
import type {
  accountMailSchema,
  mailSchema,
  mailStatusSchema,
} from '#handlers/panel/mail/schema.ts'
import type {
  listedSshKeySchema,
  sftpAccessSchema,
  sftpLoginSchema,
  sftpUserSchema,
  sshKeySchema,
} from '#handlers/panel/sftp/schema.ts'
import type {
  databaseSchema,
  listedDatabaseSchema,
  databaseAddressSchema,
  databaseUserSchema,
  remoteSchema,
  exportSchema,
  importedSchema as importedDumpSchema,
  sizeOfDaySchema,
  slowQuerySchema,
} from '#handlers/panel/databases/schema.ts'
import type {
  extensionUpdatesSchema,
  updatedExtensionsSchema,
} from '#handlers/panel/wordpress/extension-schema.ts'
import type {
  copiedWordpressSchema,
  installedWordpressSchema,
  pushedWordpressSchema,
  replacedAddressSchema,
  updatedWordpressSchema,
  wordpressIntegritySchema,
  wordpressSchema,
  wordpressSettingsSchema,
  wordpressSourceSchema,
  wordpressTablesSchema,
} from '#handlers/panel/wordpress/schema.ts'
import type { domainSchema } from '#handlers/panel/domains/schema.ts'
import type { recoverySchema, systemStatsSchema } from '#handlers/panel/host/schema.ts'
import type { jobSchema } from '#handlers/panel/jobs/schema.ts'
import type { awayHostSchema } from '#handlers/panel/hosts/away-routes.ts'
import type {
  copySchema,
  drainedSchema,
  hostSchema,
  hostSumsSchema,
  movedSchema,
} from '#handlers/panel/hosts/routes.ts'
import type { resellerSchema } from '#handlers/panel/resellers/schema.ts'
import type {
  deliverySchema,
  notificationSchema,
  preferencesSchema,
  unreadSchema,
  webhookSchema,
} from '#handlers/panel/notifications/schema.ts'
import type { phpSettingsSchema } from '#handlers/panel/php/schema.ts'
import type {
  proofSchema,
  snapshotFolderSchema,
  snapshotSchema,
  restoredSnapshotSchema,
} from '#handlers/panel/backups/snapshots/schema.ts'
import type {
  sitePhpAnswer,
  siteBackendAnswer,
  siteSettingsAnswer,
  siteTestAnswer,
} from '#handlers/panel/site-settings/schema.ts'
import type { sessionViewSchema } from '#handlers/panel/users/session-routes.ts'
import type { tokenSchema } from '#handlers/panel/users/token-routes.ts'
import type {
  invitationSchema,
  invitationTextSchema,
  memberSchema,
  personSchema,
  membershipSchema,
} from '#handlers/panel/users/people-schema.ts'
import type { meSchema } from '#handlers/panel/users/session.ts'
import type { SecondFactor } from '#handlers/services/access/second-factor.ts'
import type { Passkeys } from '#handlers/services/access/passkeys.ts'
import type { Tokens } from '#handlers/services/access/tokens.ts'
import type { Users } from '#handlers/services/access/users.ts'

// What the API answers is declared where it is made; here it gets the names that the screens use.
export type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'
export type { ServerKey, TargetTrial } from '#handlers/ports/host/backups/targets.ts'
export type { EngineInfo } from '#handlers/ports/host/databases.ts'
export type { FileContent, FileEntry } from '#handlers/ports/host/files.ts'
export type { PhpVersion } from '#handlers/ports/host/php.ts'
export type { SystemInfo } from '#handlers/ports/host/system.ts'
export type { WebServerStatus } from '#handlers/ports/host/web-server.ts'
export type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
export type { JobState } from '#handlers/ports/jobs.ts'
export type {
  AccountStatus,
  DatabaseEngine,
  DomainType,
  MemberRole,
  PhpMode,
  Role,
  TokenScope,
} from '#handlers/ports/store/records.ts'
export type { AccountUse } from '#handlers/ports/host/accounts/account-use.ts'
export type { AccountLimits, PlanView } from '#handlers/services/accounts/plans.ts'
export type { BackupCleanup, BackupView as Backup } from '#handlers/services/backups/backups.ts'
export type { KeptTarget } from '#handlers/services/backups/targets.ts'
export type { CacheOverview } from '#handlers/services/cache/cache.ts'
export type { CacheInsight } from '#handlers/services/cache/insight.ts'
export type { SiteCacheView } from '#handlers/services/cache/view.ts'
export type { WarmResult } from '#handlers/services/cache/warm.ts'
export type { Examination } from '#handlers/services/doctor/finding.ts'
export type { HistoryRange, HostHistory } from '#handlers/services/host/history.ts'
export type { LogLine, LogLines, LogSource } from '#handlers/services/logs/logs.ts'
export type { AccountPhp } from '#handlers/services/php/php.ts'

export type Member = z.infer<typeof memberSchema>
export type Person = z.infer<typeof personSchema>
export type Membership = z.infer<typeof membershipSchema>
export type Invitation = z.infer<typeof invitationSchema>
/** The response to its creation alone holds the secret of the link. */
export type NewInvitation = Invitation & { token: string; mailed: boolean }
export type InvitationText = z.infer<typeof invitationTextSchema>
export type Account = z.infer<typeof accountSchema>
export type AuditEntry = z.infer<typeof entrySchema>
export type AccountActivity = z.infer<typeof activitySchema>
export type AccountTotals = z.infer<typeof accountTotalsSchema>
export type AccountSchedule = z.infer<typeof accountScheduleSchema>
export type BackupState = z.infer<typeof backupStateSchema>
export type Certificate = z.infer<typeof certificateSchema>
export type SftpAccess = z.infer<typeof sftpAccessSchema>
export type SftpUser = z.infer<typeof sftpUserSchema>
export type SftpLogin = z.infer<typeof sftpLoginSchema>
export type SshKey = z.infer<typeof sshKeySchema>
export type Mail = z.infer<typeof mailSchema>
export type MailStatus = z.infer<typeof mailStatusSchema>
export type AccountMail = z.infer<typeof accountMailSchema>
export type Application = z.infer<typeof applicationSchema>
export type ApplicationRuntimes = z.infer<typeof runtimesSchema>
export type Deployment = z.infer<typeof deploymentSchema>
export type ListedDeployment = z.infer<typeof listedDeploymentSchema>
export type CronJob = z.infer<typeof cronJobSchema>
export type CronPreview = z.infer<typeof cronPreviewSchema>
export type CronRun = z.infer<typeof cronRunSchema>
export type Database = z.infer<typeof databaseSchema>
export type ListedDatabase = z.infer<typeof listedDatabaseSchema>
export type DeletedAccount = z.infer<typeof deletedAccountSchema>
export type Domain = z.infer<typeof domainSchema>
export type FoundArchive = z.infer<typeof foundSchema>
export type ImportedAccount = z.infer<typeof importedSchema>
export type InspectedArchive = z.infer<typeof inspectedSchema>
export type IssuedCertificate = z.infer<typeof issuedCertificateSchema>
export type Job = z.infer<typeof jobSchema>
export type ListedCronJob = z.infer<typeof listedCronJobSchema>
export type ListedSshKey = z.infer<typeof listedSshKeySchema>
export type Me = z.infer<typeof meSchema>
export type Notification = z.infer<typeof notificationSchema>
export type NotificationDelivery = z.infer<typeof deliverySchema>
export type NotificationPreferences = z.infer<typeof preferencesSchema>
export type NotificationWebhook = z.infer<typeof webhookSchema>
export type UnreadNotifications = z.infer<typeof unreadSchema>
export type PhpSettings = z.infer<typeof phpSettingsSchema>
export type Host = z.infer<typeof hostSchema>
export type HostSums = z.infer<typeof hostSumsSchema>
/** An account that was just moved to another machine. */
export type MovedAccount = z.infer<typeof movedSchema>
/** A machine whose accounts were just moved off it. */
export type DrainedHost = z.infer<typeof drainedSchema>
/** What a move has left on a machine. */
export type AccountCopy = z.infer<typeof copySchema>
export type AwayHost = z.infer<typeof awayHostSchema>
export type Reseller = z.infer<typeof resellerSchema>
export type PurgeResult = z.infer<typeof purgeSchema>
export type RecoveryState = z.infer<typeof recoverySchema>
export type RenewalReport = z.infer<typeof renewalReportSchema>
export type SiteCacheDetails = z.infer<typeof cacheDetailsSchema>
export type CacheRules = SiteCacheDetails['rules']
export type CachePlugin = z.infer<typeof pluginSchema>
/** A WordPress in a site of an account. */
export type Wordpress = z.infer<typeof wordpressSchema>
/** What can be set of a WordPress. */
export type WordpressSettings = z.infer<typeof wordpressSettingsSchema>
/** What of its core is not as its source has it. */
export type WordpressIntegrity = z.infer<typeof wordpressIntegritySchema>
/** What became of an address in its database. */
export type ReplacedAddress = z.infer<typeof replacedAddressSchema>
/** A WordPress that was just brought to another version. */
export type UpdatedWordpress = z.infer<typeof updatedWordpressSchema>
/** A copy of a WordPress that was just made. */
export type CopiedWordpress = z.infer<typeof copiedWordpressSchema>
/** A staging copy that was just pushed back. */
export type PushedWordpress = z.infer<typeof pushedWordpressSchema>
/** Tables of a WordPress. */
export type WordpressTables = z.infer<typeof wordpressTablesSchema>
/** Plugins and themes of it that can be updated. */
export type WordpressExtensionUpdates = z.infer<typeof extensionUpdatesSchema>
/** What became of those that were. */
export type UpdatedWordpressExtensions = z.infer<typeof updatedExtensionsSchema>
/** A WordPress that was just installed. */
export type InstalledWordpress = z.infer<typeof installedWordpressSchema>
/** A version of WordPress that sites can be installed from. */
export type WordpressSource = z.infer<typeof wordpressSourceSchema>
export type PanelName = z.infer<typeof panelNameSchema>
export type WaitingOrder = z.infer<typeof waitingOrderSchema>
export type DnsAccess = z.infer<typeof dnsAccessSchema>
export type DatabaseAddress = z.infer<typeof databaseAddressSchema>
export type DatabaseExport = z.infer<typeof exportSchema>
export type DatabaseRemote = z.infer<typeof remoteSchema>
export type DatabaseSizeOfDay = z.infer<typeof sizeOfDaySchema>
export type DatabaseSlowQuery = z.infer<typeof slowQuerySchema>
export type DatabaseUser = z.infer<typeof databaseUserSchema>
export type ImportedDump = z.infer<typeof importedDumpSchema>
export type KeptRestore = z.infer<typeof keptRestoreSchema>
export type RestoredBackup = z.infer<typeof restoredBackupSchema>
export type RestoredSnapshot = z.infer<typeof restoredSnapshotSchema>
export type UndoneRestore = z.infer<typeof undoneRestoreSchema>
export type BackupContents = z.infer<typeof contentsSchema>
export type BackupSchedule = z.infer<typeof scheduleSchema>
export type BackupSchedules = z.infer<typeof schedulesSchema>
export type BackupProof = z.infer<typeof proofSchema>
export type Snapshot = z.infer<typeof snapshotSchema>
export type SnapshotFolder = z.infer<typeof snapshotFolderSchema>
export type SnapshotEntry = SnapshotFolder['entries'][number]
export type Stats = z.infer<typeof systemStatsSchema>
export type ApiToken = z.infer<typeof tokenSchema>
/** The response to its creation alone holds the token itself. */
export type NewApiToken = Awaited<ReturnType<Tokens['create']>>
export type SecondFactorState = Awaited<ReturnType<SecondFactor['state']>>
export type SiteFigures = z.infer<typeof figuresSchema>
export type AccountFigures = z.infer<typeof accountFiguresSchema>
export type SiteBackend = z.infer<typeof siteBackendAnswer>
export type SiteSettings = z.infer<typeof siteSettingsAnswer>
export type SitePhp = z.infer<typeof sitePhpAnswer>
export type SiteTest = z.infer<typeof siteTestAnswer>
export type Passkey = Awaited<ReturnType<Passkeys['list']>>[number]
export type StandingSession = z.infer<typeof sessionViewSchema>
export type User = Awaited<ReturnType<Users['get']>>

/** Outcome of an API call; `field` names the input at fault. Status 0: the panel was not reached. */
export type ApiResult<T> =
  { ok: true; data: T } | { ok: false; error: string; status: number; field: string | null }
