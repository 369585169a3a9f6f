import { callApi } from '$lib/api/call-api'
import type { CronJob, ListedCronJob } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { cronPath } from './cron-path'

/** Switches a job on or off and says so. */
export const switchJob = async (job: ListedCronJob, enabled: boolean): Promise<void> => {
  const t = texts.cron
  const result = await callApi<CronJob>('PATCH', cronPath(job), { enabled })
  if (!result.ok) toasts.bad(result.error)
  else toasts.ok(enabled ? t.switchedOn(job.name) : t.switchedOff(job.name))
}
