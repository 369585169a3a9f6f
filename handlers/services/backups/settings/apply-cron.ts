import { tidySchedule } from '../../../domain/cron/cron-schedule.ts'
import type { CronSettings } from '../../../ports/store/cron-store.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Cron } from '../../cron/cron.ts'
import { cronSettings } from '../account-record.ts'
import type { Told } from './told.ts'

const same = (a: CronSettings, b: CronSettings): boolean =>
  JSON.stringify(cronSettings(a)) === JSON.stringify(cronSettings(b))

/** The jobs of the record that the account does not have by name, i.e. those that would be made. */
export const jobsToMake = (
  wanted: readonly CronSettings[],
  present: readonly CronSettings[],
): CronSettings[] => {
  const left = present.map(({ name }) => name)
  return wanted.filter(({ name }) => {
    const at = left.indexOf(name)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

/**
 * Makes and changes the account's cron jobs as they were, found by their names; jobs that the
 * record does not have stay. `unmake`: jobs that an earlier restore made go again, where
 * nobody has changed them since.
 */
export const applyCron = async (
  deps: { store: Store; cron: Cron },
  accountId: number,
  { wanted, unmake }: { wanted: readonly CronSettings[]; unmake: readonly CronSettings[] },
  told: Told,
): Promise<void> => {
  const { store, cron } = deps
  const present = (await store.listCronJobs({ accountId })).rows
  const left = [...present]
  for (const job of wanted) {
    const settings = { ...cronSettings(job), schedule: tidySchedule(job.schedule) }
    const at = left.findIndex(({ name }) => name === job.name)
    const [found] = at === -1 ? [] : left.splice(at, 1)
    await told.tried(`The cron job ${job.name}`, async () => {
      if (found === undefined) await cron.create(accountId, settings, true)
      else if (!same(found, settings)) await cron.change(accountId, found.id, settings)
    })
  }
  for (const job of unmake) {
    const at = left.findIndex((one) => same(one, job))
    const [found] = at === -1 ? [] : left.splice(at, 1)
    if (found !== undefined)
      await told.tried(`The cron job ${job.name}`, () => cron.remove(accountId, found.id))
  }
  for (const { name } of left)
    told.note(`The cron job ${name} is not in the backup and stays as it is.`)
}
