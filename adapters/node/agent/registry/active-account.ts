import { conflict } from '#handlers/errors.ts'
import { knownAccount } from './known-account.ts'
import type { RegisteredAccount } from './types.ts'

/** An account that may run something: 404 unknown, 409 suspended. */
export const activeAccount = (
  registry: { account(username: string): RegisteredAccount | null },
  username: string,
): RegisteredAccount => {
  const account = knownAccount(registry, username)
  if (account.suspended) throw conflict(`Account ${username} is suspended.`)
  return account
}
