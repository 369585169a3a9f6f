import { conflict, notFound } from '../errors.ts'
import type { AccountRow } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

export const ACCOUNT_NOT_FOUND = 'Account not found. List the accounts to see which ids exist.'
export const DOMAIN_NOT_FOUND = 'Domain not found. List the domains to see which ids exist.'

/** The account with this id; throws 404. */
export const requireAccount = async (store: Store, id: number): Promise<AccountRow> => {
  const account = await store.accountById(id)
  if (account === null) throw notFound(ACCOUNT_NOT_FOUND)
  return account
}

/** As `requireAccount`, and its OS user must stand: throws 409 while it is being created or deleted. */
export const requireSettledAccount = async (
  store: Store,
  id: number,
): Promise<AccountRow & { home: string }> => {
  const account = await requireAccount(store, id)
  if (account.home === null || account.status === 'creating' || account.status === 'deleting') {
    throw conflict(`Account ${account.username} is ${account.status}. Try again when that is done.`)
  }
  return { ...account, home: account.home }
}

/** As `requireSettledAccount`, and not suspended: throws 409. */
export const requireActiveAccount = async (
  store: Store,
  id: number,
): Promise<AccountRow & { home: string }> => {
  const account = await requireSettledAccount(store, id)
  if (account.status === 'suspended') {
    throw conflict(`Account ${account.username} is suspended. Unsuspend it first.`)
  }
  return account
}
