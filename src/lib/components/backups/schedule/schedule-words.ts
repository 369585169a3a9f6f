import type { BackupSchedule } from '$lib/api/types'
import { texts } from '$lib/texts'

const RULES = ['last', 'hourly', 'daily', 'weekly', 'monthly'] as const

/** An hour of the day as people write it: `02:00`. */
export const hourOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** A schedule in plain words, e.g. "Every day between 02:00 and 05:00, keeps 7 days, 4 weeks". */
export const scheduleWords = ({ what, every_hours, window, retention }: BackupSchedule): string => {
  const t = texts.schedule
  if (what === 'none') return t.none
  const when = window === null ? '' : t.between(hourOf(window.from), hourOf(window.to))
  const kept = RULES.filter((rule) => retention[rule] > 0).map((rule) =>
    t.kept[rule](retention[rule]),
  )
  return `${t.every(every_hours)}${when}${t.keeps(kept.join(', '))}`
}

/** What a schedule makes, and where it goes. */
export const scheduleKind = ({ what, places }: BackupSchedule): string => {
  const t = texts.schedule
  if (what === 'none') return ''
  const names = places.map((place) => (place === 'local' ? t.local : place))
  return `${t.what[what]}: ${names.join(', ')}`
}
