import { redirect, type RequestEvent } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'
import type { AccountChoices } from '$lib/api/account-choices'
import type { Account } from '$lib/api/types'
import { entrancePath, readApi } from './read-api'

type LoadEvent = Pick<RequestEvent, 'fetch' | 'url' | 'locals'>

/** Accounts to choose from; more are found by searching. */
const OFFERED = 200

/** The accounts that a page offers to choose from. */
export const readAccounts = async (event: LoadEvent): Promise<AccountChoices> => {
  const response = await event.fetch(`/api/accounts?sort=username&per_page=${OFFERED}`)
  if (response.status === 401) redirect(303, await entrancePath(event))
  const total = Number(response.headers.get('x-total-count') ?? 0)
  const result = await parseResult<Account[]>(response)
  if (!result.ok) return { result, total, chosen: null }
  const wanted = event.url.searchParams.get('account') ?? ''
  const known = result.data.find(({ id }) => String(id) === wanted)
  if (known !== undefined || total <= result.data.length || !/^[1-9]\d{0,14}$/.test(wanted))
    return { result, total, chosen: known ?? result.data[0] ?? null }
  const other = await readApi<Account>(event, `/api/accounts/${wanted}`)
  if (!other.ok) return { result, total, chosen: result.data[0] ?? null }
  return { result: { ok: true, data: [other.data, ...result.data] }, total, chosen: other.data }
}
