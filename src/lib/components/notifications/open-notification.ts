import { goto, invalidate } from '$app/navigation'
import { resolve } from '$app/paths'
import { callApi } from '$lib/api/call-api'
import type { Notification } from '$lib/api/types'
import type { AppPath } from '$lib/state/app-path'

/** What depends on what is unread. */
export const NOTIFICATIONS = 'berth:notifications'

/** Marks as read, one or (null) all, and says whether it was. */
export const markRead = async (id: number | null): Promise<boolean> => {
  const path = id === null ? '/api/notifications/read' : `/api/notifications/${id}/read`
  const { ok } = await callApi('POST', path)
  await invalidate(NOTIFICATIONS)
  return ok
}

/** Goes to the screen that helps; what was looked at is read. */
export const openNotification = async ({ id, read_at, link }: Notification): Promise<void> => {
  if (read_at === null) await markRead(id)
  await goto(resolve(link as AppPath))
}
