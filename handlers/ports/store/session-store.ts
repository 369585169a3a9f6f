import type { UserRef } from './access-store.ts'
import type { SessionRow } from './access-records.ts'
import type { Timestamp } from './column-types.ts'
import type { ListQuery, Page } from './list-query.ts'

/** A session with the name of its user, and of the administrator who works as that. */
export type NamedSession = SessionRow & { owner: string; acting_admin: string | null }

/** What is known of the session of a token id. */
export interface SessionState {
  /** Ended before its time. */
  revoked: boolean
  /** Null: no row, of a session that began before there were any. */
  seenAt: Timestamp | null
}

/** Part of the store: the sessions that stand, and those that were ended. */
export interface SessionStore {
  /**
   * Notes a session that begins; one whose `jti` is there is taken up again, and nothing
   * changes. Of one user's (visits of administrators apart) the `most` newest stay: those
   * before them are ended.
   */
  insertSession(row: Omit<SessionRow, 'id'>, most: number): Promise<void>
  /** Null when there is none that stands at `nowSecs`. */
  sessionById(id: number, nowSecs: number): Promise<NamedSession | null>
  /** Those of one user that stand at `nowSecs`, or everybody's; by id unless the query says otherwise. */
  listSessions(
    owner: UserRef | null,
    nowSecs: number,
    query?: ListQuery,
  ): Promise<Page<NamedSession>>
  /** Of whatever token id, also of one that no row has. */
  sessionState(jti: string): Promise<SessionState>
  /** Notes when it was used last, and with a visit the administrator's own. No effect when it is gone. */
  touchSession(jti: string, at: Timestamp): Promise<void>
  /**
   * Ends a session before its time, and the visits that began from it. It is kept until a
   * day after `expiresAtSecs` (unix seconds), for clocks that are set back.
   */
  revokeToken(jti: string, expiresAtSecs: number): Promise<void>
  /** Uses up what counts once, as a challenge does, until `expiresAtSecs`; false when it was used up already. */
  spendOnce(jti: string, expiresAtSecs: number): Promise<boolean>
  /** Ends all sessions of a user but one, visits by administrators among them; how many. */
  revokeOtherSessions(owner: UserRef, keptJti: string): Promise<number>
}
