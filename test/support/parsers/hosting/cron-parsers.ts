import { isTimeZone, scheduleFault, tidySchedule } from '#handlers/domain/cron/cron-schedule.ts'
import { isPublishingCommand } from '#handlers/domain/cron/publishing-commands.ts'
import { keptCommand } from '#handlers/panel/cron/cron-fields.ts'
import { opened, parsersOf } from '../parser-list.ts'

/** What owners write of cron jobs. */
export const cronParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/cron/cron-schedule.ts tidySchedule': tidySchedule,
  'handlers/domain/cron/cron-schedule.ts scheduleFault': opened(['* * * * ', '*/'], scheduleFault),
  'handlers/domain/cron/cron-schedule.ts isTimeZone': opened(['Europe/'], isTimeZone),
  'handlers/domain/cron/publishing-commands.ts isPublishingCommand': opened(
    ['php bin/', '/wp'],
    isPublishingCommand,
  ),
  'handlers/panel/cron/cron-fields.ts keptCommand': (text) => [
    keptCommand('shell', text),
    keptCommand('command', [text]),
    keptCommand('url', `https://a.example/${text}`),
  ],
})
