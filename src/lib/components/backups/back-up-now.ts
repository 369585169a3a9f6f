import { invalidate } from '$app/navigation'
import { callApi } from '$lib/api/call-api'
import type { AccountSchedule } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'

/** Makes the backup that the account's schedule would have made, and tells how that went. */
export const backUpNow = async (account: {
  account_id: number
  username: string
}): Promise<void> => {
  const { account_id: id, username } = account
  const known = await callApi<AccountSchedule>('GET', `/api/backups/schedules/accounts/${id}`)
  const isSnapshot = known.ok && known.data.schedule.what === 'snapshot'
  const path = isSnapshot ? `/api/backups/snapshots/accounts/${id}` : `/api/backups/accounts/${id}`
  const started = await jobs.start<unknown>(path, {})
  const result = started.ok ? await started.data.outcome : started
  await Promise.all(['berth:backups', 'berth:snapshots'].map((topic) => invalidate(topic)))
  if (result.ok) toasts.ok(texts.backupState.made(username))
  else toasts.bad(result.error)
}
