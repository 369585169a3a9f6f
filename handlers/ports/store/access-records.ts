import type { Role, Timestamp, UserKind } from './column-types.ts'

/** A panel user of role `admin`; users of role `account` are the account rows, resellers have rows of their own. */
export interface AdminRow {
  id: number
  username: string
  password_hash: string
  /** `locked` may not log in, and neither its sessions nor its API tokens count. */
  status: 'active' | 'locked'
  /** Tokens issued before this unix second are void. */
  not_before_secs: number
  created_at: Timestamp
}

/** `read`: what changes nothing; `cache`: purging and warming; `write`: all that changes something. */
export type TokenScope = 'read' | 'write' | 'cache'

/** A token for automation; it may what its owner may, within its scopes. */
export interface ApiTokenRow {
  id: number
  /** Unique among the owner's. */
  name: string
  /** SHA-256 in hexadecimal; the token itself has 256 random bits and is not kept. */
  token_hash: string
  role: UserKind
  /** Id of the administrator, of the account or of the person. */
  owner_id: number
  /** Of a person's: the account that it works in; else null. */
  account_id: number | null
  scopes: TokenScope[]
  expires_at: Timestamp | null
  /** To the minute. */
  last_used_at: Timestamp | null
  created_at: Timestamp
}

/** A session of the panel that has begun; the token itself vouches for it, this row lets people see it. */
export interface SessionRow {
  id: number
  /** `jti` of its token. */
  jti: string
  role: UserKind
  /** Id of the administrator, of the account or of the person. */
  owner_id: number
  /** Of a person's: the account that it works in; else null. */
  account_id: number | null
  /** The administrator who works as the account, and the session from which that began; null: the user itself. */
  via_admin_id: number | null
  /** `reseller`: it is one of these, and `via_admin_id` his id. Null: an administrator. */
  via_role: 'reseller' | null
  via_jti: string | null
  /** `iat` of its token: what ends every session of its user before then has ended it too. */
  issued_secs: number
  expires_at_secs: number
  began_at: Timestamp
  /** When it was used last, to five minutes. */
  seen_at: Timestamp
  address: string
  /** `User-Agent` of the login, at most 256 characters; empty without one. */
  user_agent: string
}

/** A passkey of a user of the panel (WebAuthn), in place of password and second factor. */
export interface PasskeyRow {
  id: number
  role: UserKind
  /** Id of the administrator, of the account or of the person. */
  owner_id: number
  /** Unique among the owner's. */
  name: string
  /** Unique; base64url. */
  credential_id: string
  /** COSE key, base64url. */
  public_key: string
  /** Signatures made, as far as the device counts. */
  counter: number
  transports: string[]
  /** The host name of the panel to which browsers bind it. */
  party: string
  created_at: Timestamp
  last_used_at: Timestamp | null
}

/** Second factor of a user, RFC 6238. */
export interface SecondFactorRow {
  /** Base32. */
  secret: string
  /** False until the first code was entered; only then logins need it. */
  confirmed: boolean
  /** Latest time step whose code was used; no code of it or before it counts again. */
  last_step: number
  created_at: Timestamp
}

/** A reseller's limits, for all of his accounts together; null: none. */
export interface ResellerLimits {
  accounts_limit: number | null
  /** Of every type, primary domains among them. */
  domains_limit: number | null
  databases_limit: number | null
  /** What he may promise: the sum of his accounts' quotas. */
  disk_limit_mb: number | null
  bandwidth_limit_mb: number | null
}

/** A panel user of role `reseller`, who has accounts of his own. */
export interface ResellerRow extends ResellerLimits {
  id: number
  username: string
  password_hash: string
  /** `suspended` may not log in, and neither his sessions nor his API tokens count. */
  status: 'active' | 'suspended'
  suspend_reason: string | null
  /** Tokens issued before this unix second are void. */
  not_before_secs: number
  created_at: Timestamp
  updated_at: Timestamp
}

/** An entry of the audit log. It never holds a secret. */
export interface AuditRow {
  id: number
  at: Timestamp
  /** Name of the user; null when nobody was known. */
  actor: string | null
  role: Role | null
  /** The administrator who acts as the account, or the name of the API token. */
  via: string | null
  /** Method and route, e.g. `POST /api/accounts/:id/suspend`. */
  action: string
  summary: string
  /** What it concerned, e.g. `id=3`. */
  target: string
  address: string
  /** HTTP status of the response. */
  status: number
  /** The reseller who did it, or whose account it concerned; null: no reseller's matter. */
  reseller_id: number | null
  /** `denied`: the caller's fault, 4xx; `failed`: 5xx. */
  result: 'done' | 'denied' | 'failed'
}
