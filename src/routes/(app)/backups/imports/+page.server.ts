import type { DeletedAccount, FoundArchive } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { requireAdmin } from '$lib/server/require-admin'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:imports')
  await requireAdmin(event)
  const path = event.url.searchParams.get('path')
  const [found, deleted] = await Promise.all([
    path === null
      ? null
      : readApi<FoundArchive[]>(event, `/api/backups/imports?${new URLSearchParams({ path })}`),
    readApi<DeletedAccount[]>(event, '/api/backups/deleted-accounts'),
  ])
  return { path, found, deleted }
}
