import type { CronJob } from '$lib/api/types'
import { changedValues } from '$lib/state/forms/changed-values'
import { chosenSchedule, cronBody, cronForm, type CronForm } from './cron-form'

/** What the form changes, as `PATCH` takes it; a new kind goes with its command. */
export const cronChanges = (values: CronForm, job: CronJob): Partial<CronJob> => {
  const body = cronBody(values, job)
  // A schedule that was written in other words, such as `@daily`, stays while it says the same.
  const sameTimes = body.schedule === chosenSchedule(cronForm(job, '', ''))
  const changes = changedValues(job, sameTimes ? { ...body, schedule: job.schedule } : body)
  return changes.kind === undefined ? changes : { ...changes, command: body.command }
}
