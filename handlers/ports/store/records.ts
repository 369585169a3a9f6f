/** The rows that the panel keeps. Wire and column names are snake_case as in the spec. */

import type { PlannedRenewal } from '../host/certificates.ts'
import type {
  AccountStatus,
  DatabaseEngine,
  DomainType,
  PhpMode,
  ProofType,
  Timestamp,
} from './column-types.ts'

export type * from './access-records.ts'
export type * from './column-types.ts'

/** What a plan gives an account. */
export interface PlanLimits {
  disk_quota_mb: number
  bandwidth_quota_mb: number
  /** Of every type, the primary domain among them. */
  domains_limit: number
  databases_limit: number
  /** Beside the one that each database is made with. */
  database_users_limit: number
  tokens_limit: number
  /** Copies on this host. */
  backups_limit: number
  cron_jobs_limit: number
  ssh_keys_limit: number
  /** By recipients. */
  mails_per_hour_limit: number
  /** Persons beside the account's own login, open invitations among them. */
  people_limit: number
  /** Users for one folder each. */
  sftp_users_limit: number
  /** Addresses and blocks from which its databases may be reached. */
  database_addresses_limit: number
  /** Programs behind the web server that go on running. */
  applications_limit: number
  /** 1: its accounts may be given a shell; 0: none may. */
  shells_limit: number
  /** Processes and threads of the account's programs together. */
  processes_limit: number
  /** Of one process. */
  memory_limit_mb: number
  /** Of all processes together; 0: no limit. */
  memory_total_mb: number
  /** Part of the processor where it is short. */
  cpu_weight: number
  /** Of one processor; 0: no limit. */
  cpu_percent: number
  /** Part of the disk's time where it is short. */
  io_weight: number
}

/** A hosting plan; accounts name it. */
export interface PlanRow extends PlanLimits {
  name: string
  created_at: Timestamp
  updated_at: Timestamp
}

/** A hosting account, whose quotas may differ from its plan's. */
export interface AccountRow {
  id: number
  username: string
  primary_domain: string
  email: string
  /** Name of the plan. */
  plan: string
  status: AccountStatus
  suspend_reason: string | null
  disk_quota_mb: number
  bandwidth_quota_mb: number
  disk_used_mb: number
  /** Bytes that its sites sent in `bandwidth_month`. */
  bandwidth_used_bytes: number
  /** `2026-11`; empty before the first byte. */
  bandwidth_month: string
  /** What the web server was last told: `exceeded` sites answer 509. */
  bandwidth_state: 'open' | 'exceeded'
  /** argon2id of the account's password, for the panel login of role `account`. */
  password_hash: string
  /** Numeric uid and home as the host reported them; null until the OS user exists. */
  uid: number | null
  home: string | null
  php_version: string | null
  php_mode: PhpMode
  /** Panel tokens issued before this unix second are void. */
  not_before_secs: number
  /** The reseller whose account it is; null: the administrators'. */
  reseller_id: number | null
  /** 1: suspended together with its reseller, and opened again with him. */
  suspended_with_reseller: number
  /** The machine that it lies on whole; 0: the panel's own. */
  host_id: number
  created_at: Timestamp
  updated_at: Timestamp
}

/** What a site does differently from the server. */
export interface DomainOptions {
  /** Takes effect while there is a certificate. */
  redirect_https: boolean
  /** Strict-Transport-Security; takes effect while there is a certificate. */
  hsts: boolean
  /** Whether it answers at names that no site has; of one domain at most, by an administrator's word. */
  default_host: boolean
  php_version: string | null
  cache_enabled: boolean
  cache_ttl: number | null
  cache_exclude: string[]
  /** Names of cookies whose owners get no page of the cache; null: sessions of usual software. */
  cache_bypass_cookies: string[] | null
  /** Query parameters that no page depends on; null: the server's. */
  cache_ignore_params: string[] | null
  /** Whether phones get pages of their own; null: as the server has it. */
  cache_mobile_variant: boolean | null
  /** Names of cookies that tell nothing of who is asking, beside the known ones. */
  cache_harmless_cookies: string[]
  /** Names of cookies that keep their owner from the cache, beside the known ones. */
  cache_session_cookies: string[]
  /** The application by name, or `none`; null: recognised. */
  cache_application: string | null
  /** Whose request fills a page. */
  cache_fills: 'auto' | 'visitor' | 'neutral'
}

/** A domain of an account. */
export interface DomainRow extends DomainOptions {
  id: number
  account_id: number
  domain_name: string
  domain_type: DomainType
  document_root: string
  ssl_status: 'none' | 'active'
  ssl_expires_at: Timestamp | null
  /** One of the account's applications that requests are passed on to. */
  application_id: number | null
  /** Paths that it gets, with what lies below them; null: all. */
  application_paths: string[] | null
  created_at: Timestamp
  updated_at: Timestamp
}

/** What the page cache of a site did in the five minutes from `at` on. */
export interface CacheSample {
  at: Timestamp
  hits: number
  misses: number
  bypasses: number
}

/** A database of an account, with the one user that has rights on it. */
export interface DatabaseRow {
  id: number
  account_id: number
  engine: DatabaseEngine
  /** Full name, `<username>_<db_name>`. */
  database_name: string
  database_user: string
  host: string
  created_at: Timestamp
}

/** A database in the list of all accounts. */
export interface ListedDatabase extends DatabaseRow {
  username: string
  /** As it was noted last; null: not yet. */
  size_bytes: number | null
}

/** The certificate that a site serves; its files are the host's. */
export interface CertificateRow {
  /** Name of the site, i.e. of its virtual host. */
  domain: string
  /** Null: the panel's own. */
  account_id: number | null
  /** Where it came from; only `acme` can be renewed. */
  source: 'acme' | 'uploaded'
  /** Names the pair of files among those of the domain. */
  version: string
  san: string[]
  subject: string
  issuer: string
  serial: string
  issued_at: Timestamp
  expires_at: Timestamp
  certificate_file: string
  key_file: string
  chain_file: string
  /** How it was ordered, for the renewal. */
  webroot: string | null
  forced: boolean
  /** Null: by HTTP, and wildcards by DNS. */
  challenge: ProofType | null
  /** Why the latest renewal failed; null when it did not. */
  last_error: string | null
  /** When its authority wants it renewed, as far as it said; null: in the last 30 days. */
  renewal: PlannedRenewal | null
}

/** A database inside a backup. */
export interface BackedUpDatabase {
  engine: DatabaseEngine
  database: string
}

/** One verified copy of a backup. */
export interface BackupRow {
  /** Where it was made, and lies if `location` is `local`. */
  host_id: number
  /** Also of an account that is gone. */
  account_id: number
  username: string
  filename: string
  /** `local`, or the name of a target. */
  location: string
  size_bytes: number
  sha256: string
  databases: BackedUpDatabase[]
  /** How many files and directories of the home are not in it. */
  skipped: number
  /** Paths of the first of them, below the home. */
  skipped_paths: string[]
  /** Made by the schedule, which has its own retention: the plan's number does not count it. */
  scheduled: boolean
  created_at: Timestamp
}

/** Steps of one multi-step operation, so that it can be settled after a crash. */
export interface OperationRow {
  id: string
  kind: string
  /** What it concerns, e.g. the account's username. */
  subject: string
  state: 'open' | 'done' | 'undone'
  /** Names of completed steps, in order. */
  steps: string[]
  /** What settling needs; never a password. */
  data: Record<string, unknown>
  created_at: Timestamp
}
