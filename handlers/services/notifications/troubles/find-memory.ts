import { timestamp } from '../../../domain/text/timestamp.ts'
import type { AccountUsePort } from '../../../ports/host/accounts/account-use.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import type { Found } from '../../notify/notify.ts'

const SCOPE = 'memory:'

/** Accounts whose programs the kernel ended within a day; where that cannot be asked it stays as it was. */
export const findMemory = async (
  accounts: readonly Pick<AccountRow, 'id' | 'username'>[],
  use: Pick<AccountUsePort, 'shortOfMemory'>,
): Promise<Found> => {
  const found = await use.shortOfMemory().catch(() => null)
  if (found === null) return { scopes: [], troubles: [] }
  const ids = new Map(accounts.map(({ id, username }) => [username, id]))
  return {
    scopes: [SCOPE],
    troubles: found.flatMap(({ username, count, last_secs }) => {
      const id = ids.get(username)
      if (id === undefined) return []
      const data = { username, account_id: id, count, at: timestamp(last_secs * 1000) }
      return [
        { key: `${SCOPE}${id}`, message: 'quota.memory', data, accountId: id, to: 'everybody' },
      ]
    }),
  }
}
