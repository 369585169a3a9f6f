import { DOMAIN_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'

/** Rejects with 404 unless the caller may see the account that the domain belongs to. */
export const permitDomain =
  ({ domains }: Pick<Services, 'domains'>) =>
  async (id: number, caller: Caller): Promise<void> => {
    const { account_id } = await domains.get(id)
    authorize(caller, 'account', account_id, DOMAIN_NOT_FOUND)
  }
