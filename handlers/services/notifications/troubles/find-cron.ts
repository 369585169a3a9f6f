import type { ServiceDeps } from '../../service-deps.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

const SCOPE = 'cron:'

/** Cron jobs that failed as often in a row as their owners want to be told. */
export const findCron = async ({ store }: Pick<ServiceDeps, 'store'>): Promise<Found> => {
  const { rows } = await store.listCronJobs()
  return {
    scopes: [SCOPE],
    troubles: rows
      .filter(
        ({ enabled, failures, notify_after }) =>
          enabled && notify_after > 0 && failures >= notify_after,
      )
      .map(({ id, account_id: accountId, username, name, failures }): Trouble => ({
        key: `${SCOPE}${id}`,
        message: 'cron.failed',
        data: { name, failures, username, account_id: accountId },
        accountId,
        to: 'account',
      })),
  }
}
