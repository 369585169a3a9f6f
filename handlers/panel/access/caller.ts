import type { UserRef } from '../../ports/store/access-store.ts'
import type { MemberRole, Role, TokenScope } from '../../ports/store/records.ts'

/** The session of an administrator, or of its reseller, who works as an account. */
export interface AdminSession {
  role: 'admin' | 'reseller'
  /** Of the administrator, or of the reseller. */
  id: number
  jti: string
  expiresAtSecs: number
}

/** Who makes a request, as the guard found it. */
export interface Caller {
  /** Whose password, second factor, passkeys, sessions and tokens are the caller's own. */
  user: UserRef
  /** The login: of a person its e-mail address. */
  username: string
  role: Role
  /**
   * Only for role `account`: the one account it may touch. Null: any. Of a reseller 0, which is
   * nobody's: what knows no resellers shows them nothing.
   */
  accountId: number | null
  /** Only for role `account`: what it may do there. The account's own login is an owner. */
  member: MemberRole | null
  /** What people call the person; null: an administrator, or the account itself. */
  personName: string | null
  /** The reseller himself, or the one whose account the user is; null: neither. */
  resellerId: number | null
  /** Only for role `reseller`: the ids of his accounts. */
  accounts?: ReadonlySet<number>
  /** The API token that vouches for it; null: a session. */
  apiToken: { id: number; name: string; scopes: readonly TokenScope[] } | null
  /** The administrator or reseller who works as this account; null: the user itself. */
  actingAdmin: string | null
  /** Only then: the administrator's own session, which is still good. */
  adminSession?: AdminSession
  /** Of a session; empty for an API token. */
  jti: string
  expiresAtSecs: number
}

/** What bounds on one user count by: the same in every account that a person works in. */
export const userKey = ({ user }: Pick<Caller, 'user'>): string => `${user.role}:${user.id}`
