import type { Account } from '$lib/api/types'
import { DISK_USE_LIST } from '$lib/components/files/disk-use-list'
import { readList } from '$lib/server/read-list'
import { requireManager } from '$lib/server/require-manager'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:files')
  const [, accounts] = await Promise.all([
    requireManager(event),
    readList<Account>(event, DISK_USE_LIST, '/api/accounts'),
  ])
  return { accounts }
}
