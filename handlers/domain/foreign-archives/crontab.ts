import { isTimeZone } from '../cron/cron-schedule.ts'
import { toldLine, type CronLines } from './cron-lines.ts'

const SETTING = /^["']?([A-Za-z_]\w*)["']?[ \t]*=(.*)$/
const MAIL =
  'What a job writes is kept with its runs; an event cron.failed can be sent where one fails.'
const ENVIRONMENT =
  'Jobs here have an environment of their own. Where one needs this, write it before its command.'

const isBlank = (character: string): boolean => character === ' ' || character === '\t'

/** The first `count` words of a line and what follows them; null where there are fewer. */
const split = (line: string, count: number): { words: string[]; rest: string } | null => {
  const words: string[] = []
  let at = 0
  while (words.length < count) {
    while (at < line.length && isBlank(line.charAt(at))) at++
    const begin = at
    while (at < line.length && !isBlank(line.charAt(at))) at++
    if (begin === at) return null
    words.push(line.slice(begin, at))
  }
  return { words, rest: line.slice(at).trim() }
}

/**
 * Takes the jobs of a table as of crontab(5). Settings (`MAILTO=`) and lines that are
 * no job are told one by one; `CRON_TZ` is heeded from its line on. One pass.
 */
export const readCrontab = (text: string, lines: CronLines): void => {
  let timeZone: string | null = null
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name, value = ''] = SETTING.exec(line) ?? []
    if (name !== undefined) {
      const zone = value.replace(/["']/g, '').trim()
      if (name === 'CRON_TZ' && isTimeZone(zone)) timeZone = zone
      else lines.left(`cron setting ${toldLine(line)}`, /^MAIL/.test(name) ? MAIL : ENVIRONMENT)
      continue
    }
    const parts = split(line, line.startsWith('@') ? 1 : 5)
    if (parts === null || parts.rest === '')
      lines.left(`cron line ${toldLine(line)}`, 'It is no cron job: a time and a command are.')
    else
      lines.take({
        schedule: parts.words.join(' '),
        command: parts.rest,
        timeZone,
        enabled: true,
      })
  }
}
