import type { Role, TokenScope } from '../../ports/store/records.ts'

/** The session of an administrator who works as an account. */
export interface AdminSession {
  /** Of the administrator. */
  id: number
  jti: string
  expiresAtSecs: number
}

/** Who makes a request, as the guard found it. */
export interface Caller {
  /** Id of the administrator, or of the account. */
  id: number
  username: string
  role: Role
  /** Only for role `account`: the one account it may touch. */
  accountId: number | null
  /** The API token that vouches for it; null: a session. */
  apiToken: { id: number; name: string; scopes: readonly TokenScope[] } | null
  /** The administrator who works as this account; null: the user itself. */
  actingAdmin: string | null
  /** Only then: the administrator's own session, which is still good. */
  adminSession?: AdminSession
  /** Of a session; empty for an API token. */
  jti: string
  expiresAtSecs: number
}
