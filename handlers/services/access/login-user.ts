import type { UserRef } from '../../ports/store/access-store.ts'
import type { WorkingPerson } from '../../ports/store/people-store.ts'
import type {
  AccountRow,
  AdminRow,
  MemberRole,
  ResellerRow,
  Role,
} from '../../ports/store/records.ts'
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
  /** Name of the account that a person works in; absent for everybody else. */
  accountName?: string | undefined
  /** The reseller himself, or the one whose account the user is. */
  resellerId: number | null
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
        resellerId: null,
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
        resellerId: row.reseller_id,
        member: 'owner',
        personName: null,
        notBeforeSecs: row.not_before_secs,
        ownNotBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

const fromReseller = (row: ResellerRow | null): LoginUser | null =>
  row === null || row.status !== 'active'
    ? null
    : {
        user: { role: 'reseller', id: row.id },
        username: row.username,
        role: 'reseller',
        accountId: null,
        resellerId: row.id,
        member: null,
        personName: null,
        notBeforeSecs: row.not_before_secs,
        ownNotBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

const fromPerson = async (
  store: Store,
  working: WorkingPerson | null,
): Promise<LoginUser | null> => {
  if (working === null) return null
  const { person, member } = working
  const account = await store.accountById(member.account_id)
  return {
    user: { role: 'person', id: person.id, accountId: member.account_id },
    username: person.email,
    role: 'account',
    accountId: member.account_id,
    resellerId: account?.reseller_id ?? null,
    member: member.role,
    personName: person.name,
    accountName: account?.username,
    notBeforeSecs: Math.max(person.not_before_secs, member.not_before_secs),
    ownNotBeforeSecs: person.not_before_secs,
    passwordHash: person.password_hash,
  }
}

/** What the audit log says of a login: the account that a person entered. */
export const entered = ({
  user,
  accountId,
  accountName,
}: Pick<LoggedIn, 'user' | 'accountId' | 'accountName'>): string =>
  user.role === 'person' && accountId !== null
    ? `account_id=${accountId}${accountName === undefined ? '' : ` account=${accountName}`}`
    : ''

/** The administrator, reseller, person or account that may log in under a name; a person enters the account in which it worked last. */
export const loginUserByName = async (store: Store, name: string): Promise<LoginUser | null> => {
  const admin = await store.adminByName(name)
  if (admin !== null) return fromAdmin(admin)
  const lower = name.toLowerCase()
  // Asked of every name, so that no answer takes longer for who there is.
  const [reseller, account, person] = await Promise.all([
    store.resellerByName(name),
    store.accountByName(lower),
    store.personByEmail(lower),
  ])
  if (reseller !== null) return fromReseller(reseller)
  if (person === null) return fromAccount(account)
  return fromPerson(store, await store.workingPerson(person.id))
}

/** The same by role and id. */
export const loginUserById = async (
  store: Store,
  { role, id, accountId }: UserRef,
): Promise<LoginUser | null> => {
  if (role === 'admin') return fromAdmin(await store.adminById(id))
  if (role === 'reseller') return fromReseller(await store.resellerById(id))
  if (role === 'account') return fromAccount(await store.accountById(id))
  return fromPerson(store, await store.workingPerson(id, accountId))
}
