import type { DeletedAccount, FoundArchive, RemoteTarget } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { requireAdmin } from '$lib/server/require-admin'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:imports')
  await requireAdmin(event)
  const { searchParams } = event.url
  const target = searchParams.get('target')
  const path = target === null ? searchParams.get('path') : null
  const place = target !== null ? { target } : path !== null ? { path } : null
  const [found, deleted, targets] = await Promise.all([
    place &&
      readApi<FoundArchive[]>(
        event,
        `/api/backups/imports?${new URLSearchParams(Object.entries(place))}`,
      ),
    readApi<DeletedAccount[]>(event, '/api/backups/deleted-accounts'),
    readApi<RemoteTarget[]>(event, '/api/backups/remote-targets'),
  ])
  return { path, target, found, deleted, targets }
}
