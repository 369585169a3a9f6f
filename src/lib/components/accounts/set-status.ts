import { callApi } from '$lib/api/call-api'
import type { Account, ApiResult } from '$lib/api/types'

/** Asks for a change of status. Where the account has it already, e.g. since an earlier attempt was finished meanwhile, that is success. */
const setStatus = async (
  { id }: Account,
  wanted: Account['status'],
  action: 'suspend' | 'unsuspend',
  body?: object,
): Promise<ApiResult<Account>> => {
  const result = await callApi<Account>('POST', `/api/accounts/${id}/${action}`, body)
  if (result.ok || result.status !== 409) return result
  const now = await callApi<Account>('GET', `/api/accounts/${id}`)
  return now.ok && now.data.status === wanted ? now : result
}

/** Closes an account; `reason` is shown in the list, '' is none. */
export const suspendAccount = (account: Account, reason: string): Promise<ApiResult<Account>> =>
  setStatus(account, 'suspended', 'suspend', reason === '' ? {} : { reason })

/** Opens it again. */
export const unsuspendAccount = (account: Account): Promise<ApiResult<Account>> =>
  setStatus(account, 'active', 'unsuspend')
