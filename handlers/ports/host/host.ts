import type { BackupsPort } from './backups/backups.ts'
import type { CertificatesPort } from './certificates.ts'
import type { CronPort } from './cron.ts'
import type { DatabaseCopiesPort } from './database-copies.ts'
import type { DatabaseToolPort } from './database-tool.ts'
import type { DatabaseRemotePort } from './databases/database-remote.ts'
import type { DatabaseUsersPort } from './databases/database-users.ts'
import type { DatabasesPort } from './databases.ts'
import type { DnsAccessPort } from './dns-access.ts'
import type { FilesPort } from './files.ts'
import type { HooksPort } from './hooks.ts'
import type { ImportsPort } from './backups/imports.ts'
import type { InspectionPort } from './inspection.ts'
import type { LogsPort } from './logs.ts'
import type { MachinePort } from './machine.ts'
import type { MailQueuePort } from './mail/mail-queue.ts'
import type { OutgoingMail } from './mail/outgoing-mail.ts'
import type { PageCachePort } from './page-cache.ts'
import type { PhpPort } from './php.ts'
import type { SftpPort } from './sftp.ts'
import type { SnapshotsPort } from './backups/snapshots.ts'
import type { SystemPort } from './system.ts'
import type { TargetsPort } from './backups/targets.ts'
import type { UsersPort } from './users.ts'
import type { WebServerPort } from './web-server.ts'

/** Everything the panel reaches on the host; implemented by the agent, spoken to over RPC. */
export interface HostPorts {
  users: UsersPort
  files: FilesPort
  php: PhpPort
  cron: CronPort
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
  pageCache: PageCachePort
  system: SystemPort
  inspection: InspectionPort
  machine: MachinePort
  logs: LogsPort
  hooks: HooksPort
}
