import type { RemoteTarget } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { requireAdmin } from '$lib/server/require-admin'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:targets')
  await requireAdmin(event)
  return { targets: await readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') }
}
