import type { AccountUse } from '../../ports/host/accounts/account-use.ts'
import { requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What accounts use of the machine over time. */
export interface AccountUses {
  /** 404. */
  ofAccount(accountId: number): Promise<AccountUse>
}

export const createAccountUses = ({
  store,
  host,
}: Pick<ServiceDeps, 'store' | 'host'>): AccountUses => ({
  async ofAccount(accountId) {
    const { username } = await requireAccount(store, accountId)
    return host.accountUse.of({ username })
  },
})
