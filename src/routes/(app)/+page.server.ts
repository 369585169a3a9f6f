import type { Account, SystemInfo, WebServerStatus } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:system')
  const { me } = await event.parent()
  if (me.role !== 'admin') {
    return { own: await readApi<Account>(event, `/api/accounts/${me.account_id ?? 0}`), host: null }
  }
  const [info, webServer] = await Promise.all([
    readApi<SystemInfo>(event, '/api/system/info'),
    readApi<WebServerStatus>(event, '/api/veloserve/status'),
  ])
  return { own: null, host: { info, webServer } }
}
