import type { UserRef } from './access-store.ts'
import type { AccountStatus, MemberRole, Timestamp } from './column-types.ts'
import type { ListQuery, Page } from './list-query.ts'

/** A person who works in accounts, with a login of its own. It goes with the last account that it belongs to. */
export interface PersonRow {
  id: number
  /** The login; lower case, unique. */
  email: string
  /** What people call it. */
  name: string
  password_hash: string
  /** Sessions of the person begun before this unix second are void, in whatever account. */
  not_before_secs: number
  /** The account in which it worked last; null before the first time. */
  last_account_id: number | null
  created_at: Timestamp
}

/** That a person belongs to an account. */
export interface MemberRow {
  person_id: number
  account_id: number
  role: MemberRole
  /** Sessions of the person in this account begun before this unix second are void. */
  not_before_secs: number
  created_at: Timestamp
}

/** A person at work in one of its accounts, which is active. */
export interface WorkingPerson {
  person: PersonRow
  member: MemberRow
}

/** A person of an account as its owner sees it. */
export interface Member extends MemberRow {
  email: string
  name: string
  second_factor: boolean
  /** How many accounts it belongs to, this one among them. */
  accounts: number
  /** Latest use of a session in the account that still stands; null without one. */
  seen_at: Timestamp | null
}

/** An account that a person belongs to. */
export interface Membership {
  account_id: number
  username: string
  primary_domain: string
  status: AccountStatus
  role: MemberRole
}

/** Somebody asked to join an account, who has not answered. */
export interface InvitationRow {
  id: number
  account_id: number
  /** Lower case; one invitation of an address in an account. */
  email: string
  role: MemberRole
  /** SHA-256 of the secret in the link, in hexadecimal; the secret has 256 bits and is not kept. */
  token_hash: string
  /** Login of whoever invited. */
  invited_by: string
  created_at: Timestamp
  expires_at: Timestamp
}

/** An invitation and the account that it leads to. */
export type StandingInvitation = InvitationRow & { username: string; primary_domain: string }

/** Part of the store: persons of accounts, and invitations. */
export interface PeopleStore {
  /** By the address in lower case; null when nobody has it. */
  personByEmail(email: string): Promise<PersonRow | null>
  /** Null when there is none, or no longer. */
  personById(id: number): Promise<PersonRow | null>
  /**
   * The person in that account, or without one where it worked last, else in the first by
   * name. Null when it does not belong there, or no such account is active.
   */
  workingPerson(id: number, accountId?: number): Promise<WorkingPerson | null>
  /** Notes in which account it works. No effect when it is gone. */
  setLastAccount(id: number, accountId: number): Promise<void>
  /** By the accounts' names. */
  membershipsOf(id: number): Promise<Membership[]>
  /** Of several persons, by the accounts' names. */
  membershipsOfAll(ids: readonly number[]): Promise<(Membership & { person_id: number })[]>
  /** Persons of an account that are not yet void; by address unless the query says otherwise. */
  listMembers(accountId: number, query?: ListQuery): Promise<Page<Member>>
  /** Null when the person does not belong to the account. */
  memberOf(accountId: number, personId: number): Promise<Member | null>
  /** Sets another role and ends the person's sessions and tokens in the account; false when it does not belong there. */
  updateMember(
    accountId: number,
    personId: number,
    change: { role: MemberRole; notBeforeSecs: number },
  ): Promise<boolean>
  /**
   * Ends that a person belongs to an account, with its sessions and tokens there; where it
   * was the last account, the person goes. False when it did not belong there.
   */
  removeMember(accountId: number, personId: number): Promise<boolean>
  /** `endTokens` deletes the API tokens with it, of every account. */
  updatePerson(
    id: number,
    change: Partial<Pick<PersonRow, 'name' | 'password_hash' | 'not_before_secs'>>,
    options?: { endTokens?: boolean },
  ): Promise<void>
  /** Of all accounts; with what it belongs to. Null: gone. */
  deletePerson(id: number): Promise<boolean>
  /** Of every account. By address unless the query says otherwise. */
  listPersons(query?: ListQuery): Promise<Page<PersonRow & { second_factor: boolean }>>

  /**
   * Takes the place of an earlier invitation of the address. `'member'` when it belongs
   * to the account already, `'limit'` when persons and open invitations are `limit`
   * (null: none). Atomic: parallel calls cannot pass it. Forgets those that expired before `now`.
   */
  insertInvitation(
    row: Omit<InvitationRow, 'id'>,
    limit: number | null,
    now: Timestamp,
  ): Promise<InvitationRow | 'member' | 'limit'>
  /** Those that have not expired at `now`, newest first. */
  listInvitations(accountId: number, now: Timestamp): Promise<InvitationRow[]>
  /** Null unless it stands at `now` and its account is active. */
  invitationByHash(hash: string, now: Timestamp): Promise<StandingInvitation | null>
  /** False when there is none in the account, or no longer. */
  deleteInvitation(accountId: number, id: number): Promise<boolean>
  /**
   * Makes the person that an invitation is for, in its account, and uses it up, all or nothing.
   * `'gone'` when it was used, revoked or has expired, `'taken'` when somebody has the address as login.
   */
  acceptAsNew(
    hash: string,
    person: Pick<PersonRow, 'name' | 'password_hash' | 'created_at'>,
    notBeforeSecs: number,
  ): Promise<{ personId: number; accountId: number } | 'gone' | 'taken'>
  /** As `acceptAsNew`, for a person that there is; `'member'` when it belongs to the account already. */
  acceptAs(
    hash: string,
    person: Pick<UserRef, 'id'>,
    now: Timestamp,
    notBeforeSecs: number,
  ): Promise<{ accountId: number } | 'gone' | 'member'>
}
