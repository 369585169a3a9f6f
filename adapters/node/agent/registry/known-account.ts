import { notFound } from '#handlers/errors.ts'
import type { RegisteredAccount } from './types.ts'

/** An account of this host. 404 for any other name. */
export const knownAccount = (
  registry: { account(username: string): RegisteredAccount | null },
  username: string,
): RegisteredAccount => {
  const account = registry.account(username)
  if (account === null) throw notFound(`There is no account "${username}" on this host.`)
  return account
}
