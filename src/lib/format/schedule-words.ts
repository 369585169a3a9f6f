import { texts } from '../texts/index.ts'
import { readSchedule } from './schedule-choice.ts'

/** `Mondays and Fridays`; days that follow each other as `Mondays to Fridays`. */
const daysWords = (days: number[]): string => {
  const t = texts.cron.words
  const names = days.map((day) => t.on[day] ?? '')
  // Sunday is the last of the week.
  const places = days.map((day) => (day === 0 ? 7 : day))
  const inARow = places.every((place, index) => place === (places[0] ?? 0) + index)
  return inARow && days.length > 2
    ? t.range(names[0] ?? '', names.at(-1) ?? '')
    : new Intl.ListFormat(texts.locale).format(names)
}

const lowerWords = (schedule: string): string | null => {
  const t = texts.cron.words
  const choice = readSchedule(schedule)
  switch (choice?.every) {
    case 'minutes':
      return t.minutes(choice.count)
    case 'hours':
      return t.hours(choice.count, choice.minute)
    case 'day':
      return t.day(choice.time)
    case 'week':
      return choice.days.length === 7
        ? t.day(choice.time)
        : t.week(daysWords(choice.days), choice.time)
    case 'month':
      return t.month(choice.day, choice.time)
    case undefined:
      return null
  }
}

/** A schedule as people say it, e.g. `Every 5 minutes`; its own fields where there are no words for it. */
export const scheduleWords = (schedule: string): string => {
  const words = lowerWords(schedule)
  return words === null ? schedule : words.charAt(0).toUpperCase() + words.slice(1)
}
