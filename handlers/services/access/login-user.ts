import type { UserRef } from '../../ports/store/access-store.ts'
import type { AccountRow, AdminRow, Role } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'

/** Somebody who has just proved who they are. */
export interface LoggedIn {
  id: number
  username: string
  role: Role
  accountId: number | null
  /** Tokens must not be issued with an earlier `iat`. */
  notBeforeSecs: number
}

/** Somebody who may log in, given the password. */
export interface LoginUser extends LoggedIn {
  passwordHash: string
}

const fromAdmin = (row: AdminRow | null): LoginUser | null =>
  row === null || row.status !== 'active'
    ? null
    : {
        id: row.id,
        username: row.username,
        role: 'admin',
        accountId: null,
        notBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

const fromAccount = (row: AccountRow | null): LoginUser | null =>
  row === null || row.status !== 'active'
    ? null
    : {
        id: row.id,
        username: row.username,
        role: 'account',
        accountId: row.id,
        notBeforeSecs: row.not_before_secs,
        passwordHash: row.password_hash,
      }

/** The administrator or account that may log in under a name. */
export const loginUserByName = async (store: Store, name: string): Promise<LoginUser | null> => {
  const admin = await store.adminByName(name)
  if (admin !== null) return fromAdmin(admin)
  return fromAccount(await store.accountByName(name.toLowerCase()))
}

/** The same by role and id. */
export const loginUserById = async (
  store: Store,
  { role, id }: UserRef,
): Promise<LoginUser | null> =>
  role === 'admin' ? fromAdmin(await store.adminById(id)) : fromAccount(await store.accountById(id))
