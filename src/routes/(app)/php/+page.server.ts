import type { Account, ApiResult, PhpSettings, PhpVersion } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:php')
  const [versions, accounts] = await Promise.all([
    readApi<PhpVersion[]>(event, '/api/php/versions'),
    readApi<Account[]>(event, '/api/accounts'),
  ])
  const list = accounts.ok ? accounts.data : []
  const settings: Record<number, ApiResult<PhpSettings>> = Object.fromEntries(
    await Promise.all(
      list.map(async ({ id }) => [id, await readApi<PhpSettings>(event, `/api/php/config/${id}`)]),
    ),
  )
  return { versions, accounts, settings }
}
