import type { ListQuery, Page } from './list-query.ts'
import type {
  AdminRow,
  ApiTokenRow,
  AuditRow,
  SecondFactorRow,
  Timestamp,
  TokenScope,
  UserKind,
} from './records.ts'

/** A user of the panel: an administrator, an account by its id, or a person. */
export interface UserRef {
  role: UserKind
  id: number
  /** Only of a person: the account that it works in. Default: that in which it worked last. */
  accountId?: number
}

/** Which entries of the audit log. */
export interface AuditQuery extends ListQuery {
  actor?: string
  /** What its user did, and what was done to it. */
  about?: { id: number; username: string | null }
  result?: AuditRow['result']
  /**
   * Who is shown the entries; default: an administrator. `q` is looked for in what he is shown
   * alone: of the entries of others neither addresses nor targets.
   */
  shownTo?: 'account' | { reseller: string }
  /** Inclusive. */
  from?: Timestamp
  /** Exclusive. */
  until?: Timestamp
}

/** An API token with its owner's name. */
export type OwnedToken = ApiTokenRow & { owner: string }

/** Part of the store: users, API tokens, second factors and the audit log. */
export interface AccessStore {
  /** By id unless the query says otherwise; `q` is looked for in names. */
  listAdmins(query?: ListQuery): Promise<Page<AdminRow>>
  /** `'duplicate'` when an administrator or an account has the name, in whatever case. */
  insertAdmin(row: Omit<AdminRow, 'id'>): Promise<AdminRow | 'duplicate'>
  /** `'last'` when it would lock the only administrator who is not locked. `endTokens` deletes the API tokens with it. */
  updateAdmin(
    id: number,
    change: Partial<Omit<AdminRow, 'id' | 'created_at'>>,
    options?: { endTokens?: boolean },
  ): Promise<'done' | 'duplicate' | 'last'>
  /** Deletes the administrator with tokens and second factor. `'last'` as above. */
  deleteAdmin(id: number): Promise<'done' | 'last'>

  /** Tokens of one user, or of everybody. */
  listTokens(owner: UserRef | null, query?: ListQuery): Promise<Page<OwnedToken>>
  /** Null when there is none, or no longer. */
  tokenById(id: number): Promise<OwnedToken | null>
  /** By the hexadecimal SHA-256 of the token. */
  tokenByHash(hash: string): Promise<OwnedToken | null>
  /**
   * `'duplicate'` when the owner has a token of that name, `'limit'` when it has `limit` of
   * them, `'owner-changed'` unless the owner is active and its `not_before_secs` is
   * `ownerNotBeforeSecs`: what ends tokens must also end one that is just being made.
   */
  insertToken(
    row: NewToken,
    limit: number,
    ownerNotBeforeSecs: number,
  ): Promise<OwnedToken | 'duplicate' | 'limit' | 'owner-changed'>
  /** Notes when it was used last. No effect when it is gone. */
  touchToken(id: number, at: Timestamp): Promise<void>
  /** In force with the next request. Gone already: no error. */
  deleteToken(id: number): Promise<void>

  /** Also one that is not confirmed yet; null without any. */
  secondFactor(user: UserRef): Promise<SecondFactorRow | null>
  /** Whose of these ids a second factor is confirmed. */
  withSecondFactor(role: UserRef['role'], ids: readonly number[]): Promise<Set<number>>
  /** Begins an enrolment anew; false when a confirmed factor stands. */
  enrolSecondFactor(user: UserRef, secret: string, at: Timestamp): Promise<boolean>
  /** Puts the enrolled secret in force with its recovery codes; false when that is not what stands. */
  confirmSecondFactor(
    user: UserRef,
    secret: string,
    step: number,
    codeHashes: readonly string[],
  ): Promise<boolean>
  /** Uses up the code of a time step and all before it; false when it was used up already. */
  spendTotpStep(user: UserRef, step: number): Promise<boolean>
  /** False when there is no such code, or no longer. */
  spendRecoveryCode(user: UserRef, codeHash: string): Promise<boolean>
  /** Those that are still good. */
  countRecoveryCodes(user: UserRef): Promise<number>
  /** With its recovery codes: the next login needs the password alone. None there: no error. */
  deleteSecondFactor(user: UserRef): Promise<void>

  /** Answers the highest id. */
  insertAudit(rows: readonly Omit<AuditRow, 'id'>[]): Promise<number>
  /** Newest first unless the query says otherwise. */
  listAudit(query: AuditQuery): Promise<Page<AuditRow>>
  /**
   * Removes what is older than `before`, and of each role all but the newest `mostPerRole`.
   * Beyond those the newest `leastPerActor` of every known actor stay, so that one who is
   * busy pushes out nobody else. Names of failed logins are anybody's choice and keep nothing.
   */
  pruneAudit(
    before: Timestamp,
    bounds: { mostPerRole: number; leastPerActor: number },
  ): Promise<void>
}

/** An API token that is about to be made. */
interface NewToken {
  name: string
  token_hash: string
  role: UserKind
  owner_id: number
  account_id: number | null
  scopes: TokenScope[]
  expires_at: Timestamp | null
  created_at: Timestamp
}
