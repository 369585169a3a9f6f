import type { AccountSchedule, BackupSchedules, PlanView, RemoteTarget } from '$lib/api/types'
import { SCHEDULE_LIST } from '$lib/components/backups/schedule/schedule-list'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

const ROOT = '/api/backups/schedules'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:schedules')
  const { me } = await event.parent()
  const isAdmin = me.role === 'admin'
  const [general, plans, targets, accounts] = await Promise.all([
    isAdmin ? readApi<BackupSchedules>(event, ROOT) : null,
    isAdmin ? readApi<PlanView[]>(event, '/api/plans') : null,
    isAdmin ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
    readList<AccountSchedule>(event, SCHEDULE_LIST, `${ROOT}/accounts`),
  ])
  return { general, plans, targets, accounts }
}
