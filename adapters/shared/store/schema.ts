import type { FiguresRow } from '#handlers/ports/store/figures-store.ts'
import type { Generated } from 'kysely'
import type { EventRow } from '#handlers/ports/events.ts'
import type { JobRow } from '#handlers/ports/jobs.ts'
import type { BackupRunRow } from '#handlers/ports/store/backup-schedule-store.ts'
import type { AccountCopyRow } from '#handlers/ports/store/host-store.ts'
import type { HostRow } from '#handlers/ports/store/host-store.ts'
import type { ChannelMachineRow } from '#handlers/ports/store/hosts/channel-store.ts'
import type { LinkPanelRow } from '#handlers/ports/store/hosts/trust-store.ts'
import type { RefillRow } from '#handlers/ports/store/refill-store.ts'
import type {
  ApplicationHookRow,
  ApplicationRow,
  DeploymentRow,
} from '#handlers/ports/store/application-store.ts'
import type { CronJobRow, CronRunRow } from '#handlers/ports/store/cron-store.ts'
import type { SftpUserRow } from '#handlers/ports/store/sftp/sftp-user-store.ts'
import type { SftpLoginRow } from '#handlers/ports/store/sftp/sftp-login-store.ts'
import type { DatabaseAddressRow } from '#handlers/ports/store/databases/database-addresses-store.ts'
import type {
  DatabaseGrantRow,
  DatabaseUserRow,
} from '#handlers/ports/store/databases/database-users-store.ts'
import type { SshKeyRow } from '#handlers/ports/store/sftp/sftp-store.ts'
import type { InvitationRow, MemberRow, PersonRow } from '#handlers/ports/store/people-store.ts'
import type { MetricRow } from '#handlers/ports/store/metrics.ts'
import type {
  NotificationDeliveryRow,
  NotificationPersonRow,
  NotificationRow,
  NotificationWebhookRow,
} from '#handlers/ports/store/notifications/notification-store.ts'
import type { ProofRow, SnapshotRow } from '#handlers/ports/store/snapshot-store.ts'
import type {
  AccountRow,
  AdminRow,
  BackupRow,
  CacheSample,
  ApiTokenRow,
  AuditRow,
  CertificateRow,
  DatabaseRow,
  DomainRow,
  OperationRow,
  PasskeyRow,
  PlanRow,
  ResellerRow,
  SecondFactorRow,
  SessionRow,
  UserKind,
} from '#handlers/ports/store/records.ts'

type Stored<T> = Omit<T, 'id'> & { id: Generated<number> }

/** Tables as SQL sees them: booleans are 0 and 1, lists and objects are JSON text. */
export interface Tables {
  settings: { key: string; value: string }
  admins: Stored<AdminRow>
  accounts: Stored<AccountRow>
  resellers: Stored<ResellerRow>
  reseller_plans: { reseller_id: number; plan: string }
  plans: PlanRow
  domains: Stored<
    Omit<
      DomainRow,
      | 'cache_enabled'
      | 'cache_exclude'
      | 'cache_bypass_cookies'
      | 'cache_ignore_params'
      | 'cache_mobile_variant'
      | 'cache_harmless_cookies'
      | 'cache_session_cookies'
      | 'redirect_https'
      | 'hsts'
      | 'default_host'
      | 'application_paths'
    >
  > & {
    redirect_https: number
    hsts: number
    default_host: number
    application_paths: string | null
    cache_enabled: number
    cache_exclude: string
    cache_bypass_cookies: string | null
    cache_ignore_params: string | null
    cache_mobile_variant: number | null
    cache_harmless_cookies: string
    cache_session_cookies: string
    /** Labels in reverse, dot at the end (`com.example.`): everything below a name is one index range. */
    reversed_name: string
  }
  databases: Stored<DatabaseRow>
  database_users: Stored<Omit<DatabaseUserRow, 'grants'>>
  database_sizes: { database_id: number; day: string; size_bytes: number }
  database_grants: DatabaseGrantRow & { user_id: number }
  hosts: Stored<HostRow>
  account_copies: Omit<AccountCopyRow, 'leads'> & { leads: string }
  refills: Omit<RefillRow, 'notes'> & { notes: string }
  backups: Omit<BackupRow, 'databases' | 'skipped_paths' | 'scheduled'> & {
    databases: string
    skipped_paths: string
    scheduled: number
  }
  /** `owner` is a plan's name or an account's id; `schedule` a `BackupSchedule`. */
  backup_schedules: {
    scope: 'plan' | 'account'
    owner: string
    schedule: string
    updated_at: string
  }
  backup_runs: BackupRunRow
  snapshots: Omit<SnapshotRow, 'databases' | 'scheduled'> & { databases: string; scheduled: number }
  proofs: Stored<Omit<ProofRow, 'ok' | 'figures'>> & { ok: number; figures: string }
  certificates: Omit<CertificateRow, 'san' | 'forced' | 'renewal'> & {
    san: string
    forced: number
    renewal: string | null
  }
  site_settings: { domain_id: number; settings: string }
  cron_jobs: Stored<Omit<CronJobRow, 'enabled'>> & { enabled: number }
  ssh_keys: Stored<SshKeyRow>
  sftp_logins: Stored<SftpLoginRow>
  sftp_users: Stored<Omit<SftpUserRow, 'passwords' | 'read_only'>> & {
    passwords: number
    read_only: number
  }
  database_addresses: Stored<DatabaseAddressRow>
  sftp_access: { account_id: number; passwords: Generated<number>; shell: Generated<number> }
  /** `start_command` is empty where there is none. */
  applications: Stored<
    Omit<ApplicationRow, 'environment' | 'shared_paths' | 'start_command' | 'source_push'>
  > & {
    source_push: number
    environment: string
    shared_paths: string
    start_command: string
  }
  deployments: DeploymentRow
  application_hooks: ApplicationHookRow
  cron_runs: Omit<CronRunRow, 'by_hand'> & { by_hand: number }
  jobs: Omit<JobRow, 'result'> & {
    result: string | null
    instance: string | null
    started_by: string | null
  }
  operations: Omit<OperationRow, 'steps' | 'data'> & { steps: string; data: string }
  sessions: Stored<SessionRow>
  passkeys: Stored<Omit<PasskeyRow, 'transports'>> & { transports: string }
  persons: Stored<PersonRow>
  members: MemberRow
  invitations: Stored<InvitationRow>
  revoked_tokens: { jti: string; expires_at_secs: number }
  leases: {
    subject: string
    holder: string
    term: number
    until_ms: number
    urgent_by: string
    urgent_until_ms: number
  }
  instances: { id: string; seen_at_ms: number; name: string; version: string; beside_host: number }
  channel_machines: ChannelMachineRow
  panel_invitations: { hash: string; until_secs: number }
  rate_events: { key: string; at_secs: number }
  panel_names: { name: string; seen_secs: number }
  login_failures: { key: string; at_secs: number; attempt: string; open_until_secs: number }
  api_tokens: Stored<Omit<ApiTokenRow, 'scopes'>> & { scopes: string }
  second_factors: Omit<SecondFactorRow, 'confirmed'> & {
    role: UserKind
    owner_id: number
    confirmed: number
  }
  recovery_codes: { role: UserKind; owner_id: number; code_hash: string }
  audit: Stored<AuditRow>
  /** Averages of the periods of `step_secs` that begin at `at_secs`. */
  metrics: MetricRow & { host_id: number; step_secs: number }
  /** Ends of operations that hooks and webhooks have not all heard of. */
  events: Stored<Omit<EventRow, 'data' | 'tries'>> & { data: string; tries: string }
  notifications: Stored<Omit<NotificationRow, 'data' | 'shown'>> & { data: string; shown: number }
  notification_persons: Omit<NotificationPersonRow, 'chosen'> & { chosen: string }
  notification_webhooks: NotificationWebhookRow
  notification_deliveries: Stored<NotificationDeliveryRow>
  login_places: {
    role: UserKind
    owner_id: number
    place: string
    language: 'en' | 'de' | null
    last_at: string
  }
  cache_samples: CacheSample & { domain_id: number }
  figures_days: FiguresRow
  link_panels: LinkPanelRow
  /** One row. */
  link_trust: { version: number }
}
