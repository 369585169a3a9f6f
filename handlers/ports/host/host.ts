import type { AccountUsePort } from './accounts/account-use.ts'
import type { ApplicationsPort } from './applications.ts'
import type { BackupsPort } from './backups/backups.ts'
import type { CachePluginPort } from './cache/cache-plugin.ts'
import type { CertificatesPort } from './certificates.ts'
import type { CronPort } from './cron.ts'
import type { DatabaseCopiesPort } from './database-copies.ts'
import type { DatabaseToolPort } from './database-tool.ts'
import type { DatabaseRemotePort } from './databases/database-remote.ts'
import type { DatabaseUsersPort } from './databases/database-users.ts'
import type { DatabasesPort } from './databases.ts'
import type { DnsAccessPort } from './dns-access.ts'
import type { FilesPort } from './files.ts'
import type { FrontSitesPort } from './web/front-sites.ts'
import type { HooksPort } from './hooks.ts'
import type { ImportsPort } from './backups/imports.ts'
import type { InspectionPort } from './inspection.ts'
import type { LogsPort } from './logs.ts'
import type { MachinePort } from './machine.ts'
import type { MailQueuePort } from './mail/mail-queue.ts'
import type { MovesPort } from './accounts/moves.ts'
import type { OutgoingMail } from './mail/outgoing-mail.ts'
import type { PageCachePort } from './cache/page-cache.ts'
import type { PhpPort } from './php.ts'
import type { SftpPort } from './sftp.ts'
import type { SnapshotsPort } from './backups/snapshots.ts'
import type { SystemPort } from './system.ts'
import type { TargetsPort } from './backups/targets.ts'
import type { UsersPort } from './users.ts'
import type { WebChannelPort } from './web/web-channel.ts'
import type { WebServerPort } from './web-server.ts'
import type { WordpressCarePort } from './wordpress/wordpress-care.ts'
import type { WordpressCopyPort } from './wordpress/wordpress-copy.ts'
import type { WordpressInstallPort } from './wordpress/wordpress-install.ts'
import type { WordpressLoginPort } from './wordpress/wordpress-login.ts'
import type { WordpressPort } from './wordpress/wordpress.ts'
import type { WordpressExtensionsPort } from './wordpress/wordpress-extensions.ts'
import type { WordpressUpdatePort } from './wordpress/wordpress-update.ts'

/** Everything the panel reaches on the host; implemented by the agent, spoken to over RPC. */
export interface HostPorts {
  users: UsersPort
  accountUse: AccountUsePort
  files: FilesPort
  php: PhpPort
  cron: CronPort
  applications: ApplicationsPort
  sftp: SftpPort
  outgoingMail: OutgoingMail
  mailQueue: MailQueuePort
  databases: DatabasesPort
  databaseUsers: DatabaseUsersPort
  databaseRemote: DatabaseRemotePort
  databaseCopies: DatabaseCopiesPort
  databaseTool: DatabaseToolPort
  backups: BackupsPort
  imports: ImportsPort
  snapshots: SnapshotsPort
  targets: TargetsPort
  certificates: CertificatesPort
  dnsAccess: DnsAccessPort
  webServer: WebServerPort
  frontSites: FrontSitesPort
  webChannel: WebChannelPort
  pageCache: PageCachePort
  cachePlugin: CachePluginPort
  wordpress: WordpressPort
  wordpressInstall: WordpressInstallPort
  wordpressLogin: WordpressLoginPort
  wordpressCare: WordpressCarePort
  wordpressUpdate: WordpressUpdatePort
  wordpressCopy: WordpressCopyPort
  wordpressExtensions: WordpressExtensionsPort
  system: SystemPort
  inspection: InspectionPort
  machine: MachinePort
  logs: LogsPort
  hooks: HooksPort
  moves: MovesPort
}
