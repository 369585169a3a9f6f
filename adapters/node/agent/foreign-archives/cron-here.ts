import { MAX_COMMAND } from '#handlers/domain/cron/command-limit.ts'
import { isTimeZone } from '#handlers/domain/cron/cron-schedule.ts'
import { toldLine } from '#handlers/domain/foreign-archives/cron-lines.ts'
import type {
  ForeignAccount,
  ForeignCronJob,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { replaceHome } from '#handlers/domain/backups/replace-home.ts'
import type { ReportLines } from '#handlers/domain/foreign-archives/report-lines.ts'
import type { CronSettings } from '#handlers/ports/store/cron-store.ts'

/** Names are shown in lists, and are at most 100 characters. */
const NAME_CHARACTERS = 80

const zoneHere = (): string => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return isTimeZone(timeZone) ? timeZone : 'UTC'
}

/** A job as the panel keeps it; its name is what it runs, behind its number. */
const cronJob = (job: ForeignCronJob, at: number, timeZone: string): CronSettings => ({
  name: `${at + 1} ${toldLine(job.command.slice(0, NAME_CHARACTERS))}`.trim(),
  schedule: job.schedule,
  time_zone: job.timeZone ?? timeZone,
  kind: 'shell',
  command: job.command,
  enabled: job.enabled,
  time_limit_secs: 3600,
  overlap: 'skip',
  notify_after: 3,
})

/**
 * The cron jobs of another panel's account as the panel keeps them: by the clock of this
 * machine where none is told, and with the path of the home here. `report` is told so.
 */
export const cronHere = (
  account: Pick<ForeignAccount, 'cron' | 'home'>,
  home: string,
  report: Pick<ReportLines, 'changed'>,
): CronSettings[] => {
  const timeZone = zoneHere()
  if (account.cron.some((job) => job.timeZone === null))
    report.changed(
      'times of cron jobs',
      `They go by the clock of ${timeZone}, that of this machine.`,
    )
  return account.cron.map((job, at) => {
    const { text, count } = replaceHome(job.command, account.home, home)
    const fits = text.length <= MAX_COMMAND
    if (count > 0 && home !== account.home)
      report.changed(
        `cron job ${toldLine(job.command)}`,
        fits ? `${account.home} in it is ${home} here.` : `It names ${account.home}, not ${home}.`,
      )
    return cronJob(fits ? { ...job, command: text } : job, at, timeZone)
  })
}
