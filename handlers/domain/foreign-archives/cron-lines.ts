import { MAX_COMMAND } from '../cron/command-limit.ts'
import { scheduleFault, tidySchedule } from '../cron/cron-schedule.ts'
import type { ForeignCronJob } from './foreign-account.ts'
import type { ReportLines } from './report-lines.ts'

/** Jobs of one account; each is judged, and a job that never comes true takes long to be found out. */
const MAX_JOBS = 200
/** Lines that are told one by one. */
const MAX_TOLD = 100
const MAX_TOLD_CHARACTERS = 200

/** PHP where other panels have it. Here the account's own is first in the path. */
const OTHERS_PHP =
  /(^|[\s;&|(])\/(?:usr\/local\/bin\/(?:ea-)?php\d{0,2}|usr\/local\/php\d{1,2}\/bin\/php|opt\/cpanel\/ea-php\d{1,2}\/root\/usr\/bin\/php(?:-cli)?)(?=\s|$)/g
/** What the other panel runs for itself. */
const OTHERS_OWN =
  /^(?:sudo )?\/(?:usr\/local\/(?:hestia|vesta|cpanel|directadmin)|scripts|opt\/hestia)\//

/** A text as it is told: one line, of bounded length. */
export const toldLine = (text: string): string =>
  text
    .slice(0, MAX_TOLD_CHARACTERS)
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .toWellFormed()

/** What a job runs as cron(8) reads it, where `%` ends the command unless it is escaped; null where text follows. */
const withoutPercents = (command: string): string | null => {
  const plain = command.replaceAll('\\%', '')
  return plain.includes('%') ? null : command.replaceAll('\\%', '%')
}

/** A job as it stands in a table of another panel. */
export interface CronLine {
  schedule: string
  command: string
  /** Null: by the clock of that machine. */
  timeZone: string | null
  enabled: boolean
}

/** Takes the jobs of another panel's account one by one, and tells of each what becomes of it. */
export const createCronLines = (report: Pick<ReportLines, 'taken' | 'changed' | 'left'>) => {
  const jobs: ForeignCronJob[] = []
  let told = 0
  let untold = 0
  const left = (subject: string, reason: string): void => {
    if (told >= MAX_TOLD) return void (untold += 1)
    told += 1
    report.left(subject, reason)
  }
  return {
    jobs,
    left,
    take(line: CronLine): void {
      const subject = `cron job ${toldLine(`${line.schedule} ${line.command}`)}`
      if (jobs.length >= MAX_JOBS || told >= MAX_TOLD) return void (untold += 1)
      const schedule = tidySchedule(line.schedule)
      if (/^@reboot$/i.test(schedule))
        return left(subject, 'Nothing here runs when the machine starts.')
      const fault = scheduleFault(schedule)
      if (fault !== null) return left(subject, `"${toldLine(schedule)}" ${fault}`)
      const trimmed = line.command.trim()
      if (OTHERS_OWN.test(trimmed)) return left(subject, 'A program of the other panel.')
      const plain = withoutPercents(trimmed)
      if (plain === null)
        return left(subject, 'It gives its program text behind a "%", which jobs here cannot.')
      const command = plain.replace(OTHERS_PHP, '$1php')
      if (command === '' || command.length > MAX_COMMAND || /[\0\r\n]/.test(command))
        return left(subject, `Its command is empty, longer than ${MAX_COMMAND} or not one line.`)
      if (command === plain) report.taken(subject)
      else report.changed(subject, 'It runs "php", the version of the account.')
      const { timeZone, enabled } = line
      jobs.push({ schedule, command: command.toWellFormed(), timeZone, enabled })
    },
    /** To be called behind the last one. */
    end(): void {
      if (jobs.length > 0)
        report.changed(
          'cron jobs',
          'They come switched off, since nobody proves who wrote them: look at each, then switch it on.',
        )
      if (untold > 0)
        report.left(`${untold} more lines of cron jobs`, `Not more than ${MAX_JOBS} are looked at.`)
    },
  }
}

/** What `createCronLines` answers. */
export type CronLines = ReturnType<typeof createCronLines>
