import type { RemoteTarget } from '#handlers/ports/host/backups.ts'
import type { EngineInfo } from '#handlers/ports/host/databases.ts'
import type { FileContent, FileEntry } from '#handlers/ports/host/files.ts'
import type { JobRow, JobState } from '#handlers/ports/jobs.ts'
import type { PhpVersion } from '#handlers/ports/host/php.ts'
import type {
  AccountStatus,
  DatabaseEngine,
  DomainType,
  PhpMode,
  Role,
  Timestamp,
  TokenScope,
} from '#handlers/ports/store/records.ts'
import type { SystemInfo } from '#handlers/ports/host/system.ts'
import type { WebServerStatus } from '#handlers/ports/host/web-server.ts'
import type { WorkerStall } from '#handlers/ports/host/worker-stall.ts'
import type { Examination } from '#handlers/services/doctor/finding.ts'
import type { BackupCleanup, BackupView } from '#handlers/services/backups/backups.ts'
import type { LogLine, LogLines, LogSource } from '#handlers/services/logs/logs.ts'
import type { CacheDetails, CacheOverview } from '#handlers/services/cache/cache.ts'
import type { WarmResult } from '#handlers/services/cache/warm.ts'
import type { SiteCacheView } from '#handlers/services/cache/view.ts'

export type {
  AccountStatus,
  BackupCleanup,
  CacheOverview,
  SiteCacheView,
  WarmResult,
  DatabaseEngine,
  DomainType,
  EngineInfo,
  Examination,
  FileContent,
  FileEntry,
  JobState,
  LogLine,
  LogLines,
  LogSource,
  PhpMode,
  PhpVersion,
  RemoteTarget,
  Role,
  SystemInfo,
  TokenScope,
  WebServerStatus,
  WorkerStall,
}

/** Outcome of an API call; `field` names the input at fault. Status 0: the panel was not reached. */
export type ApiResult<T> =
  { ok: true; data: T } | { ok: false; error: string; status: number; field: string | null }

/** `GET /api/auth/me`. */
export interface Me {
  username: string
  role: Role
  /** Set for role `account`. */
  account_id?: number | null
  /** The administrator who works as this account. */
  acting_admin?: string
}

/** A hosting account as the API returns it. */
export interface Account {
  id: number
  username: string
  primary_domain: string
  email: string
  /** Name of the plan. */
  plan: string
  status: AccountStatus
  suspend_reason?: string | null
  disk_quota_mb: number
  bandwidth_quota_mb: number
  /** What its sites have sent in this month. */
  bandwidth_used_mb: number
  disk_used_mb: number
  /** Absolute path; null until the OS user exists. */
  home: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** A plan as the API returns it, and what an account has of its own. */
export type { AccountLimits, PlanView } from '#handlers/services/accounts/plans.ts'

/** `GET /api/accounts/totals`: what several accounts have together. */
export interface AccountTotals {
  accounts: number
  disk_used_mb: number
  domains: number
  databases: number
  certificates: number
  backups: number
}

/** A domain as the API returns it. */
export interface Domain {
  id: number
  account_id: number
  username: string
  domain_name: string
  domain_type: DomainType
  document_root: string
  ssl_status: 'none' | 'active'
  ssl_expires_at: Timestamp | null
  /** Both take effect while there is a certificate. */
  redirect_https: boolean
  hsts: boolean
  /** Null: the account's. */
  php_version: string | null
  cache_enabled: boolean
  /** Seconds; null: the server's. */
  cache_ttl: number | null
  cache_exclude: string[]
  created_at: Timestamp
}

/** Rules of a site's page cache; null follows the server. */
export interface CacheRules {
  enabled: boolean
  /** Seconds. */
  ttl: number | null
  exclude: string[]
  bypass_cookies: string[] | null
  ignore_params: string[] | null
  mobile_variant: boolean | null
  /** Beside those that are known. */
  harmless_cookies: string[]
  session_cookies: string[]
  /** `none`, or a name; null: recognised. */
  application: string | null
  /** `auto`: the visitor's request, until the site was found to vary. */
  fills: 'auto' | 'visitor' | 'neutral'
}

/** Why visitors of a site are not served from its cache. */
export type { CacheInsight } from '#handlers/services/cache/insight.ts'

/** `GET /api/cache/:domain`. */
export type SiteCacheDetails = Omit<CacheDetails, 'rules'> & { rules: CacheRules }

/** `POST /api/cache/:domain/purge`; `pages` null: done when the web server starts. */
export interface PurgeResult {
  pages: number | null
  at_least: boolean
  widened: boolean
}

/** A database as the API returns it. */
export interface Database {
  engine: DatabaseEngine
  database: string
  user: string
  host: string
  size_bytes: number | null
  tables: number | null
  created_at: Timestamp
}

/** The certificate of a site as the API returns it. */
export interface Certificate {
  domain: string
  /** Only acme is renewed. */
  source: 'acme' | 'uploaded'
  /** Names that it holds for. */
  san: string[]
  subject: string
  issuer: string
  /** Hexadecimal. */
  serial: string
  issued_at: Timestamp
  expires_at: Timestamp
  /** Negative once it has expired. */
  days_remaining: number
  status: 'valid' | 'expiring_soon' | 'expired'
  /** Browsers warn of it, also while it is valid. */
  self_signed: boolean
  renewal_due: boolean
  /** Absolute paths. */
  files: { certificate: string; key: string; chain: string }
  /** Why the latest attempt to replace it failed. */
  last_error: string | null
}

/** A certificate that was just obtained. */
export interface IssuedCertificate extends Certificate {
  /** Names of the site that it does not hold for. */
  left_out: { name: string; reason: string }[]
}

/** What an automatic renewal did. */
export interface RenewalReport {
  renewed: string[]
  /** Not due yet, or uploaded. */
  skipped: string[]
  errors: { domain: string; error: string }[]
}

/** `GET /api/jobs/:id`. */
export type Job = Omit<JobRow, 'change'>

/** What an account runs; the version is null when the host has no PHP at all. */
export interface PhpSettings {
  version: string | null
  mode: PhpMode
}

/** What one of several accounts runs: `GET /api/php/config`. */
export type { AccountPhp } from '#handlers/services/php/php.ts'

/** `GET /api/system/history`. */
export type { HistoryRange, HostHistory } from '#handlers/services/host/history.ts'

/** `GET /api/system/stats`. A limit of -1 is unlimited. */
export interface Stats {
  accounts: { count: number; limit: number }
  domains: { count: number; limit: number }
  cpu: { count: number; usage_percent: number }
  memory: { total_mb: number; used_mb: number }
  disk: { total_mb: number; used_mb: number }
  license: { tier: string; valid: boolean; problem?: string | null }
  uptime_secs: number
  load_average: [number, number, number]
}

/** A copy of a backup as the API returns it; only whole, verified ones are listed. */
export type Backup = BackupView

/** A token for automation; the token itself is in the response to its creation alone. */
export interface ApiToken {
  id: number
  name: string
  role: Role
  owner: string
  account_id: number | null
  scopes: TokenScope[]
  expires_at: Timestamp | null
  last_used_at: Timestamp | null
  created_at: Timestamp
}

/** An administrator. */
export interface User {
  id: number
  username: string
  role: 'admin'
  status: 'active' | 'locked'
  second_factor: boolean
  created_at: Timestamp
}

/** Who did what. */
export interface AuditEntry {
  id: number
  at: Timestamp
  actor: string | null
  role: Role | null
  /** The administrator who works as the account, or the API token. */
  via: string | null
  action: string
  summary: string
  target: string
  address: string
  status: number
  result: 'done' | 'denied' | 'failed'
}

/** `GET /api/auth/totp`. */
export interface SecondFactorState {
  enabled: boolean
  /** Recovery codes that are not used yet. */
  recovery_codes: number
}
