import type { CronJob } from '$lib/api/types'

/** Address of a cron job in the API. */
export const cronPath = ({ account_id, id }: Pick<CronJob, 'account_id' | 'id'>): string =>
  `/api/cron/${account_id}/${id}`
