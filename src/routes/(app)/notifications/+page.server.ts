import type { Notification } from '$lib/api/types'
import { NOTIFICATION_LIST } from '$lib/components/notifications/notification-list'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:notifications')
  const { language } = event.locals
  const list = await readList<Notification>(
    event,
    NOTIFICATION_LIST,
    '/api/notifications',
    (filters) => ({ ...filters, language }),
  )
  return { list }
}
