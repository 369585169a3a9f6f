import { conflict, invalid, notFound } from '../../errors.ts'
import type { AccountRow, PlanRow } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'

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

/** The plan that an account shall have; throws 400 naming the plans that there are. */
export const requirePlan = async (store: Store, name: string): Promise<PlanRow> => {
  const plan = await store.planByName(name)
  if (plan !== null) return plan
  const names = (await store.listPlans()).map((one) => one.name)
  throw invalid('plan', `plan must be one of ${names.join(', ')}.`)
}

/** The plan that an account has. It cannot be deleted while one has it. */
export const planOf = async (store: Store, account: { plan: string }): Promise<PlanRow> => {
  const plan = await store.planByName(account.plan)
  if (plan === null) throw new Error(`plan ${account.plan} of an account is not there`)
  return plan
}
