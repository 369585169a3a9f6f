import type { UserRef } from '../../ports/store/access-store.ts'
import type { WorkingPerson } from '../../ports/store/people-store.ts'
import type { AccountRow, AdminRow, MemberRole, Role } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'

/** Somebody who has just proved who they are. */
export interface LoggedIn {
  user: UserRef
  username: string
  role: Role
  accountId: number | null
  /** In the account; null for an administrator. */
  member: MemberRole | null
  /** What people call a person; null for everybody else. */
  personName: string | null
  /** Tokens must not be issued with an earlier `iat`. */
  notBeforeSecs: number
  /** The same without what ended a person's sessions in this account alone. */
  ownNotBeforeSecs: number
}

/** Somebody who may log in, given the password. */
export interface LoginUser extends LoggedIn {
  passwordHash: string
}

const fromAdmin = (row: AdminRow | null): LoginUser | null =>
  row === null || row.status !== 'active'
    ? null
    : {
        user: { role: 'admin', id: row.id },
        username: row.username,
        role: 'admin',
        accountId: null,
        member: null,
        personName: null,
        notBeforeSecs: row.not_before_secs,
        ownNotBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

const fromAccount = (row: AccountRow | null): LoginUser | null =>
  row === null || row.status !== 'active'
    ? null
    : {
        user: { role: 'account', id: row.id },
        username: row.username,
        role: 'account',
        accountId: row.id,
        member: 'owner',
        personName: null,
        notBeforeSecs: row.not_before_secs,
        ownNotBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

const fromPerson = (working: WorkingPerson | null): LoginUser | null => {
  if (working === null) return null
  const { person, member } = working
  return {
    user: { role: 'person', id: person.id, accountId: member.account_id },
    username: person.email,
    role: 'account',
    accountId: member.account_id,
    member: member.role,
    personName: person.name,
    notBeforeSecs: Math.max(person.not_before_secs, member.not_before_secs),
    ownNotBeforeSecs: person.not_before_secs,
    passwordHash: person.password_hash,
  }
}

/** What the audit log says of a login: the account that a person entered. */
export const entered = ({ user, accountId }: Pick<LoggedIn, 'user' | 'accountId'>): string =>
  user.role === 'person' && accountId !== null ? `account_id=${accountId}` : ''

/** The administrator, person or account that may log in under a name; a person enters the account in which it worked last. */
export const loginUserByName = async (store: Store, name: string): Promise<LoginUser | null> => {
  const admin = await store.adminByName(name)
  if (admin !== null) return fromAdmin(admin)
  const lower = name.toLowerCase()
  // Asked of every name, so that no answer takes longer for who there is.
  const [account, person] = await Promise.all([
    store.accountByName(lower),
    store.personByEmail(lower),
  ])
  if (person === null) return fromAccount(account)
  return fromPerson(await store.workingPerson(person.id))
}

/** The same by role and id. */
export const loginUserById = async (
  store: Store,
  { role, id, accountId }: UserRef,
): Promise<LoginUser | null> => {
  if (role === 'admin') return fromAdmin(await store.adminById(id))
  if (role === 'account') return fromAccount(await store.accountById(id))
  return fromPerson(await store.workingPerson(id, accountId))
}
