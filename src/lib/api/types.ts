import type { EngineInfo } from '#handlers/ports/databases.ts'
import type {
  AccountStatus,
  DatabaseEngine,
  DomainType,
  Plan,
  Role,
  Timestamp,
} from '#handlers/ports/records.ts'
import type { SystemInfo } from '#handlers/ports/system.ts'
import type { WebServerStatus } from '#handlers/ports/web-server.ts'

export type {
  AccountStatus,
  DatabaseEngine,
  DomainType,
  EngineInfo,
  Plan,
  Role,
  SystemInfo,
  WebServerStatus,
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
}

/** A hosting account as the API returns it. */
export interface Account {
  id: number
  username: string
  primary_domain: string
  email: string
  plan: Plan
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
  created_at: Timestamp
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
